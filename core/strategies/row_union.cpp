// SPDX-License-Identifier: Apache-2.0
#include "core/strategies/row_union.h"

#include "core/plan/sharding.h"

#include <algorithm>

namespace cannery::strategies {

namespace {

/// Of a tree over any number of ranks.
constexpr std::size_t kMostDepths = 64;

} // namespace

void RowUnion::unite(std::span<const std::span<const std::int32_t>> rowsByRank,
                     std::int64_t tableRows)
{
    m_begins.assign(1, 0);
    for (const std::span<const std::int32_t> rows : rowsByRank) {
        m_begins.push_back(m_begins.back() + rows.size());
    }
    m_rows.resize(m_begins.back());
    m_numbers.resize(m_begins.back());
    m_numbering.begin(static_cast<std::int64_t>(m_begins.back()), tableRows);
    for (std::size_t rank = 0; rank < rowsByRank.size(); ++rank) {
        std::uint32_t* const numbers = m_numbers.data() + m_begins[rank];
        m_numbering.numberAll(
            rowsByRank[rank], tableRows, m_rows.data(),
            [&](std::size_t entry, std::uint32_t number) { numbers[entry] = number; });
    }
    m_rows.resize(static_cast<std::size_t>(m_numbering.count()));
}

RowUnion::Range RowUnion::share(std::size_t owner, std::size_t count) const
{
    const std::size_t first = m_rows.size() * owner / count;
    return {first, m_rows.size() * (owner + 1) / count - first};
}

std::span<const std::uint32_t> RowUnion::numbers(std::size_t rank) const
{
    return std::span(m_numbers).subspan(m_begins[rank], m_begins[rank + 1] - m_begins[rank]);
}

void RowUnion::findPlaces(Range range)
{
    const std::size_t ranks = m_begins.size() - 1;
    m_places.assign(ranks * range.count, 0);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        std::uint32_t* const places = m_places.data() + rank * range.count;
        std::uint32_t place = 0;
        for (const std::uint32_t number : numbers(rank)) {
            if (range.holds(number)) {
                places[number - range.first] = ++place;
            }
        }
    }
}

void RowUnion::sum(Range range, std::span<const float* const> values, std::int64_t cols,
                   std::span<float> sums)
{
    findPlaces(range);
    m_values = values;
    m_count = range.count;
    m_cols = static_cast<std::size_t>(cols);
    m_buffers.resize(2 * kMostDepths * m_cols);
    for (std::size_t row = 0; row < range.count; ++row) {
        const float* const sum = sumOfRow(row, 0, values.size(), 0);
        std::copy(sum, sum + m_cols, sums.data() + row * m_cols);
    }
}

/// Null if none of the ranks has the row.
const float* RowUnion::sumOfRow(std::size_t row, std::size_t firstRank, std::size_t ranks,
                                std::size_t buffer)
{
    if (ranks == 1) {
        const std::uint32_t place = m_places[firstRank * m_count + row];
        return place == 0 ? nullptr : m_values[firstRank] + (place - 1) * m_cols;
    }
    const auto half = static_cast<std::size_t>(plan::leftPart(static_cast<std::int64_t>(ranks)));
    // The two halves of a node have buffers of their own.
    const std::size_t next = (buffer / 2 + 1) * 2;
    const float* const left = sumOfRow(row, firstRank, half, next);
    const float* const right = sumOfRow(row, firstRank + half, ranks - half, next + 1);
    if (left == nullptr && right == nullptr) {
        return nullptr;
    }
    // Beginning with 0 makes -0 a 0, as addSparse() does.
    float* const sum = m_buffers.data() + buffer * m_cols;
    std::fill(sum, sum + m_cols, 0.0F);
    for (const float* const part : {left, right}) {
        for (std::size_t col = 0; part != nullptr && col < m_cols; ++col) {
            sum[col] += part[col];
        }
    }
    return sum;
}

} // namespace cannery::strategies
