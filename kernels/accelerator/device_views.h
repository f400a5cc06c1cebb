// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

/// What operations read and write besides matrices; all addresses are addresses on the device.
namespace cannery::kernels {

/// Numbers that change from step to step (the step's number, learning rates, row numbers): one
/// block for each step of a launch, so that a captured step reads new ones without the host. An
/// operation reads at `blocks + *cursor * blockBytes + offset`.
struct StepData
{
    const std::byte* blocks = nullptr;
    std::int64_t blockBytes = 0;
    const std::int64_t* cursor = nullptr;
    std::int64_t offset = 0;
};

/// Ids on the device: row r has the entries [rowOffsets[r], rowOffsets[r + 1]), at most `capacity`
/// in all rows. See IdsView.
struct DeviceIds
{
    const std::int64_t* rowOffsets = nullptr;
    const std::int32_t* ids = nullptr;
    const float* weights = nullptr; ///< all 1 if null
    std::int64_t rows = 0;
    std::int64_t capacity = 0;
    StepData
        rowsInUse; ///< int64: the batch has no rows after so many; it has all if the cursor is null
};

/// The sequences of a batch by time: step t of row r is row t * rows + r of a matrix, for all
/// t < most. Most rows have fewer steps; what comes after them is masked.
struct DeviceSteps
{
    const std::int64_t* lengths = nullptr; ///< steps of each row
    std::int64_t rows = 0;
    std::int64_t most = 0;

    std::int64_t count() const { return rows * most; }
};

/// The gradient of some rows of a table, each once, ascending: `*count` of them, at most
/// `capacity`. See SparseGradient, whose rows are in order of first occurrence.
struct DeviceSparse
{
    std::int32_t* rows = nullptr;
    float* values = nullptr; ///< [capacity, cols]
    std::int64_t* count = nullptr;
    std::int64_t capacity = 0;
    std::int64_t cols = 0;
    std::int64_t tableRows = 0;
};

} // namespace cannery::kernels
