// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/device/cpu_level.h"
#include "kernels/device/tensor_view.h"
#include "kernels/device/thread_pool.h"
#include "kernels/ops/implementation_list.h"

#include <span>

namespace cannery::kernels {

/// Columns of an input that was never concatenated, with their rows of the weights: either dense
/// values, or ids (an indicator), which count by their weights, 1 without.
struct ColumnsPart
{
    ConstMatrixView values; ///< [rows, depth]; if data is null, the part has ids
    IdsView ids;
    ConstMatrixView weights; ///< [depth or buckets, cols]
};

struct ColumnsProblem
{
    std::int64_t rows = 0;
    std::int64_t cols = 0;
    CpuLevel level = cpuLevel();
};

/// The product of a dense layer's input with its weights if the input is indicators and a few dense
/// columns: sums of rows of the weights. dst = sum of the parts, in order, + bias (none if empty),
/// then max(0, .) if `relu`. A dense part is one sum along its depth, starting at 0, as in
/// MatmulKernels; ids outside their part's weights are dropped. Bits depend neither on threads nor
/// on the other rows. For depths of some dozens: it does not pack.
struct ColumnsProductKernels
{
    void (*forward)(ThreadPool&, std::span<const ColumnsPart> parts, std::span<const float> bias,
                    bool relu, MatrixView dst) = nullptr;
};

using ColumnsProductImplementation = Implementation<ColumnsProblem, ColumnsProductKernels>;
std::span<const ColumnsProductImplementation> columnsProductImplementations();
const ColumnsProductKernels& columnsProductKernels(const ColumnsProblem& problem);

namespace cpu {
extern const ColumnsProductKernels kColumnsProduct;
extern const ColumnsProductKernels kColumnsProductAvx512;
extern const ColumnsProductKernels kColumnsProductEigen;
} // namespace cpu
namespace reference {
extern const ColumnsProductKernels kColumnsProduct;
}

} // namespace cannery::kernels
