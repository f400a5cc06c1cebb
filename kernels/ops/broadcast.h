// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/device/tensor_view.h"
#include "kernels/device/thread_pool.h"
#include "kernels/ops/implementation_list.h"

#include <vector>

namespace cannery::kernels {

/// How an operand of several dimensions is read beside rows of more numbers: along each dimension
/// it has the size of the row, or 1 and is repeated.
struct Broadcast
{
    struct Axis
    {
        std::int64_t size = 1; ///< of the row
        std::int64_t step = 1; ///< between two numbers of the operand; 0 where it is repeated
    };

    /// Outermost first, at least one. Neighbours that are read alike are one axis, so the step of
    /// the last one is 0 or 1.
    std::vector<Axis> axes;
    std::int64_t width = 1;        ///< numbers of a row
    std::int64_t operandWidth = 1; ///< of the operand beside it

    bool repeats() const { return operandWidth != width; }
};

/// The operand's dimensions are the last ones of the row; it has no more than that.
Broadcast broadcastOver(std::span<const std::int64_t> operand, std::span<const std::int64_t> row);

enum class BroadcastOp
{
    Copy,
    Add,
    Subtract,
    Multiply,
    Divide,
    Maximum, ///< NaN if either number is
    Minimum,
};

struct BroadcastProblem
{
    std::int64_t width = 0;
};

/// Number by number, between rows and an operand that is repeated along some of their dimensions.
/// A stride of 0 makes one row of the operand that of all rows.
struct BroadcastKernels
{
    /// dst = dst op src; Copy: dst = src.
    void (*apply)(ThreadPool&, const Broadcast&, BroadcastOp, ConstMatrixView src,
                  MatrixView dst) = nullptr;
    /// The adjoint of Copy: dst, as wide as the operand, is the sum of src over all repetitions, in
    /// double and in the order of src.
    void (*sum)(ThreadPool&, const Broadcast&, ConstMatrixView src, MatrixView dst) = nullptr;
    /// Where src equals `chosen`, `taken` gets what is left of a gradient, which becomes 0;
    /// elsewhere it gets 0. Operand after operand, the first of several that are equal takes it.
    void (*take)(ThreadPool&, const Broadcast&, ConstMatrixView src, ConstMatrixView chosen,
                 MatrixView left, MatrixView taken) = nullptr;
};

using BroadcastImplementation = Implementation<BroadcastProblem, BroadcastKernels>;
std::span<const BroadcastImplementation> broadcastImplementations();
const BroadcastKernels& broadcastKernels();

namespace cpu {
extern const BroadcastKernels kBroadcast;
}
namespace reference {
extern const BroadcastKernels kBroadcast;
}

} // namespace cannery::kernels
