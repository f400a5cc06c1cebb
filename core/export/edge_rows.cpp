// SPDX-License-Identifier: Apache-2.0
#include "core/export/edge_rows.h"

#include "core/export/tree_model.h"
#include "core/features/feature_column.h"
#include "core/heads/head_catalog.h"
#include "storage/tf/checkpoints/checkpoint_reader.h"
#include "storage/tf/graphs/saved_model_reader.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <type_traits>
#include <utility>

namespace cannery::exporting {

using features::RawEdges;

namespace {

/// Feature and element → numbers, in order of their boundaries.
using Neighbours = std::map<std::pair<std::string, std::int64_t>, std::vector<float>>;

Neighbours neighboursOf(std::span<const RawEdges> edges)
{
    Neighbours result;
    for (const RawEdges& each : edges) {
        std::vector<float>& numbers = result[{each.feature, each.element}];
        for (const std::int32_t place : each.places) {
            for (const std::int32_t beside : {place - 1, place}) {
                const float number = each.order.numberAt(beside);
                // Both floats that a boundary separates are tried, as an export that rounds a
                // boundary by one unit in the last place moves exactly one of them to the other
                // side.
                if (place != features::RawOrder::kNowhere && std::isfinite(number)) {
                    numbers.push_back(number);
                }
            }
        }
    }
    return result;
}

/// A whole number for a feature of integers: the nearest one on the wanted side, if it fits into
/// the int32 that some receivers take.
void put(data::FeatureValues& values, std::size_t at, float number, bool isUp)
{
    std::visit(
        [&](auto& elements) {
            if constexpr (std::is_same_v<std::decay_t<decltype(elements)>,
                                         std::vector<std::int64_t>>) {
                const float whole = isUp ? std::ceil(number) : std::floor(number);
                const bool fits = std::fabs(whole) < 2147483648.0F;
                elements[at] = fits ? static_cast<std::int64_t>(whole) : elements[at];
            } else if constexpr (!std::is_same_v<std::decay_t<decltype(elements)>, StringColumn>) {
                elements[at] = number;
            }
        },
        values.elements);
    if (!values.valid.empty()) {
        values.valid[at] = 1;
    }
}

} // namespace

Result<std::vector<RawEdges>> edgesOf(const features::FeatureEncoder& encoder,
                                      const graph::LoweredModel& lowered, const std::string& folder)
{
    std::vector<RawEdges> edges;
    for (const auto& column : encoder.columns()) {
        column->addEdges(edges);
    }
    if (lowered.learner == nullptr) {
        return edges;
    }
    // A tree's cuts are in the checkpoint of the export itself, not in the encoder's columns.
    CANNERY_TRY_ASSIGN(const storage::SavedModelContent content, storage::readSavedModel(folder));
    std::vector<storage::HostTensor> held;
    std::vector<storage::NamedTensor> tensors;
    if (content.checkpointPrefix) {
        CANNERY_TRY_ASSIGN(const storage::CheckpointReader reader,
                           storage::CheckpointReader::open(*content.checkpointPrefix));
        // The tensors are views, so what they look at must not move while more are read.
        held.reserve(reader.entries().size());
        for (const storage::CheckpointEntry& entry : reader.entries()) {
            CANNERY_TRY_ASSIGN(storage::HostTensor value, reader.read(entry.name));
            tensors.push_back({entry.name, held.emplace_back(std::move(value))});
        }
    }
    CANNERY_TRY_ASSIGN(const auto head, heads::makeHead(lowered));
    CANNERY_TRY_ASSIGN(const TreeModel model, TreeModel::read({.learner = *lowered.learner,
                                                               .encoder = encoder,
                                                               .outputs = head->logitsWidth(),
                                                               .tensors = tensors}));
    CANNERY_TRY(model.addEdges(edges));
    return edges;
}

std::int64_t putEdges(std::span<const RawEdges> edges, data::FeatureBatch& rows)
{
    const auto rowCount = static_cast<std::size_t>(rows.rowCount);
    std::size_t changed = 0;
    if (rowCount == 0) {
        return 0;
    }
    // Every feature uses the rows from the first on, so one pass over them tests all features.
    for (const auto& [place, numbers] : neighboursOf(edges)) {
        const auto values =
            std::ranges::find(rows.features, place.first, &data::FeatureValues::name);
        if (values == rows.features.end() || values->sparse || numbers.empty()) {
            continue;
        }
        const auto width = static_cast<std::size_t>(values->shape.elementCount());
        // Odd, for numbers on both sides.
        const std::size_t step = (numbers.size() + rowCount - 1) / rowCount | 1U;
        for (std::size_t row = 0; row < rowCount; ++row) {
            const std::size_t which = row * step % numbers.size();
            for (std::size_t element = 0; element < width; ++element) {
                if (place.second < 0 || static_cast<std::size_t>(place.second) == element) {
                    put(*values, row * width + element, numbers[which], which % 2 != 0);
                }
            }
        }
        changed = std::max(changed, std::min(rowCount, numbers.size()));
    }
    return static_cast<std::int64_t>(changed);
}

} // namespace cannery::exporting
