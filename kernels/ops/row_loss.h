// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/device/tensor_view.h"
#include "kernels/device/thread_pool.h"
#include "kernels/math/row_losses.h"
#include "kernels/ops/implementation_list.h"

#include <cstdint>
#include <optional>

namespace cannery::kernels {

/// A loss of Keras with its arguments; those that its formula lacks are not read.
struct RowLossRule
{
    RowLoss loss = RowLoss::MeanSquaredError;
    LossConstants constants;
    /// Outputs are logits, of which the formula takes sigmoid or softmax.
    bool fromLogits = false;
    /// Labels are class ids, one column. A loss that compares numbers takes 1 for the class and 0
    /// for the others.
    bool labelsAreIds = false;
    /// Of labels that are ids: rows of this class have a loss and a gradient of 0.
    std::optional<std::int64_t> ignoredClass;
};

struct RowLossProblem
{
    RowLoss loss = RowLoss::MeanSquaredError;
    std::int64_t rows = 0;
    std::int64_t cols = 0;
};

struct RowLossArguments
{
    ConstMatrixView outputs; ///< [rows, cols]
    ConstMatrixView labels;  ///< [rows, cols], or [rows, 1] of ids
    ConstMatrixView weights; ///< [rows, 1]; an empty view (data null): all 1
    /// The labels of the whole batch are 0 or 1, and a hinge loss takes -1 and 1 for them.
    bool labelsAreBits = false;
    float gradientScale = 1.0F; ///< of each weighted row's gradient: 1, 1 / rows, ...
    MatrixView losses;          ///< [rows, 1], before weighting
    MatrixView outputsGrad; ///< gradientScale * weight * dloss/doutput; an empty view: not computed
};

/// A class id outside [0, cols) or NaN gives a NaN loss and NaN gradients; heads check labels when
/// the data is read. A row has the same bits whatever the other rows are and for any number of
/// threads.
struct RowLossKernels
{
    void (*run)(ThreadPool&, const RowLossRule&, const RowLossArguments&) = nullptr;
};

using RowLossImplementation = Implementation<RowLossProblem, RowLossKernels>;
std::span<const RowLossImplementation> rowLossImplementations();
const RowLossKernels& rowLossKernels(const RowLossProblem& problem);

namespace reference {
extern const RowLossKernels kRowLoss;
}

} // namespace cannery::kernels
