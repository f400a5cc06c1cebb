// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/broadcast.h"

#include <cmath>

namespace cannery::kernels::reference {

namespace {

/// Of the operand, beside number `index` of a row.
std::int64_t operandAt(const Broadcast& broadcast, std::int64_t index)
{
    std::int64_t offset = 0;
    for (auto axis = broadcast.axes.rbegin(); axis != broadcast.axes.rend(); ++axis) {
        offset += index % axis->size * axis->step;
        index /= axis->size;
    }
    return offset;
}

float combined(BroadcastOp op, float x, float y)
{
    switch (op) {
    case BroadcastOp::Copy:
        return y;
    case BroadcastOp::Add:
        return x + y;
    case BroadcastOp::Subtract:
        return x - y;
    case BroadcastOp::Multiply:
        return x * y;
    case BroadcastOp::Divide:
        return x / y;
    case BroadcastOp::Maximum:
        return x >= y || std::isnan(x) ? x : y;
    case BroadcastOp::Minimum:
        return x <= y || std::isnan(x) ? x : y;
    }
    return y;
}

void apply(ThreadPool&, const Broadcast& broadcast, BroadcastOp op, ConstMatrixView src,
           MatrixView dst)
{
    for (std::int64_t r = 0; r < dst.rows; ++r) {
        for (std::int64_t i = 0; i < dst.cols; ++i) {
            dst.at(r)[i] = combined(op, dst.at(r)[i], src.at(r)[operandAt(broadcast, i)]);
        }
    }
}

void sum(ThreadPool&, const Broadcast& broadcast, ConstMatrixView src, MatrixView dst)
{
    for (std::int64_t r = 0; r < dst.rows; ++r) {
        for (std::int64_t own = 0; own < dst.cols; ++own) {
            double total = 0.0;
            for (std::int64_t i = 0; i < src.cols; ++i) {
                total += operandAt(broadcast, i) == own ? double{src.at(r)[i]} : 0.0;
            }
            dst.at(r)[own] = static_cast<float>(total);
        }
    }
}

void take(ThreadPool&, const Broadcast& broadcast, ConstMatrixView src, ConstMatrixView chosen,
          MatrixView left, MatrixView taken)
{
    for (std::int64_t r = 0; r < left.rows; ++r) {
        for (std::int64_t i = 0; i < left.cols; ++i) {
            const bool takes = src.at(r)[operandAt(broadcast, i)] == chosen.at(r)[i];
            taken.at(r)[i] = takes ? left.at(r)[i] : 0.0F;
            left.at(r)[i] = takes ? 0.0F : left.at(r)[i];
        }
    }
}

} // namespace

const BroadcastKernels kBroadcast = {apply, sum, take};

} // namespace cannery::kernels::reference
