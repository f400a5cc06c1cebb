// SPDX-License-Identifier: Apache-2.0
#include "core/train/sequence_steps.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

namespace cannery::train {
namespace {

constexpr std::int64_t kRowsAtOnce = 1024;

/// What an input reads of the rows.
struct SequenceBlockRef
{
    bool isIds = false;
    std::size_t block = 0;
};

std::vector<SequenceBlockRef> sequencesOf(const graph::LayerGraph& graph)
{
    std::vector<SequenceBlockRef> blocks;
    for (const graph::Input& input : graph.inputs) {
        const graph::Value& value = graph.value(input.value);
        if (value.isSequence || value.kind == graph::ValueKind::Sequence) {
            blocks.push_back({.isIds = value.kind != graph::ValueKind::Sequence,
                              .block = static_cast<std::size_t>(input.block)});
        }
    }
    return blocks;
}

std::span<const std::int64_t> offsetsOf(const features::EncodedRows& rows,
                                        const SequenceBlockRef& sequence)
{
    return sequence.isIds ? rows.ids[sequence.block].rowOffsets
                          : rows.sequences[sequence.block].rowOffsets;
}

/// The longest of some sequences of a row.
std::int64_t stepsOfRow(const features::EncodedRows& rows, std::size_t row,
                        const std::vector<SequenceBlockRef>& sequences)
{
    std::int64_t most = 0;
    for (const SequenceBlockRef& sequence : sequences) {
        const std::span<const std::int64_t> offsets = offsetsOf(rows, sequence);
        most = std::max(most, offsets[row + 1] - offsets[row]);
    }
    return most;
}

} // namespace

Result<std::optional<std::int64_t>> mostSteps(const graph::LayerGraph& graph,
                                              const features::EncodedDataset& rows,
                                              std::int64_t batchSize)
{
    const std::vector<SequenceBlockRef> sequences = sequencesOf(graph);
    if (sequences.empty()) {
        return std::nullopt;
    }
    std::vector<std::int64_t> longest; // of a batch, a heap with the shortest on top
    features::EncodedRows some;
    for (std::int64_t first = 0; first < rows.rowCount(); first += kRowsAtOnce) {
        CANNERY_TRY(rows.gatherRange(first, std::min(kRowsAtOnce, rows.rowCount() - first), some));
        for (std::size_t row = 0; row < static_cast<std::size_t>(some.rowCount); ++row) {
            longest.push_back(stepsOfRow(some, row, sequences));
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
