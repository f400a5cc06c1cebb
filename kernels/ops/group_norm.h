// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/device/tensor_view.h"
#include "kernels/device/thread_pool.h"
#include "kernels/ops/implementation_list.h"

#include <vector>

namespace cannery::kernels {

enum class GroupNormRule
{
    Moments, ///< mean 0 and variance 1: (x - mean) / sqrt(variance + epsilon), biased variance
    Length,  ///< length 1: x / sqrt(max(sum(x^2), epsilon)), as tf.math.l2_normalize
};

/// Of tf.math.l2_normalize.
inline constexpr double kLeastSquaredLength = 1e-12;

/// The numbers of a row of several dimensions in groups, each of which is normalized by itself, and
/// the gamma and beta that belong to each number.
struct GroupNormShape
{
    struct Axis
    {
        std::int64_t size = 1;
        std::int64_t groupStep = 0;     ///< between the groups of two neighbours; 0 within one
        std::int64_t parameterStep = 0; ///< between their gammas
    };

    /// Outermost first, at least one. Neighbours that are read alike are one axis, so the steps of
    /// the last one are 0 or 1.
    std::vector<Axis> axes;
    std::int64_t width = 1;
    std::int64_t groups = 1;
    std::int64_t parameters = 1; ///< numbers of gamma and of beta

    std::int64_t groupSize() const { return width / groups; }
};

/// A dimension of a row.
struct GroupNormDimension
{
    std::int64_t size = 1;
    bool isTogether = false;    ///< its numbers are in one group; else each index has its own
    bool hasParameters = false; ///< each index has its own gamma and beta
};

/// Of a row of these dimensions, outermost first.
GroupNormShape groupNormShape(std::span<const GroupNormDimension> row);

struct GroupNormProblem
{
    GroupNormShape shape;
    GroupNormRule rule = GroupNormRule::Moments;
    float epsilon = 0.001F;
};

/// Numbers per group that statistics() finds and srcGradient() uses, for some rows: [rows, groups]
/// each.
struct GroupStatistics
{
    std::span<double> mean;    ///< 0 for lengths
    std::span<double> inverse; ///< 1 / deviation, or 1 / length
    std::span<double> sums;    ///< working memory
    std::span<double> products;
};

/// `gamma` and `beta` have shape.parameters numbers each.
///   y = (x - mean) inverse gamma + beta, h = (x - mean) inverse, g = dy gamma, n numbers a group
///   gammaGrad = sum(dy h), betaGrad = sum(dy)
///   Moments (Ba et al. 2016): dx = inverse (g - sum(g) / n - h sum(g h) / n)
///   Length: dx = inverse (g - h sum(g h)), or inverse g where the sum of squares is below epsilon
/// Sums are in double and in the order of the row; those over rows part by part, of which there are
/// kGroupNormParts at most: the same bits for any number of threads.
struct GroupNormKernels
{
    void (*statistics)(ThreadPool&, const GroupNormProblem&, ConstMatrixView src,
                       const GroupStatistics&) = nullptr;
    void (*normalize)(ThreadPool&, const GroupNormProblem&, const GroupStatistics&,
                      ConstMatrixView src, std::span<const float> gamma,
                      std::span<const float> beta, MatrixView dst) = nullptr;
    void (*srcGradient)(ThreadPool&, const GroupNormProblem&, const GroupStatistics&,
                        ConstMatrixView src, std::span<const float> gamma, ConstMatrixView dstGrad,
                        MatrixView srcGrad) = nullptr;
    /// `parts` is working memory of groupNormPartsSize() numbers.
    void (*parameterGradients)(ThreadPool&, const GroupNormProblem&, const GroupStatistics&,
                               ConstMatrixView src, ConstMatrixView dstGrad,
                               std::span<double> parts, std::span<float> gammaGrad,
                               std::span<float> betaGrad) = nullptr;
};

inline constexpr std::int64_t kGroupNormParts = 8;
std::int64_t groupNormPartsSize(const GroupNormShape& shape);

using GroupNormImplementation = Implementation<GroupNormProblem, GroupNormKernels>;
std::span<const GroupNormImplementation> groupNormImplementations();
const GroupNormKernels& groupNormKernels(const GroupNormProblem& problem);

namespace cpu {
extern const GroupNormKernels kGroupNorm;
}
namespace reference {
extern const GroupNormKernels kGroupNorm;
}

} // namespace cannery::kernels
