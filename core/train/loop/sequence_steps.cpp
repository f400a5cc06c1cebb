// SPDX-License-Identifier: Apache-2.0
#include "core/train/loop/sequence_steps.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <vector>

namespace cannery::train {
namespace {

constexpr std::int64_t kRowsAtOnce = 1024;

/// The slots that the graph reads as sequences.
std::vector<int> sequencesOf(const graph::LayerGraph& graph)
{
    std::vector<int> slots;
    for (const graph::Input& input : graph.inputs) {
        const graph::Value& value = graph.value(input.value);
        if (value.isSequence || value.kind == graph::ValueKind::Sequence) {
            slots.push_back(input.slot);
        }
    }
    return slots;
}

/// The longest of some sequences of a row.
std::int64_t stepsOfRow(const features::InputLayout& layout, const features::EncodedRows& rows,
                        std::size_t row, const std::vector<int>& sequences)
{
    std::int64_t most = 0;
    for (const int slot : sequences) {
        const std::vector<std::int64_t>& offsets = features::stepOffsetsOf(layout, slot, rows);
        most = std::max(most, offsets[row + 1] - offsets[row]);
    }
    return most;
}

} // namespace

Result<std::optional<std::int64_t>> mostSteps(const graph::LayerGraph& graph,
                                              const features::InputLayout& layout,
                                              const features::EncodedDataset& rows,
                                              std::int64_t batchSize)
{
    const std::vector<int> sequences = sequencesOf(graph);
    if (sequences.empty()) {
        return std::nullopt;
    }
    std::vector<std::int64_t> longest; // of a batch, a heap with the shortest on top
    features::EncodedRows some;
    for (std::int64_t first = 0; first < rows.rowCount(); first += kRowsAtOnce) {
        CANNERY_TRY(rows.gatherRange(first, std::min(kRowsAtOnce, rows.rowCount() - first), some));
        for (std::size_t row = 0; row < static_cast<std::size_t>(some.rowCount); ++row) {
            longest.push_back(stepsOfRow(layout, some, row, sequences));
            std::push_heap(longest.begin(), longest.end(), std::greater<>());
            if (static_cast<std::int64_t>(longest.size()) > batchSize) {
                std::pop_heap(longest.begin(), longest.end(), std::greater<>());
                longest.pop_back();
            }
        }
    }
    return std::accumulate(longest.begin(), longest.end(), std::int64_t{0});
}

} // namespace cannery::train
