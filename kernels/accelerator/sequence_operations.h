// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/device_views.h"
#include "kernels/device/tensor_view.h"
#include "kernels/ops/recurrent_cell.h"

#include <cstdint>

/// Operations over the sequences of a batch.
namespace cannery::kernels {

/// Where the steps of a batch are among those of all rows: places[t * rows + r] is that of step t
/// of row r, -1 if there is no such step. Row r is row index[r] of the table.
struct PlaceSteps
{
    const std::int64_t* rowOffsets = nullptr; ///< of the table, see DeviceIds
    std::int64_t tableRows = 0;
    StepData index; ///< row r is row r of the table if its cursor is null
    std::int64_t rows = 0;
    std::int64_t most = 0; ///< see DeviceSteps
    std::int64_t* places = nullptr;
    std::int64_t* lengths = nullptr;
};

/// dst row i = table row places[i], zeros if that is -1.
struct GatherSteps
{
    ConstMatrixView table;
    const std::int64_t* places = nullptr;
    MatrixView dst;
};

/// Row i has one id: that at places[i] of the table, or -1.
struct GatherStepIds
{
    DeviceIds table;
    const std::int64_t* places = nullptr;
    std::int64_t rows = 0;
    std::int64_t* rowOffsets = nullptr; ///< rows + 1
    std::int32_t* ids = nullptr;
    float* weights = nullptr; ///< null if the table has no weights
};

/// dst[r, c] = sum of the weights of the ids c of row r: an indicator.
struct CountIds
{
    DeviceIds ids;
    MatrixView dst;
};

/// Every step of row r = src row r; zeros where it is masked.
struct RepeatSteps
{
    DeviceSteps steps;
    ConstMatrixView src;
    MatrixView dst; ///< [steps.count(), src.cols]
};

/// dst row r = sum over the steps of row r, in order.
struct SumSteps
{
    DeviceSteps steps;
    ConstMatrixView src; ///< [steps.count(), dst.cols]
    MatrixView dst;
};

/// RecurrentKernels::forward for step `time` of all rows; masked rows keep the previous output (of
/// every cell) and state.
struct RecurrentForward
{
    RecurrentCell cell = RecurrentCell::Simple;
    DeviceSteps steps;
    std::int64_t time = 0;
    RecurrentStep step;
};

/// RecurrentKernels::backward for step `time` of all rows. What it leaves in the gradient of the
/// output is that of the previous output, to which the product with the recurrent kernel is added:
/// 0 but for a Gru. Masked rows keep their gradients, those of their sums are 0.
struct RecurrentBackward
{
    RecurrentCell cell = RecurrentCell::Simple;
    DeviceSteps steps;
    std::int64_t time = 0;
    RecurrentStep step;
    RecurrentGradient grad;
    ConstMatrixView stepGrad; ///< is added to the gradient of the output first; data null: none
};

} // namespace cannery::kernels
