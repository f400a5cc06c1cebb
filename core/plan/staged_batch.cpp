// SPDX-License-Identifier: Apache-2.0
#include "core/plan/staged_batch.h"

#include "core/base/check.h"
#include "core/layers/placement.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <utility>

namespace cannery::plan {

namespace {

constexpr std::int64_t kStagedAlignment = 256;
/// Batches of columns with several ids per row differ in size: an eighth more is expected.
constexpr std::int64_t kRoomShare = 8;

template <typename T>
void writeAll(const std::vector<T>& values, std::byte* to)
{
    std::memcpy(to, values.data(), values.size() * sizeof(T));
}

template <typename T>
T* numbersAt(std::byte* memory, std::int64_t offset)
{
    return reinterpret_cast<T*>(memory + offset);
}

bool isSequence(const graph::Value& value)
{
    return value.kind == graph::ValueKind::Sequence || value.isSequence;
}

/// Where the steps of each row begin; null if the graph reads no sequences. All sequences of a
/// batch have the same steps, so the first that is found will do.
const std::vector<std::int64_t>* anyStepOffsets(const graph::LayerGraph& graph,
                                                const features::EncodedRows& batch)
{
    for (const graph::Input& input : graph.inputs) {
        const graph::Value& value = graph.value(input.value);
        const auto block = static_cast<std::size_t>(input.block);
        if (isSequence(value)) {
            return value.kind == graph::ValueKind::Sequence ? &batch.sequences[block].rowOffsets
                                                            : &batch.ids[block].rowOffsets;
        }
    }
    return nullptr;
}

std::int64_t longestRow(const std::vector<std::int64_t>& offsets)
{
    std::int64_t longest = 0;
    for (std::size_t row = 1; row < offsets.size(); ++row) {
        longest = std::max(longest, offsets[row] - offsets[row - 1]);
    }
    return longest;
}

} // namespace

// Operations are laid out for a number of rows, which must be the same; ids, steps and labels may
// be fewer. The bound of 3/2 admits the next size of roundedSteps(), and no larger one: a longer
// program would give the same, but computes places that hold no step of any row.
bool BatchShape::holds(const BatchShape& other) const
{
    const auto fits = [](const Ids& own, const Ids& others) {
        return others.capacity <= own.capacity && (own.weighted || !others.weighted);
    };
    return rows == other.rows && mostRows == other.mostRows && groupRows == other.groupRows &&
           weightWidth == other.weightWidth && std::ranges::equal(ids, other.ids, fits) &&
           std::ranges::equal(sequences, other.sequences, std::ranges::greater_equal()) &&
           longest >= roundedSteps(other.longest) &&
           2 * longest <= 3 * roundedSteps(other.longest) && labels >= other.labels;
}

std::int64_t roundedSteps(std::int64_t longest)
{
    if (longest == 0) {
        return 0;
    }
    // Sizes are 2^n and 3 · 2^(n - 1): at most a third of the places is padding.
    const auto power =
        static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(longest)));
    const std::int64_t share = std::max(layers::kStepsOfProduct, power / 2);
    return (longest + share - 1) / share * share;
}

BatchShape shapeOf(const graph::LayerGraph& graph, const features::EncodedRows& batch,
                   std::int64_t weightWidth)
{
    BatchShape shape = expectedShape(graph, batch.rowCount, weightWidth);
    for (std::size_t block = 0; block < shape.ids.size(); ++block) {
        // 0 means that the graph does not read the block, so an empty one still counts as 1.
        if (shape.ids[block].capacity > 0) {
            const auto count = static_cast<std::int64_t>(batch.ids[block].ids.size());
            shape.ids[block] = {.capacity = std::max<std::int64_t>(1, count),
                                .weighted = !batch.ids[block].weights.empty()};
        }
    }
    for (std::size_t block = 0; block < shape.sequences.size(); ++block) {
        if (shape.sequences[block] > 0) {
            shape.sequences[block] =
                std::max<std::int64_t>(1, batch.sequences[block].rowOffsets.back());
        }
    }
    if (const std::vector<std::int64_t>* offsets = anyStepOffsets(graph, batch)) {
        shape.longest = std::max<std::int64_t>(1, longestRow(*offsets));
        shape.steps = offsets->back();
    }
    if (shape.stepsAreLabelled) {
        shape.labels = std::max<std::int64_t>(1, shape.steps);
    }
    return shape;
}

BatchShape shapeOf(const graph::LayerGraph& graph, const features::EncodedDataset& table,
                   std::int64_t rows, std::int64_t weightWidth)
{
    BatchShape shape = expectedShape(graph, rows, weightWidth);
    // Such rows have one id in each block: the expected capacity, an id per row, is what they need.
    shape.isPlaced = true;
    for (std::size_t block = 0; block < shape.ids.size(); ++block) {
        shape.ids[block].weighted =
            shape.ids[block].capacity > 0 && table.hasWeightedIds(static_cast<std::int32_t>(block));
    }
    return shape;
}

BatchShape expectedShape(const graph::LayerGraph& graph, std::int64_t rows,
                         std::int64_t weightWidth)
{
    BatchShape shape{.rows = rows, .mostRows = rows, .labels = rows, .weightWidth = weightWidth};
    shape.stepsAreLabelled = graph.value(graph.logits).kind == graph::ValueKind::Sequence;
    for (const graph::Input& input : graph.inputs) {
        const graph::ValueKind kind = graph.value(input.value).kind;
        if (kind == graph::ValueKind::Ids || kind == graph::ValueKind::Indicator) {
            const auto block = static_cast<std::size_t>(input.block);
            shape.ids.resize(std::max(shape.ids.size(), block + 1));
            shape.ids[block].capacity = std::max<std::int64_t>(1, rows);
        }
        if (kind == graph::ValueKind::Sequence) {
            const auto block = static_cast<std::size_t>(input.block);
            shape.sequences.resize(std::max(shape.sequences.size(), block + 1));
            shape.sequences[block] = std::max<std::int64_t>(1, rows);
        }
        if (isSequence(graph.value(input.value))) {
            shape.longest = layers::kStepsOfProduct;
        }
    }
    return shape;
}

BatchShape withRoom(BatchShape shape)
{
    for (BatchShape::Ids& ids : shape.ids) {
        // As many ids as rows: a column with one id per row, which never needs more.
        if (ids.capacity != shape.rows) {
            ids.capacity += ids.capacity / kRoomShare;
        }
    }
    for (std::int64_t& steps : shape.sequences) {
        steps += steps / kRoomShare;
    }
    if (shape.stepsAreLabelled) {
        shape.labels += shape.labels / kRoomShare;
    }
    shape.longest = roundedSteps(shape.longest);
    return shape;
}

BatchShape widened(BatchShape shape, const BatchShape& other)
{
    for (std::size_t block = 0; block < shape.ids.size(); ++block) {
        shape.ids[block].capacity = std::max(shape.ids[block].capacity, other.ids[block].capacity);
        shape.ids[block].weighted = shape.ids[block].weighted || other.ids[block].weighted;
    }
    for (std::size_t block = 0; block < shape.sequences.size(); ++block) {
        shape.sequences[block] = std::max(shape.sequences[block], other.sequences[block]);
    }
    if (shape.stepsAreLabelled) { // otherwise as many as rows
        shape.labels = std::max(shape.labels, other.labels);
    }
    return shape;
}

StagedBatch::StagedBatch(const graph::LayerGraph& graph, std::int64_t labelWidth, BatchShape shape)
    : m_shape(std::move(shape)), m_labelWidth(labelWidth)
{
    m_ids.resize(m_shape.ids.size());
    for (const graph::Input& input : graph.inputs) {
        const graph::Value& value = graph.value(input.value);
        if (value.kind == graph::ValueKind::Dense) {
            addDense(input.block, value.width);
        } else if (value.kind == graph::ValueKind::Sequence) {
            addSequence(input.block, value.width);
        } else {
            addIds(input.block, value.isSequence ? m_stepIdBlocks : m_idBlocks);
        }
    }
    m_labels = add(m_shape.labels * m_labelWidth, sizeof(float));
    if (m_shape.weightWidth > 0) {
        m_weights = add(m_shape.labels * m_shape.weightWidth, sizeof(float));
    }
    // Last, since batches with one id per row all have the same offsets: these are uploaded once,
    // and every further batch only up to here.
    m_bytesOfPlaced = m_bytes;
    for (IdPlaces& places : m_ids) {
        if (places.ids >= 0) {
            places.rowOffsets = add(m_shape.rows + 1, sizeof(std::int64_t));
        }
    }
}

std::int64_t StagedBatch::add(std::int64_t count, std::size_t size)
{
    const std::int64_t offset = m_bytes;
    const std::int64_t bytes = count * static_cast<std::int64_t>(size);
    m_bytes += (bytes + kStagedAlignment - 1) / kStagedAlignment * kStagedAlignment;
    return offset;
}

void StagedBatch::addDense(std::int32_t block, std::int64_t width)
{
    const auto index = static_cast<std::size_t>(block);
    m_dense.resize(std::max(m_dense.size(), index + 1));
    // Several inputs may read one block, which is staged once.
    if (m_dense[index].values < 0) {
        m_dense[index] = {.values = add(m_shape.rows * width, sizeof(float)), .width = width};
        m_denseBlocks.push_back(block);
    }
}

void StagedBatch::addIds(std::int32_t block, std::vector<std::int32_t>& blocks)
{
    const auto index = static_cast<std::size_t>(block);
    IdPlaces& places = m_ids[index];
    if (places.ids < 0) {
        const BatchShape::Ids& ids = m_shape.ids[index];
        places.ids = add(ids.capacity, sizeof(std::int32_t));
        places.weights = ids.weighted ? add(ids.capacity, sizeof(float)) : -1;
        blocks.push_back(block);
    }
}

void StagedBatch::addSequence(std::int32_t block, std::int64_t width)
{
    const auto index = static_cast<std::size_t>(block);
    m_sequences.resize(std::max(m_sequences.size(), index + 1));
    if (m_sequences[index].values < 0) {
        m_sequences[index] = {.rowOffsets = add(m_shape.rows + 1, sizeof(std::int64_t)),
                              .values = add(m_shape.sequences[index] * width, sizeof(float)),
                              .width = width};
        m_sequenceBlocks.push_back(block);
    }
}

void StagedBatch::writeIds(const features::IdBlock& block, const IdPlaces& places,
                           std::byte* memory) const
{
    writeAll(block.rowOffsets, memory + places.rowOffsets);
    writeAll(block.ids, memory + places.ids);
    if (places.weights < 0) {
        return;
    }
    auto* const weights = numbersAt<float>(memory, places.weights);
    // The program reads weights because some batch has them; this one has none, so all are 1.
    if (block.weights.empty()) {
        std::fill_n(weights, block.ids.size(), 1.0F);
    } else {
        std::ranges::copy(block.weights, weights);
    }
}

void StagedBatch::write(const features::EncodedRows& batch, std::span<const float> rowWeights,
                        std::byte* memory) const
{
    CANNERY_CHECK(batch.rowCount == m_shape.rows);
    for (const std::int32_t block : m_denseBlocks) {
        const auto index = static_cast<std::size_t>(block);
        writeAll(batch.dense[index].values, memory + m_dense[index].values);
    }
    for (const auto* blocks : {&m_idBlocks, &m_stepIdBlocks}) {
        for (const std::int32_t block : *blocks) {
            const auto index = static_cast<std::size_t>(block);
            writeIds(batch.ids[index], m_ids[index], memory);
        }
    }
    for (const std::int32_t block : m_sequenceBlocks) {
        const auto index = static_cast<std::size_t>(block);
        writeAll(batch.sequences[index].rowOffsets, memory + m_sequences[index].rowOffsets);
        writeAll(batch.sequences[index].values, memory + m_sequences[index].values);
    }
    if (m_labelWidth > 0) {
        writeAll(batch.labels, memory + m_labels);
    }
    if (m_weights >= 0) {
        std::memcpy(memory + m_weights, rowWeights.data(), rowWeights.size_bytes());
    }
}

features::BatchPlaces StagedBatch::places(std::byte* memory) const
{
    features::BatchPlaces places;
    places.dense.resize(m_dense.size());
    for (const std::int32_t block : m_denseBlocks) {
        places.dense[static_cast<std::size_t>(block)] = dense(block, memory).data;
    }
    places.ids.resize(m_ids.size());
    for (const std::int32_t block : m_idBlocks) {
        const auto index = static_cast<std::size_t>(block);
        const IdPlaces& from = m_ids[index];
        places.ids[index] = {.rowOffsets = numbersAt<std::int64_t>(memory, from.rowOffsets),
                             .ids = numbersAt<std::int32_t>(memory, from.ids),
                             .weights = from.weights < 0 ? nullptr
                                                         : numbersAt<float>(memory, from.weights)};
    }
    places.labels = m_labelWidth > 0 ? labels(memory).data : nullptr;
    places.weights = weights(memory).data;
    return places;
}

void StagedBatch::placeGather(kernels::AcceleratorProgram& program, const StagedBatch& table,
                              std::byte* tableMemory, const kernels::StepData& index,
                              std::byte* memory) const
{
    const auto gatherRows = [&](const kernels::ConstMatrixView& from, kernels::MatrixView to) {
        program.add(kernels::GatherRows{.table = from, .index = index, .dst = to});
    };
    for (const std::int32_t block : m_denseBlocks) {
        gatherRows(table.dense(block, tableMemory), dense(block, memory));
    }
    for (const std::int32_t block : m_idBlocks) {
        const IdPlaces& places = m_ids[static_cast<std::size_t>(block)];
        program.add(kernels::GatherIds{
            .table = table.ids(block, tableMemory),
            .index = index,
            .rows = m_shape.rows,
            .rowOffsets = numbersAt<std::int64_t>(memory, places.rowOffsets),
            .ids = numbersAt<std::int32_t>(memory, places.ids),
            .weights = places.weights < 0 ? nullptr : numbersAt<float>(memory, places.weights),
            .capacity = m_shape.ids[static_cast<std::size_t>(block)].capacity});
    }
    if (m_shape.stepsAreLabelled) {
        return;
    }
    if (m_labelWidth > 0) {
        gatherRows(table.labels(tableMemory), labels(memory));
    }
    if (m_weights >= 0) {
        gatherRows(table.weights(tableMemory), weights(memory));
    }
}

PlacedSequences StagedBatch::placeSequences(kernels::AcceleratorProgram& program,
                                            const StagedBatch& source, std::byte* sourceMemory,
                                            const kernels::StepData& index,
                                            const kernels::StepData& inUse) const
{
    const std::int64_t count = m_shape.rows * m_shape.longest;
    const auto room = [&]<typename T>(std::int64_t size, T*& address) {
        address = reinterpret_cast<T*>(program.scratch(size * std::int64_t{sizeof(T)}));
    };
    kernels::PlaceSteps place{.rowOffsets = source.anyStepOffsets(sourceMemory),
                              .tableRows = source.m_shape.rows,
                              .index = index,
                              .rows = m_shape.rows,
                              .most = m_shape.longest};
    room(count, place.places);
    room(place.rows, place.lengths);
    program.add(place);
    PlacedSequences placed;
    placed.steps = {.lengths = place.lengths, .rows = place.rows, .most = place.most};
    placed.values.resize(m_sequences.size());
    for (const std::int32_t block : m_sequenceBlocks) {
        const auto at = static_cast<std::size_t>(block);
        placed.values[at] = program.scratchMatrix(count, m_sequences[at].width);
        program.add(kernels::GatherSteps{.table = source.sequence(block, sourceMemory),
                                         .places = place.places,
                                         .dst = placed.values[at]});
    }
    placed.ids.resize(m_ids.size());
    const std::int64_t capacity = m_shape.mostRows * m_shape.longest;
    for (const std::int32_t block : m_stepIdBlocks) {
        const auto at = static_cast<std::size_t>(block);
        kernels::GatherStepIds gather{
            .table = source.ids(block, sourceMemory), .places = place.places, .rows = count};
        room(count + 1, gather.rowOffsets);
        room(capacity, gather.ids);
        if (gather.table.weights != nullptr) {
            room(capacity, gather.weights);
        }
        program.add(gather);
        placed.ids[at] = {.rowOffsets = gather.rowOffsets,
                          .ids = gather.ids,
                          .weights = gather.weights,
                          .rows = count,
                          .capacity = capacity,
                          .rowsInUse = inUse};
    }
    if (m_shape.stepsAreLabelled && m_labelWidth > 0) {
        placeLabels(program, source, sourceMemory, place.places, placed);
    }
    return placed;
}

/// Without weights of their own, steps have weight 1.
void StagedBatch::placeLabels(kernels::AcceleratorProgram& program, const StagedBatch& source,
                              std::byte* sourceMemory, const std::int64_t* places,
                              PlacedSequences& placed) const
{
    const std::int64_t count = placed.steps.count();
    placed.labels = program.scratchMatrix(count, m_labelWidth);
    program.add(kernels::GatherSteps{
        .table = source.labels(sourceMemory), .places = places, .dst = placed.labels});
    placed.weights = program.scratchMatrix(count, std::max<std::int64_t>(1, m_shape.weightWidth));
    if (m_shape.weightWidth > 0) {
        program.add(kernels::GatherSteps{
            .table = source.weights(sourceMemory), .places = places, .dst = placed.weights});
        return;
    }
    const kernels::MatrixView ones = program.scratchMatrix(m_shape.rows, 1);
    program.add(kernels::FillValues{.dst = ones, .value = 1.0F});
    program.add(kernels::RepeatSteps{.steps = placed.steps, .src = ones, .dst = placed.weights});
}

const std::int64_t* StagedBatch::anyStepOffsets(std::byte* memory) const
{
    return m_sequenceBlocks.empty() ? ids(m_stepIdBlocks.front(), memory).rowOffsets
                                    : stepOffsets(m_sequenceBlocks.front(), memory);
}

kernels::MatrixView StagedBatch::sequence(std::int32_t block, std::byte* memory) const
{
    const auto index = static_cast<std::size_t>(block);
    const SequencePlace& place = m_sequences[index];
    return {numbersAt<float>(memory, place.values), m_shape.sequences[index], place.width,
            place.width};
}

std::int64_t* StagedBatch::stepOffsets(std::int32_t block, std::byte* memory) const
{
    return numbersAt<std::int64_t>(memory, m_sequences[static_cast<std::size_t>(block)].rowOffsets);
}

kernels::MatrixView StagedBatch::dense(std::int32_t block, std::byte* memory) const
{
    const DensePlace& place = m_dense[static_cast<std::size_t>(block)];
    return {numbersAt<float>(memory, place.values), m_shape.rows, place.width, place.width};
}

kernels::DeviceIds StagedBatch::ids(std::int32_t block, std::byte* memory) const
{
    const auto index = static_cast<std::size_t>(block);
    const IdPlaces& places = m_ids[index];
    return {.rowOffsets = numbersAt<const std::int64_t>(memory, places.rowOffsets),
            .ids = numbersAt<const std::int32_t>(memory, places.ids),
            .weights =
                places.weights < 0 ? nullptr : numbersAt<const float>(memory, places.weights),
            .rows = m_shape.rows,
            .capacity = m_shape.ids[index].capacity};
}

kernels::MatrixView StagedBatch::labels(std::byte* memory) const
{
    return {numbersAt<float>(memory, m_labels), m_shape.labels, m_labelWidth, m_labelWidth};
}

kernels::MatrixView StagedBatch::weights(std::byte* memory) const
{
    if (m_weights < 0) {
        return {};
    }
    return {numbersAt<float>(memory, m_weights), m_shape.labels, m_shape.weightWidth,
            m_shape.weightWidth};
}

} // namespace cannery::plan
