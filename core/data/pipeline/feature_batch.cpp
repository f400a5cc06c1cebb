// SPDX-License-Identifier: Apache-2.0
#include "core/data/pipeline/feature_batch.h"

#include <type_traits>

namespace cannery::data {

namespace {

/// Calls copy(begin, end) for the elements of each row that is kept.
template <typename Copy>
void forKept(const FeatureValues& values, const std::vector<std::int64_t>& kept, const Copy& copy)
{
    const std::int64_t width = values.sparse ? 0 : values.shape.elementCount();
    for (const std::int64_t row : kept) {
        const auto at = static_cast<std::size_t>(row);
        // A list has its own offsets; others have the same width in each row.
        copy(static_cast<std::size_t>(values.sparse ? values.rowOffsets[at] : row * width),
             static_cast<std::size_t>(values.sparse ? values.rowOffsets[at + 1]
                                                    : (row + 1) * width));
    }
}

void keepRows(FeatureValues& values, const std::vector<std::int64_t>& kept)
{
    FeatureElements elements = std::visit(
        [&](const auto& all) -> FeatureElements {
            std::decay_t<decltype(all)> some;
            forKept(values, kept, [&](std::size_t begin, std::size_t end) {
                for (std::size_t i = begin; i < end; ++i) {
                    some.push_back(all[i]);
                }
            });
            return some;
        },
        values.elements);
    if (!values.valid.empty()) {
        std::vector<std::uint8_t> valid;
        forKept(values, kept, [&](std::size_t begin, std::size_t end) {
            valid.insert(valid.end(), values.valid.begin() + static_cast<std::ptrdiff_t>(begin),
                         values.valid.begin() + static_cast<std::ptrdiff_t>(end));
        });
        values.valid = std::move(valid);
    }
    if (values.sparse) {
        std::vector<std::int64_t> offsets{0};
        forKept(values, kept, [&](std::size_t begin, std::size_t end) {
            // Offsets of the rows that are left, counted from 0.
            offsets.push_back(offsets.back() + static_cast<std::int64_t>(end - begin));
        });
        values.rowOffsets = std::move(offsets);
    }
    values.elements = std::move(elements);
}

template <typename T>
void keepRows(std::vector<T>& ofRows, const std::vector<std::int64_t>& kept)
{
    if (ofRows.empty()) {
        return;
    }
    // In place: a row moves forward or stays.
    for (std::size_t i = 0; i < kept.size(); ++i) {
        ofRows[i] = ofRows[static_cast<std::size_t>(kept[i])];
    }
    ofRows.resize(kept.size());
}

} // namespace

void removeRows(FeatureBatch& batch, const std::vector<std::int64_t>& rows)
{
    // The rows that were found unusable are gone, or the numbers are wrong now.
    batch.unusable.clear();
    if (rows.empty()) {
        return;
    }
    std::vector<std::int64_t> kept;
    // Both lists ascend, so one walk is enough.
    auto removed = rows.begin();
    for (std::int64_t row = 0; row < batch.rowCount; ++row) {
        const bool isRemoved = removed != rows.end() && *removed == row;
        removed += isRemoved ? 1 : 0;
        if (!isRemoved) {
            kept.push_back(row);
        }
    }
    for (std::vector<FeatureValues>* list : {&batch.features, &batch.labels}) {
        for (FeatureValues& values : *list) {
            keepRows(values, kept);
        }
    }
    keepRows(batch.fileIndex, kept);
    keepRows(batch.line, kept);
    batch.rowCount = static_cast<std::int64_t>(kept.size());
}

} // namespace cannery::data
