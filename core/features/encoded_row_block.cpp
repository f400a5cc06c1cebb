// SPDX-License-Identifier: Apache-2.0
#include "core/features/encoded_row_block.h"

#include "core/features/step_counts.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace cannery::features {

namespace {

/// More in one block would not fit into the counts of its ids.
constexpr std::int64_t kMostRowsInMessage = std::int64_t{1} << 24U;

std::size_t valueCount(std::int64_t rows, std::int64_t width)
{
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(width);
}

template <typename Field, typename T>
void take(const Field& field, std::vector<T>& values)
{
    values.assign(field.begin(), field.end());
}

template <typename T, typename Field>
void put(const std::vector<T>& values, Field& field)
{
    field.Add(values.begin(), values.end());
}

/// Then the offsets are 0, 1, 2 …
bool hasOneIdEach(const IdBlock& block)
{
    for (std::size_t row = 0; row < block.rowOffsets.size(); ++row) {
        if (block.rowOffsets[row] != static_cast<std::int64_t>(row)) {
            return false;
        }
    }
    return true;
}

/// Where the ids of rows end, for EncodedRows; false when they do not fit the ids.
bool takeEnds(const CategoryIds& ids, std::int64_t rows, std::vector<std::int64_t>& offsets)
{
    // An empty list of ends with ids means one id each; without ids there must be an end for each
    // row.
    // One id in every row is written without ends, see toBlock().
    const bool hasEnds = ids.ends_size() > 0 || (rows > 0 && ids.ids_size() == 0);
    if (hasEnds && ids.ends_size() != rows) {
        return false;
    }
    offsets.assign(1, 0);
    for (std::int64_t row = 0; row < rows; ++row) {
        const std::int64_t end = hasEnds ? ids.ends(static_cast<int>(row)) : row + 1;
        if (end < offsets.back()) {
            return false;
        }
        offsets.push_back(end);
    }
    return offsets.back() == ids.ids_size();
}

bool takeIds(const CategoryIds& from, const InputSlot& slot, std::int64_t rows, IdBlock& to)
{
    const bool isWeighted = slot.weighted && from.ids_size() > 0;
    const bool fits =
        takeEnds(from, rows, to.rowOffsets) &&
        from.weights_size() == (isWeighted ? from.ids_size() : 0) &&
        // Checked, as ids become places in memory. Those below 0 stand for no category.
        std::ranges::all_of(from.ids(), [&](std::int32_t id) { return id < slot.width; });
    if (fits) {
        take(from.ids(), to.ids);
        take(from.weights(), to.weights);
    }
    return fits;
}

bool takeDense(const DenseValues& from, const InputSlot& slot, std::int64_t rows, DenseBlock& to)
{
    if (static_cast<std::size_t>(from.values_size()) != valueCount(rows, slot.width)) {
        return false;
    }
    to.width = slot.width;
    take(from.values(), to.values);
    return true;
}

bool takeSteps(const StepValues& from, const InputSlot& slot, std::int64_t rows, SequenceBlock& to)
{
    if (from.ends_size() != rows) {
        return false;
    }
    to.width = slot.width;
    to.rowOffsets.assign(1, 0);
    for (const std::int64_t end : from.ends()) {
        if (end < to.rowOffsets.back()) {
            return false;
        }
        to.rowOffsets.push_back(end);
    }
    take(from.values(), to.values);
    return to.values.size() == valueCount(to.rowOffsets.back(), slot.width);
}

/// The values of one slot; false if the block's do not fit.
bool takeSlot(const RowFileBlock& block, const InputSlot& slot, EncodedRows& out)
{
    switch (slot.kind) {
    case SlotKind::Dense:
        return slot.block < block.dense_size() &&
               takeDense(block.dense(slot.block), slot, block.rows(),
                         out.dense[static_cast<std::size_t>(slot.block)]);
    case SlotKind::Ids:
        return slot.block < block.ids_size() &&
               takeIds(block.ids(slot.block), slot, block.rows(),
                       out.ids[static_cast<std::size_t>(slot.block)]);
    case SlotKind::Sequence:
        return slot.block < block.sequences_size() &&
               takeSteps(block.sequences(slot.block), slot, block.rows(),
                         out.sequences[static_cast<std::size_t>(slot.block)]);
    }
    return false;
}

/// How many values labels or weights of this width have; rows of a block have them all.
std::size_t labelledCount(const InputLayout& layout, const EncodedRows& rows, std::int64_t width)
{
    return valueCount(layout.labelledSteps < 0 ? rows.rowCount : rows.labelOffsets.back(), width);
}

/// The labels, weights and example ids; false if the block's do not fit.
bool takeLabels(const RowFileBlock& block, const InputLayout& layout, EncodedRows& out)
{
    out.labelOffsets.clear();
    if (layout.labelledSteps >= 0) {
        out.labelOffsets = stepOffsetsOf(layout, layout.labelledSteps, out);
    }
    if (static_cast<std::size_t>(block.labels_size()) !=
            labelledCount(layout, out, layout.labelWidth) ||
        static_cast<std::size_t>(block.weights_size()) !=
            labelledCount(layout, out, layout.weightWidth)) {
        return false;
    }
    take(block.labels(), out.labels);
    take(block.weights(), out.weights);
    out.exampleIds.clear();
    // fromBlock() has checked that there are two for each row.
    for (int i = 0; i < block.example_ids_size(); i += 2) {
        out.exampleIds.push_back({block.example_ids(i), block.example_ids(i + 1)});
    }
    return true;
}

} // namespace

RowFileBlock toBlock(const EncodedRows& rows)
{
    RowFileBlock block;
    block.set_rows(rows.rowCount);
    for (const DenseBlock& dense : rows.dense) {
        put(dense.values, *block.add_dense()->mutable_values());
    }
    for (const IdBlock& ids : rows.ids) {
        CategoryIds& out = *block.add_ids();
        // Left out where they say nothing, which is most columns.
        if (!hasOneIdEach(ids)) {
            out.mutable_ends()->Add(ids.rowOffsets.begin() + 1, ids.rowOffsets.end());
        }
        put(ids.ids, *out.mutable_ids());
        put(ids.weights, *out.mutable_weights());
    }
    for (const SequenceBlock& sequence : rows.sequences) {
        StepValues& out = *block.add_sequences();
        out.mutable_ends()->Add(sequence.rowOffsets.begin() + 1, sequence.rowOffsets.end());
        put(sequence.values, *out.mutable_values());
    }
    put(rows.labels, *block.mutable_labels());
    put(rows.weights, *block.mutable_weights());
    for (const Fingerprint128& id : rows.exampleIds) {
        block.add_example_ids(id.low);
        block.add_example_ids(id.high);
    }
    return block;
}

bool fromBlock(const RowFileBlock& block, const InputLayout& layout, std::span<const int> sequences,
               EncodedRows& out)
{
    const std::int64_t rows = block.rows();
    const auto slots = static_cast<int>(layout.slots.size());
    // Everything that sizes are computed from is checked first: the file may be damaged or foreign.
    if (rows <= 0 || rows > kMostRowsInMessage ||
        block.dense_size() + block.ids_size() + block.sequences_size() != slots ||
        static_cast<std::size_t>(block.example_ids_size()) !=
            valueCount(rows, layout.hasExampleIds ? 2 : 0)) {
        return false;
    }
    out.rowCount = rows;
    out.dense.resize(static_cast<std::size_t>(block.dense_size()));
    out.ids.resize(static_cast<std::size_t>(block.ids_size()));
    out.sequences.resize(static_cast<std::size_t>(block.sequences_size()));
    // Every slot of the layout must be in the block, in the layout's order within its kind.
    for (const InputSlot& slot : layout.slots) {
        if (!takeSlot(block, slot, out)) {
            return false;
        }
    }
    // In this order: the labels of steps have as many values as there are steps.
    return !findUnequalSteps(layout, sequences, out) && takeLabels(block, layout, out);
}

} // namespace cannery::features
