// SPDX-License-Identifier: Apache-2.0
#include "core/plan/staged_batch.h"

#include "core/base/check.h"

#include <algorithm>
#include <cstring>
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

void growTo(std::size_t count, std::vector<std::int64_t>& places)
{
    places.resize(std::max(places.size(), count), -1);
}

} // namespace

bool BatchShape::holds(const BatchShape& other) const
{
    const auto fits = [](const Ids& own, const Ids& others) {
        return others.capacity <= own.capacity && (own.weighted || !others.weighted);
    };
    return rows == other.rows && weightWidth == other.weightWidth &&
           std::ranges::equal(ids, other.ids, fits);
}

BatchShape shapeOf(const graph::LayerGraph& graph, const features::EncodedRows& batch,
                   std::int64_t weightWidth)
{
    BatchShape shape = expectedShape(graph, batch.rowCount, weightWidth);
    for (std::size_t block = 0; block < shape.ids.size(); ++block) {
        if (shape.ids[block].capacity > 0) {
            const auto count = static_cast<std::int64_t>(batch.ids[block].ids.size());
            shape.ids[block] = {.capacity = std::max<std::int64_t>(1, count),
                                .weighted = !batch.ids[block].weights.empty()};
        }
    }
    return shape;
}

BatchShape expectedShape(const graph::LayerGraph& graph, std::int64_t rows,
                         std::int64_t weightWidth)
{
    BatchShape shape{.rows = rows, .weightWidth = weightWidth};
    for (const graph::Input& input : graph.inputs) {
        const graph::ValueKind kind = graph.value(input.value).kind;
        if (kind == graph::ValueKind::Ids || kind == graph::ValueKind::Indicator) {
            const auto block = static_cast<std::size_t>(input.block);
            shape.ids.resize(std::max(shape.ids.size(), block + 1));
            shape.ids[block].capacity = std::max<std::int64_t>(1, rows);
        }
    }
    return shape;
}

BatchShape withRoom(BatchShape shape)
{
    for (BatchShape::Ids& ids : shape.ids) {
        if (ids.capacity != shape.rows) {
            ids.capacity += ids.capacity / kRoomShare;
        }
    }
    return shape;
}

StagedBatch::StagedBatch(const graph::LayerGraph& graph, const heads::Head& head, BatchShape shape)
    : m_shape(std::move(shape)), m_labelWidth(head.labelWidth())
{
    m_ids.resize(m_shape.ids.size());
    for (const graph::Input& input : graph.inputs) {
        const graph::Value& value = graph.value(input.value);
        const auto block = static_cast<std::size_t>(input.block);
        if (value.kind == graph::ValueKind::Dense) {
            growTo(block + 1, m_dense);
            if (m_dense[block] < 0) {
                m_dense[block] = add(m_shape.rows * value.width, sizeof(float));
            }
        } else if (value.kind != graph::ValueKind::Sequence && m_ids[block].rowOffsets < 0) {
            const BatchShape::Ids& ids = m_shape.ids[block];
            m_ids[block].rowOffsets = add(m_shape.rows + 1, sizeof(std::int64_t));
            m_ids[block].ids = add(ids.capacity, sizeof(std::int32_t));
            m_ids[block].weights = ids.weighted ? add(ids.capacity, sizeof(float)) : -1;
        }
    }
    m_labels = add(m_shape.rows * m_labelWidth, sizeof(float));
    if (m_shape.weightWidth > 0) {
        m_weights = add(m_shape.rows * m_shape.weightWidth, sizeof(float));
    }
}

std::int64_t StagedBatch::add(std::int64_t count, std::size_t size)
{
    const std::int64_t offset = m_bytes;
    const std::int64_t bytes = count * static_cast<std::int64_t>(size);
    m_bytes += (bytes + kStagedAlignment - 1) / kStagedAlignment * kStagedAlignment;
    return offset;
}

void StagedBatch::writeIds(const features::IdBlock& block, std::size_t index,
                           std::byte* memory) const
{
    const IdPlaces& places = m_ids[index];
    writeAll(block.rowOffsets, memory + places.rowOffsets);
    writeAll(block.ids, memory + places.ids);
    if (places.weights < 0) {
        return;
    }
    auto* const weights = reinterpret_cast<float*>(memory + places.weights);
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
    for (std::size_t block = 0; block < m_dense.size(); ++block) {
        if (m_dense[block] >= 0) {
            writeAll(batch.dense[block].values, memory + m_dense[block]);
        }
    }
    for (std::size_t block = 0; block < m_ids.size(); ++block) {
        if (m_ids[block].rowOffsets >= 0) {
            writeIds(batch.ids[block], block, memory);
        }
    }
    writeAll(batch.labels, memory + m_labels);
    if (m_weights >= 0) {
        std::memcpy(memory + m_weights, rowWeights.data(), rowWeights.size_bytes());
    }
}

float* StagedBatch::dense(std::int32_t block, std::byte* memory) const
{
    return reinterpret_cast<float*>(memory + m_dense[static_cast<std::size_t>(block)]);
}

kernels::DeviceIds StagedBatch::ids(std::int32_t block, std::byte* memory) const
{
    const auto index = static_cast<std::size_t>(block);
    const IdPlaces& places = m_ids[index];
    return {.rowOffsets = reinterpret_cast<const std::int64_t*>(memory + places.rowOffsets),
            .ids = reinterpret_cast<const std::int32_t*>(memory + places.ids),
            .weights = places.weights < 0 ? nullptr
                                          : reinterpret_cast<const float*>(memory + places.weights),
            .rows = m_shape.rows,
            .capacity = m_shape.ids[index].capacity};
}

kernels::ConstMatrixView StagedBatch::labels(std::byte* memory) const
{
    return {reinterpret_cast<const float*>(memory + m_labels), m_shape.rows, m_labelWidth,
            m_labelWidth};
}

kernels::ConstMatrixView StagedBatch::weights(std::byte* memory) const
{
    if (m_weights < 0) {
        return {};
    }
    return {reinterpret_cast<const float*>(memory + m_weights), m_shape.rows, m_shape.weightWidth,
            m_shape.weightWidth};
}

} // namespace cannery::plan
