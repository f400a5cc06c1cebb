// SPDX-License-Identifier: Apache-2.0
#include "core/plan/device_table.h"

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

bool areSingle(const features::IdBlock& ids)
{
    for (std::size_t row = 0; row < ids.rowOffsets.size(); ++row) {
        if (ids.rowOffsets[row] != static_cast<std::int64_t>(row)) {
            return false;
        }
    }
    return true;
}

/// Notes where the ids of rows begin that follow `before` others; nothing while all have one.
void note(const features::IdBlock& ids, std::int64_t before, std::vector<std::int64_t>& offsets)
{
    if (offsets.empty()) {
        if (areSingle(ids)) {
            return;
        }
        offsets.resize(static_cast<std::size_t>(before) + 1);
        std::iota(offsets.begin(), offsets.end(), 0);
    }
    const std::int64_t base = offsets.back();
    for (const std::int64_t end : std::span(ids.rowOffsets).subspan(1)) {
        offsets.push_back(base + end);
    }
}

/// The shape of all rows as one batch, and DeviceTable's offsets.
struct Extent
{
    BatchShape shape;
    std::vector<std::vector<std::int64_t>> offsets;
};

Result<Extent> extentOf(const DeviceTable::Source& source)
{
    Extent extent{.shape = expectedShape(source.graph, source.rows.rowCount(), source.weightWidth)};
    std::vector<BatchShape::Ids>& blocks = extent.shape.ids;
    extent.offsets.resize(blocks.size());
    CANNERY_TRY(
        forEachPart(source.rows, [&](std::int64_t first, const features::EncodedRows& part) {
            for (std::size_t block = 0; block < blocks.size(); ++block) {
                if (blocks[block].capacity > 0) {
                    note(part.ids[block], first, extent.offsets[block]);
                    blocks[block].weighted |= !part.ids[block].weights.empty();
                }
            }
        }));
    for (std::size_t block = 0; block < blocks.size(); ++block) {
        if (!extent.offsets[block].empty()) {
            blocks[block].capacity = std::max<std::int64_t>(1, extent.offsets[block].back());
        }
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
    table->m_layout = StagedBatch(source.graph, source.head, extent.shape);
    if (table->m_layout.bytes() > mostBytes) {
        return nullptr;
    }
    CANNERY_TRY_ASSIGN(table->m_memory, accelerator.allocate(table->m_layout.bytes()));
    table->m_shape = std::move(extent.shape);
    table->m_offsets = std::move(extent.offsets);
    CANNERY_TRY(table->upload(accelerator, source));
    return table;
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
            for (const std::int32_t block : m_layout.idBlocks()) {
                uploadIds(accelerator, part.ids[static_cast<std::size_t>(block)], block, first);
            }
            uploadTo<float>(accelerator, m_layout.labels(memory).at(first), part.labels);
            if (source.weightWidth > 0) {
                uploadTo(accelerator, m_layout.weights(memory).at(first), source.weightsOf(part));
            }
        }));
    return accelerator.synchronize();
}

void DeviceTable::uploadIds(kernels::Accelerator& accelerator, const features::IdBlock& ids,
                            std::int32_t block, std::int64_t firstRow)
{
    const kernels::DeviceIds placed = m_layout.ids(block, m_memory->data());
    const std::vector<std::int64_t>& known = m_offsets[static_cast<std::size_t>(block)];
    const std::int64_t base = known.empty() ? firstRow : known[static_cast<std::size_t>(firstRow)];
    std::vector<std::int64_t> offsets = ids.rowOffsets;
    for (std::int64_t& offset : offsets) {
        offset += base;
    }
    uploadTo<std::int64_t>(accelerator, placed.rowOffsets + firstRow, offsets);
    uploadTo<std::int32_t>(accelerator, placed.ids + base, ids.ids);
    if (placed.weights == nullptr) {
        return;
    }
    const std::vector<float> ones(ids.weights.empty() ? ids.ids.size() : 0, 1.0F);
    uploadTo<float>(accelerator, placed.weights + base, ids.weights.empty() ? ones : ids.weights);
}

const BatchShape& DeviceTable::shapeOf(std::span<const std::int64_t> rows)
{
    m_shape.rows = static_cast<std::int64_t>(rows.size());
    for (const std::int32_t block : m_layout.idBlocks()) {
        const std::vector<std::int64_t>& offsets = m_offsets[static_cast<std::size_t>(block)];
        std::int64_t count = m_shape.rows;
        if (!offsets.empty()) {
            count = std::transform_reduce(rows.begin(), rows.end(), std::int64_t{0}, std::plus<>(),
                                          [&](std::int64_t row) {
                                              return offsets[static_cast<std::size_t>(row) + 1] -
                                                     offsets[static_cast<std::size_t>(row)];
                                          });
        }
        m_shape.ids[static_cast<std::size_t>(block)].capacity = std::max<std::int64_t>(1, count);
    }
    return m_shape;
}

void DeviceTable::placeGather(kernels::AcceleratorProgram& program, const StagedBatch& batch,
                              const kernels::StepData& rows, std::byte* memory) const
{
    batch.placeGather(program, m_layout, m_memory->data(), rows, memory);
}

} // namespace cannery::plan
