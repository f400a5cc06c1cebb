// SPDX-License-Identifier: Apache-2.0
#include "core/survey/hashed_values.h"

#include "core/base/fingerprint.h"
#include "core/spec/column_kinds.h"
#include "core/spec/tensorflow_names.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

namespace cannery::survey {

namespace {

/// The most frequent first, then by text, so that the order is always the same.
bool isBefore(const HashedValue& a, const HashedValue& b)
{
    return std::tie(b.count, a.values) < std::tie(a.count, b.values);
}

} // namespace

Result<HashedValues> HashedValues::create(const spec::FeatureColumn& spec,
                                          features::ColumnBuilder& builder, std::size_t limit)
{
    HashedValues hashed;
    hashed.m_name = spec.name();
    hashed.m_limit = limit;
    CANNERY_TRY_ASSIGN(hashed.m_column, builder.column(spec.name()));
    std::vector<spec::ColumnSource> sources = spec::sourcesOf(spec);
    // A cross of crosses is shown by the values it begins with.
    if (spec::columnKind(spec).has_joined_by()) {
        CANNERY_TRY_ASSIGN(sources, spec::crossLeaves(builder.specs(), spec.name()));
    }
    for (const spec::ColumnSource& source : sources) {
        CANNERY_TRY_ASSIGN(SeenValues input, SeenValues::create(source, builder));
        hashed.m_inputs.push_back(std::move(input));
    }
    hashed.m_places.resize(hashed.m_inputs.size());
    // Cells show which combination of values an id belongs to.
    hashed.m_ids.recordCells = true;
    return hashed;
}

Result<void> HashedValues::readInputs(const features::RawRows& rows)
{
    m_order.clear();
    for (SeenValues& input : m_inputs) {
        CANNERY_TRY(input.read(rows));
    }
    // The encoder hashes in this order, which the numbers of combinations follow.
    for (const bool isSparse : {true, false}) {
        for (std::size_t i = 0; i < m_inputs.size(); ++i) {
            if (m_inputs[i].isSparse() == isSparse) {
                m_order.push_back(i);
            }
        }
    }
    return {};
}

Result<void> HashedValues::add(const features::RawRows& rows, std::span<const float> targets)
{
    CANNERY_TRY(m_column->encodeIds(rows, m_scratch, m_ids));
    CANNERY_TRY(readInputs(rows));
    // Several targets for each row, such as one for each class.
    m_targets = targets.size() / static_cast<std::size_t>(rows.count());
    for (std::int64_t row = 0; row < rows.count(); ++row) {
        const auto index = static_cast<std::size_t>(row);
        const auto own = targets.empty() ? std::span<const float>()
                                         : targets.subspan(index * m_targets, m_targets);
        for (auto i = m_ids.rowOffsets[index]; i < m_ids.rowOffsets[index + 1]; ++i) {
            const auto at = static_cast<std::size_t>(i);
            addOne(row, m_ids.cells[at], m_ids.ids[at], own);
        }
    }
    return {};
}

/// `combination`: its number in the product of the inputs' values, the last hashed varying fastest.
void HashedValues::addOne(std::int64_t row, std::int64_t combination, std::int64_t bucket,
                          std::span<const float> targets)
{
    // The last one varies fastest, so it is taken off first.
    for (std::size_t i = m_order.size(); i-- > 0;) {
        const features::CellRange values = m_inputs[m_order[i]].valuesOf(row);
        const std::int64_t count = values.end - values.begin;
        m_places[m_order[i]] = values.begin + combination % count;
        combination /= count;
    }
    // By the order of the column's inputs, so that equal combinations are equal keys.
    std::uint64_t key = 0;
    for (std::size_t i = 0; i < m_inputs.size(); ++i) {
        key = fingerprintCat64(key, m_inputs[i].keyOf(m_places[i]));
    }
    ++m_occurrences;
    data::CountTable::Slot* slot = m_counts.find(key);
    if (slot->count == 0) {
        // New values beyond the limit are only counted.
        if (m_kept.size() >= m_limit) {
            ++m_uncounted;
            return;
        }
        Kept kept{.values = {}, .bucket = bucket};
        for (std::size_t i = 0; i < m_inputs.size(); ++i) {
            kept.values.push_back(m_inputs[i].textOf(row, m_places[i]));
        }
        slot = &m_counts.at(key);
        slot->tag = m_kept.size();
        m_kept.push_back(std::move(kept));
        m_sums.resize(m_kept.size() * m_targets, 0.0);
    }
    ++slot->count;
    for (std::size_t i = 0; i < targets.size(); ++i) {
        m_sums[slot->tag * m_targets + i] += targets[i];
    }
}

HashedValue HashedValues::valueAt(const data::CountTable::Slot& slot) const
{
    const Kept& kept = m_kept[slot.tag];
    HashedValue value{.values = kept.values, .count = slot.count, .bucket = kept.bucket};
    for (std::size_t i = 0; i < m_targets; ++i) {
        // A mean over the rows that have the value.
        value.means.push_back(m_sums[slot.tag * m_targets + i] / static_cast<double>(slot.count));
    }
    return value;
}

HashedColumn HashedValues::result(std::size_t listed) const
{
    HashedColumn column{.name = m_name,
                        .buckets = m_column->info().width,
                        .occurrences = m_occurrences,
                        .distinct = m_kept.size(),
                        .uncounted = m_uncounted};
    for (const SeenValues& input : m_inputs) {
        column.inputs.push_back(input.name());
    }
    std::unordered_map<std::int64_t, std::uint64_t> inBucket;
    for (const Kept& kept : m_kept) {
        ++inBucket[kept.bucket];
    }
    // Buckets of the counted values only.
    column.bucketsUsed = inBucket.size();
    for (const data::CountTable::Slot& slot : m_counts.slots()) {
        if (slot.count == 0) {
            continue;
        }
        HashedValue value = valueAt(slot);
        value.isShared = inBucket[value.bucket] > 1;
        column.shared += value.isShared ? 1 : 0;
        column.sharedOccurrences += value.isShared ? value.count : 0;
        column.values.push_back(std::move(value));
    }
    const std::size_t shown = std::min(listed, column.values.size());
    // Only the listed ones need an order.
    std::partial_sort(column.values.begin(),
                      column.values.begin() + static_cast<std::ptrdiff_t>(shown),
                      column.values.end(), isBefore);
    column.values.resize(shown);
    return column;
}

} // namespace cannery::survey
