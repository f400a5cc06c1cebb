// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/fingerprint128.h"

#include <cstdint>
#include <string>
#include <vector>

namespace cannery::features {

enum class SlotKind
{
    Dense,    ///< a numeric column: `width` floats per row
    Ids,      ///< a categorical (or bucketized, crossed, weighted) column: ids below `width`. A
              ///< sequence has one id per step, in order; an unknown category keeps its place as -1
    Sequence, ///< a numeric sequence: `width` floats per step
};

/// One transformed column that a model reads: numeric columns as floats, all others as ids.
/// Indicator and embedding columns read the slot of their categorical column.
struct InputSlot
{
    SlotKind kind = SlotKind::Dense;
    std::string column;         ///< feature_column.name, our handle
    std::string tensorflowName; ///< "age", "age_bucketized", "sex_X_job"
    std::int64_t width = 0;     ///< floats per row or step, or number of buckets
    bool weighted = false;      ///< ids carry weights
    std::int32_t block = 0;     ///< index into EncodedRows::dense, ::ids or ::sequences
};

/// What a model reads from a row, in a fixed order. Made by FeatureEncoder, used by estimators.
struct InputLayout
{
    std::vector<InputSlot> slots;
    std::int64_t labelWidth = 0;  ///< floats of label per row, all heads side by side
    std::int64_t weightWidth = 0; ///< one for each head that has a weight_column
    bool hasExampleIds = false;   ///< labelled rows have an EncodedRows::exampleIds
    /// Index of the slot for each of whose steps rows have a label and weights, or -1: they have
    /// one of each. The widths then are those of a step.
    int labelledSteps = -1;

    /// Index of the slot of a feature column, or -1.
    int slotOf(const std::string& column) const;
};

struct DenseBlock
{
    std::int64_t width = 0;
    std::vector<float> values; ///< rows × width, row-major
};

/// Ids of one column, rows back to back. Row r owns [rowOffsets[r], rowOffsets[r + 1]). Negative
/// ids are kept unchanged (a lookup drops them).
struct IdBlock
{
    std::vector<std::int64_t> rowOffsets; ///< rows + 1, begins with 0
    std::vector<std::int32_t> ids;
    std::vector<float> weights; ///< as many as ids, or empty: all 1
};

/// The steps of one numeric sequence, rows back to back, without padding. Row r owns the steps
/// [rowOffsets[r], rowOffsets[r + 1]); it may have none.
struct SequenceBlock
{
    std::int64_t width = 0;
    std::vector<std::int64_t> rowOffsets; ///< in steps, rows + 1, begins with 0
    std::vector<float> values;            ///< steps × width
};

/// Some rows, encoded: just the numbers that a step needs.
struct EncodedRows
{
    std::int64_t rowCount = 0;
    std::vector<DenseBlock> dense;
    std::vector<IdBlock> ids;
    std::vector<SequenceBlock> sequences;
    /// rows × labelWidth. Class labels are stored as ids, multi-label ones as 0/1 per class.
    std::vector<float> labels;
    /// rows × weightWidth.
    std::vector<float> weights;
    /// Only of labelled steps: row r has the labels and weights of the steps [labelOffsets[r],
    /// labelOffsets[r + 1]), those of all rows back to back.
    std::vector<std::int64_t> labelOffsets;
    /// One per row of labelled rows, by which the next epoch finds it again; empty if the layout
    /// has none.
    std::vector<Fingerprint128> exampleIds;

    bool isLabelled() const { return !labels.empty() || !labelOffsets.empty(); }
};

/// Where the steps of a sequence's slot begin, and end, in each row.
const std::vector<std::int64_t>& stepOffsetsOf(const InputLayout& layout, int slot,
                                               const EncodedRows& rows);

} // namespace cannery::features
