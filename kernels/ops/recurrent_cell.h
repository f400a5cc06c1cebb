// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/device/tensor_view.h"
#include "kernels/device/thread_pool.h"
#include "kernels/math/activations.h"
#include "kernels/ops/implementation_list.h"

namespace cannery::kernels {

/// Keras 2.15's cells.
enum class RecurrentCell : std::uint8_t
{
    Simple, ///< h' = tanh(sum)
    Lstm,   ///< gates i, f, c, o
    Gru,    ///< gates z, r, h
};

/// Sums per unit, side by side in RecurrentStep::gates.
inline std::int64_t gateCount(RecurrentCell cell)
{
    constexpr std::int64_t kCounts[] = {1, 4, 3};
    return kCounts[static_cast<std::size_t>(cell)];
}

/// A cell with its functions; the defaults are Keras's.
struct RecurrentRule
{
    RecurrentCell cell = RecurrentCell::Simple;
    Activation activation = Activation::Tanh;             ///< of the output, candidate and state
    Activation recurrentActivation = Activation::Sigmoid; ///< of the gates; not of a Simple
    /// Gru: the reset gate multiplies the product with the recurrent kernel, else its input.
    bool resetAfter = true;

    bool resetsBefore() const { return cell == RecurrentCell::Gru && !resetAfter; }
    /// Whether recurrent_formulas.h has it; otherwise a step needs RecurrentStep::kept.
    bool isUsual() const
    {
        return activation == Activation::Tanh &&
               (cell == RecurrentCell::Simple || recurrentActivation == Activation::Sigmoid) &&
               !resetsBefore();
    }
};

struct RecurrentProblem
{
    std::int64_t rows = 0;
    std::int64_t units = 0;
    RecurrentRule rule;
};

/// One step of some rows, after the products: see recurrent_formulas.h.
struct RecurrentStep
{
    /// [rows, gateCount * units]: sums; forward leaves gates, backward the gradients of the sums.
    MatrixView gates;
    /// Gru that resets after the product, [rows, 3 * units]: the sums of the previous output (gates
    /// has those of the input alone); backward leaves their gradients.
    MatrixView recurrent;
    ConstMatrixView previousOutput; ///< Gru only, [rows, units]
    ConstMatrixView previousState;  ///< Lstm only
    MatrixView output;              ///< written by forward
    MatrixView state;               ///< Lstm only; written by forward
    /// Rules that are not usual, [rows, gateCount * units]: forward keeps the sums there, for the
    /// slopes of functions whose values do not tell them; backward overwrites them.
    MatrixView kept;
    /// Gru that resets before the product, [rows, units]: the previous output times the reset gate;
    /// written by reset.
    MatrixView reset;
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
    /// Gru that resets before the product: of RecurrentStep::reset.
    ConstMatrixView reset;
};

/// Rows are independent of each other. A Gru that resets before the product goes through reset,
/// then, when `reset` times its part of the recurrent kernel was added to the candidate's sums,
/// through forward; back through backward, then, when `reset` has its gradient, resetBackward,
/// which leaves the reset gate's sums and adds to the gradient of the previous output.
struct RecurrentKernels
{
    void (*forward)(ThreadPool&, const RecurrentRule&, const RecurrentStep&) = nullptr;
    void (*backward)(ThreadPool&, const RecurrentRule&, const RecurrentStep&,
                     const RecurrentGradient&) = nullptr;
    void (*reset)(ThreadPool&, const RecurrentRule&, const RecurrentStep&) = nullptr;
    void (*resetBackward)(ThreadPool&, const RecurrentRule&, const RecurrentStep&,
                          const RecurrentGradient&) = nullptr;
};

using RecurrentImplementation = Implementation<RecurrentProblem, RecurrentKernels>;
std::span<const RecurrentImplementation> recurrentImplementations();
const RecurrentKernels& recurrentKernels(const RecurrentProblem& problem);

namespace cpu {
extern const RecurrentKernels kRecurrent;    ///< the usual rules
extern const RecurrentKernels kAnyRecurrent; ///< any rule
} // namespace cpu
namespace reference {
extern const RecurrentKernels kRecurrent;
}

} // namespace cannery::kernels
