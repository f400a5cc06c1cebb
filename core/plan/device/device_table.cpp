// SPDX-License-Identifier: Apache-2.0
#include "core/plan/device/device_table.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace cannery::plan {

namespace {

/// Read and uploaded at once.
constexpr std::int64_t kRowsAtOnce = 8192;

template <typename Work>
Result<void> forEachPart(const features::EncodedDataset& rows, Work&& work)
{
    features::EncodedRows part;
    for (std::int64_t first = 0; first < rows.rowCount(); first += kRowsAtOnce) {
        CANNERY_TRY(rows.gatherRange(first, std::min(kRowsAtOnce, rows.rowCount() - first), part));
        work(first, part);
    }
    return {};
}

bool areSingle(const std::vector<std::int64_t>& rowOffsets)
{
    for (std::size_t row = 0; row < rowOffsets.size(); ++row) {
        if (rowOffsets[row] != static_cast<std::int64_t>(row)) {
            return false;
        }
    }
    return true;
}

/// Notes where the ids or steps of rows begin that follow `before` others; nothing while all have
/// one.
void note(const std::vector<std::int64_t>& rowOffsets, std::int64_t before,
          std::vector<std::int64_t>& offsets)
{
    if (offsets.empty()) {
        if (areSingle(rowOffsets)) {
            return;
        }
        offsets.resize(static_cast<std::size_t>(before) + 1);
        std::iota(offsets.begin(), offsets.end(), 0);
    }
    const std::int64_t base = offsets.back();
    for (const std::int64_t end : std::span(rowOffsets).subspan(1)) {
        offsets.push_back(base + end);
    }
}

/// The shape of all rows as one batch, and DeviceTable's offsets.
struct Extent
{
    BatchShape shape;
    std::vector<std::vector<std::int64_t>> offsets;
    std::vector<std::vector<std::int64_t>> stepOffsets;
};

/// Of `rows` numbers that offsets tell, if they are not one each.
std::int64_t countOf(const std::vector<std::int64_t>& offsets, std::int64_t rows)
{
    return std::max<std::int64_t>(1, offsets.empty() ? rows : offsets.back());
}

std::int64_t lengthOf(const std::vector<std::int64_t>& offsets, std::int64_t row)
{
    const auto index = static_cast<std::size_t>(row);
    return offsets.empty() ? 1 : offsets[index + 1] - offsets[index];
}

Result<Extent> extentOf(const DeviceTable::Source& source)
{
    Extent extent{.shape = expectedShape(source.graph, source.rows.rowCount(), source.weightWidth)};
    std::vector<BatchShape::Ids>& blocks = extent.shape.ids;
    extent.offsets.resize(blocks.size());
    std::vector<std::int64_t>& sequences = extent.shape.sequences;
    extent.stepOffsets.resize(sequences.size());
    std::int64_t steps = 0;
    CANNERY_TRY(
        forEachPart(source.rows, [&](std::int64_t first, const features::EncodedRows& part) {
            for (std::size_t block = 0; block < blocks.size(); ++block) {
                if (blocks[block].capacity > 0) {
                    note(part.ids[block].rowOffsets, first, extent.offsets[block]);
                    blocks[block].weighted |= !part.ids[block].weights.empty();
                }
            }
            steps += part.labelOffsets.empty() ? 0 : part.labelOffsets.back();
            for (std::size_t block = 0; block < sequences.size(); ++block) {
                if (sequences[block] > 0) {
                    note(part.sequences[block].rowOffsets, first, extent.stepOffsets[block]);
                }
            }
        }));
    for (std::size_t block = 0; block < blocks.size(); ++block) {
        if (blocks[block].capacity > 0) {
            blocks[block].capacity = countOf(extent.offsets[block], extent.shape.rows);
        }
    }
    for (std::size_t block = 0; block < sequences.size(); ++block) {
        if (sequences[block] > 0) {
            sequences[block] = countOf(extent.stepOffsets[block], extent.shape.rows);
        }
    }
    if (extent.shape.stepsAreLabelled) {
        extent.shape.labels = std::max<std::int64_t>(1, steps);
    }
    return extent;
}

template <typename T>
void uploadTo(kernels::Accelerator& accelerator, const T* to, std::span<const T> values)
{
    if (!values.empty()) {
        accelerator.upload(kernels::Queue::Copy, reinterpret_cast<std::byte*>(const_cast<T*>(to)),
                           values.data(), static_cast<std::int64_t>(values.size_bytes()));
    }
}

/// Where the ids or steps of a row begin in the table.
std::int64_t baseOf(const std::vector<std::int64_t>& offsets, std::int64_t row)
{
    return offsets.empty() ? row : offsets[static_cast<std::size_t>(row)];
}

void uploadOffsets(kernels::Accelerator& accelerator, std::vector<std::int64_t> rowOffsets,
                   std::int64_t base, const std::int64_t* to)
{
    for (std::int64_t& offset : rowOffsets) {
        offset += base;
    }
    uploadTo<std::int64_t>(accelerator, to, rowOffsets);
}

} // namespace

Result<std::unique_ptr<DeviceTable>>
DeviceTable::create(kernels::Accelerator& accelerator, const Source& source, std::int64_t mostBytes)
{
    // A model reads all that its rows have, which takes hardly less there than here.
    if (std::cmp_greater(source.rows.byteCount(), std::max<std::int64_t>(0, mostBytes))) {
        return nullptr;
    }
    CANNERY_TRY_ASSIGN(Extent extent, extentOf(source));
    auto table = std::unique_ptr<DeviceTable>(new DeviceTable);
    table->m_layout = StagedBatch(source.graph, source.labelWidth, extent.shape);
    if (table->m_layout.bytes() > mostBytes) {
        return nullptr;
    }
    CANNERY_TRY_ASSIGN(table->m_memory, accelerator.allocate(table->m_layout.bytes()));
    table->m_shape = std::move(extent.shape);
    table->m_offsets = std::move(extent.offsets);
    table->m_stepOffsets = std::move(extent.stepOffsets);
    CANNERY_TRY(table->upload(accelerator, source));
    return table;
}

Result<std::int64_t> DeviceTable::longestRow(const graph::LayerGraph& graph,
                                             const features::EncodedDataset& rows)
{
    std::int64_t longest = 0;
    CANNERY_TRY(forEachPart(rows, [&](std::int64_t, const features::EncodedRows& part) {
        longest = std::max(longest, plan::shapeOf(graph, part, 0).longest);
    }));
    return longest;
}

Result<void> DeviceTable::upload(kernels::Accelerator& accelerator, const Source& source)
{
    std::byte* const memory = m_memory->data();
    CANNERY_TRY(
        forEachPart(source.rows, [&](std::int64_t first, const features::EncodedRows& part) {
            for (const std::int32_t block : m_layout.denseBlocks()) {
                uploadTo<float>(accelerator, m_layout.dense(block, memory).at(first),
                                part.dense[static_cast<std::size_t>(block)].values);
            }
            for (const auto blocks : {m_layout.idBlocks(), m_layout.stepIdBlocks()}) {
                for (const std::int32_t block : blocks) {
                    uploadIds(accelerator, part.ids[static_cast<std::size_t>(block)], block, first);
                }
            }
            for (const std::int32_t block : m_layout.sequenceBlocks()) {
                uploadSequence(accelerator, part.sequences[static_cast<std::size_t>(block)], block,
                               first);
            }
            const std::int64_t label =
                m_shape.stepsAreLabelled ? baseOf(anyStepOffsets(), first) : first;
            if (source.labelWidth > 0) {
                uploadTo<float>(accelerator, m_layout.labels(memory).at(label), part.labels);
            }
            if (source.weightWidth > 0) {
                uploadTo(accelerator, m_layout.weights(memory).at(label), source.weightsOf(part));
            }
        }));
    return accelerator.synchronize();
}

void DeviceTable::uploadIds(kernels::Accelerator& accelerator, const features::IdBlock& ids,
                            std::int32_t block, std::int64_t firstRow)
{
    const kernels::DeviceIds placed = m_layout.ids(block, m_memory->data());
    const std::int64_t base = baseOf(m_offsets[static_cast<std::size_t>(block)], firstRow);
    uploadOffsets(accelerator, ids.rowOffsets, base, placed.rowOffsets + firstRow);
    uploadTo<std::int32_t>(accelerator, placed.ids + base, ids.ids);
    if (placed.weights == nullptr) {
        return;
    }
    const std::vector<float> ones(ids.weights.empty() ? ids.ids.size() : 0, 1.0F);
    uploadTo<float>(accelerator, placed.weights + base, ids.weights.empty() ? ones : ids.weights);
}

void DeviceTable::uploadSequence(kernels::Accelerator& accelerator,
                                 const features::SequenceBlock& sequence, std::int32_t block,
                                 std::int64_t firstRow)
{
    std::byte* const memory = m_memory->data();
    const std::int64_t base = baseOf(m_stepOffsets[static_cast<std::size_t>(block)], firstRow);
    uploadOffsets(accelerator, sequence.rowOffsets, base,
                  m_layout.stepOffsets(block, memory) + firstRow);
    uploadTo<float>(accelerator, m_layout.sequence(block, memory).at(base), sequence.values);
}

/// Those of one sequence: all agree.
const std::vector<std::int64_t>& DeviceTable::anyStepOffsets() const
{
    return m_layout.sequenceBlocks().empty()
               ? m_offsets[static_cast<std::size_t>(m_layout.stepIdBlocks().front())]
               : m_stepOffsets[static_cast<std::size_t>(m_layout.sequenceBlocks().front())];
}

/// Sequences take no memory of a batch: they are put in order of time where they are.
const BatchShape& DeviceTable::shapeOf(std::span<const std::int64_t> rows)
{
    m_shape.rows = static_cast<std::int64_t>(rows.size());
    m_shape.mostRows = m_shape.rows;
    for (const std::int32_t block : m_layout.idBlocks()) {
        const std::vector<std::int64_t>& offsets = m_offsets[static_cast<std::size_t>(block)];
        std::int64_t count = m_shape.rows;
        if (!offsets.empty()) {
            count = std::transform_reduce(rows.begin(), rows.end(), std::int64_t{0}, std::plus<>(),
                                          [&](std::int64_t row) { return lengthOf(offsets, row); });
        }
        m_shape.ids[static_cast<std::size_t>(block)].capacity = std::max<std::int64_t>(1, count);
    }
    for (const std::int32_t block : m_layout.stepIdBlocks()) {
        m_shape.ids[static_cast<std::size_t>(block)].capacity = 0;
    }
    std::ranges::fill(m_shape.sequences, 0);
    if (m_shape.longest > 0) {
        m_shape.longest = 1;
        m_shape.steps = 0;
        for (const std::int64_t row : rows) {
            const std::int64_t length = lengthOf(anyStepOffsets(), row);
            m_shape.longest = std::max(m_shape.longest, length);
            m_shape.steps += length;
        }
    }
    m_shape.labels = m_shape.stepsAreLabelled ? 0 : m_shape.rows;
    return m_shape;
}

void DeviceTable::placeGather(kernels::AcceleratorProgram& program, const StagedBatch& batch,
                              const kernels::StepData& rows, std::byte* memory) const
{
    batch.placeGather(program, m_layout, m_memory->data(), rows, memory);
}

PlacedSequences DeviceTable::placeSequences(kernels::AcceleratorProgram& program,
                                            const StagedBatch& batch, const kernels::StepData& rows,
                                            const kernels::StepData& inUse) const
{
    return batch.placeSequences(program, m_layout, m_memory->data(), rows, inUse);
}

} // namespace cannery::plan
