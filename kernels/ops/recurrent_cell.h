// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/device/tensor_view.h"
#include "kernels/device/thread_pool.h"
#include "kernels/ops/implementation_list.h"

namespace cannery::kernels {

/// Keras 2.15's cells with their default activations.
enum class RecurrentCell : std::uint8_t
{
    Simple, ///< h' = tanh(sum)
    Lstm,   ///< gates i, f, c, o
    Gru,    ///< gates z, r, h; resets after the product
};

/// Sums per unit, side by side in RecurrentStep::gates.
inline std::int64_t gateCount(RecurrentCell cell)
{
    constexpr std::int64_t kCounts[] = {1, 4, 3};
    return kCounts[static_cast<std::size_t>(cell)];
}

struct RecurrentProblem
{
    std::int64_t rows = 0;
    std::int64_t units = 0;
};

/// One step of some rows, after the products: see recurrent_formulas.h.
struct RecurrentStep
{
    /// [rows, gateCount * units]: sums; forward leaves gates, backward the gradients of the sums.
    MatrixView gates;
    /// Gru only, [rows, 3 * units]: the sums of the previous output (gates has those of the input
    /// alone); backward leaves their gradients.
    MatrixView recurrent;
    ConstMatrixView previousOutput; ///< Gru only, [rows, units]
    ConstMatrixView previousState;  ///< Lstm only
    MatrixView output;              ///< written by forward
    MatrixView state;               ///< Lstm only; written by forward
};

/// Of that step, in the backward pass.
struct RecurrentGradient
{
    /// Of the output. Gru only: backward leaves its direct part in the gradient of the previous
    /// output, to which the product with the recurrent kernel is added.
    MatrixView output;
    /// Lstm only: of the state, without what the output contributes; backward leaves the gradient
    /// of the previous state.
    MatrixView state;
};

struct RecurrentKernels
{
    void (*forward)(ThreadPool&, RecurrentCell, const RecurrentStep&) = nullptr;
    void (*backward)(ThreadPool&, RecurrentCell, const RecurrentStep&,
                     const RecurrentGradient&) = nullptr;
};

using RecurrentImplementation = Implementation<RecurrentProblem, RecurrentKernels>;
std::span<const RecurrentImplementation> recurrentImplementations();
const RecurrentKernels& recurrentKernels(const RecurrentProblem& problem);

namespace cpu {
extern const RecurrentKernels kRecurrent;
}
namespace reference {
extern const RecurrentKernels kRecurrent;
}

} // namespace cannery::kernels
