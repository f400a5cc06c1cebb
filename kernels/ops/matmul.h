// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/device/cpu_level.h"
#include "kernels/device/tensor_view.h"
#include "kernels/device/thread_pool.h"
#include "kernels/math/activations.h"
#include "kernels/ops/implementation_list.h"

#include <memory>
#include <string_view>
#include <vector>

namespace cannery::kernels {

/// Shapes of dst[rows x cols] = src[rows x depth] * weights[depth x cols].
struct MatmulProblem
{
    std::int64_t rows = 0;
    std::int64_t depth = 0;
    std::int64_t cols = 0;
    CpuLevel level = cpuLevel();
};

/// What is applied to the product: dst = activation((accumulate ? dst : 0) + product + bias). An
/// empty bias means none.
struct MatmulEpilogue
{
    std::span<const float> bias;
    Activation activation = Activation::Linear;
    bool accumulate = false;
};

/// What an implementation makes for one problem before the first product.
class MatmulPlan
{
public:
    virtual ~MatmulPlan() = default;
};

/// The dense layer's three products. Outputs never overlap inputs. Every element is summed along
/// the shared dimension in one fixed order, so bits depend neither on threads nor on the other
/// rows; those of all implementations but the reference are the same. A shared dimension of 0 gives
/// zeros (and the epilogue). Views may have fewer rows than the problem that was planned, or more.
struct MatmulKernels
{
    void (*forward)(MatmulPlan*, ThreadPool&, ConstMatrixView src, ConstMatrixView weights,
                    const MatmulEpilogue&, MatrixView dst) = nullptr;
    /// srcGrad = dstGrad * transposed(weights)
    void (*srcGradient)(MatmulPlan*, ThreadPool&, ConstMatrixView dstGrad, ConstMatrixView weights,
                        MatrixView srcGrad) = nullptr;
    /// weightsGrad = transposed(src) * dstGrad
    void (*weightsGradient)(MatmulPlan*, ThreadPool&, ConstMatrixView src, ConstMatrixView dstGrad,
                            MatrixView weightsGrad) = nullptr;
    /// What the functions need as their first argument; null if it cannot be made here. Without
    /// this function they need none.
    std::unique_ptr<MatmulPlan> (*plan)(const MatmulProblem&) = nullptr;
};

using MatmulImplementation = Implementation<MatmulProblem, MatmulKernels>;
std::span<const MatmulImplementation> matmulImplementations();

/// The products of one problem by the first implementation that accepts it and can be planned.
/// Movable; its functions may be called from several threads at a time.
class Matmul
{
public:
    Matmul() = default;
    /// With `refusals`, also records which implementations were passed over, and why.
    explicit Matmul(const MatmulProblem& problem, std::vector<Refusal>* refusals = nullptr);
    /// By an implementation that accepts the problem; isPlanned() is false if it has no plan here.
    Matmul(const MatmulImplementation& implementation, const MatmulProblem& problem);

    bool isPlanned() const { return m_implementation != nullptr; }
    std::string_view implementation() const { return m_implementation->name; }

    void forward(ThreadPool& pool, ConstMatrixView src, ConstMatrixView weights,
                 const MatmulEpilogue& epilogue, MatrixView dst) const
    {
        m_implementation->kernels->forward(m_plan.get(), pool, src, weights, epilogue, dst);
    }
    void srcGradient(ThreadPool& pool, ConstMatrixView dstGrad, ConstMatrixView weights,
                     MatrixView srcGrad) const
    {
        m_implementation->kernels->srcGradient(m_plan.get(), pool, dstGrad, weights, srcGrad);
    }
    void weightsGradient(ThreadPool& pool, ConstMatrixView src, ConstMatrixView dstGrad,
                         MatrixView weightsGrad) const
    {
        m_implementation->kernels->weightsGradient(m_plan.get(), pool, src, dstGrad, weightsGrad);
    }

private:
    const MatmulImplementation* m_implementation = nullptr;
    std::unique_ptr<MatmulPlan> m_plan;
};

namespace cpu {
extern const MatmulKernels kMatmul;
extern const MatmulKernels kMatmulAvx512;
extern const MatmulKernels kMatmulEigen; ///< on any processor
} // namespace cpu
namespace onednn {
extern const MatmulKernels kMatmul;
}
namespace reference {
extern const MatmulKernels kMatmul;
}

} // namespace cannery::kernels
