// SPDX-License-Identifier: Apache-2.0
#include "core/data/sources/refused_rows.h"

#include <algorithm>
#include <utility>

namespace cannery::data {

void RefusedRows::add(RefusedRow row)
{
    ++m_count;
    if (m_kept.size() < m_most) {
        m_kept.push_back(std::move(row));
    }
}

ReadReport RefusedRows::report(std::uint64_t rows) const
{
    ReadReport report{.rows = rows, .badRowCount = m_count};
    for (const RefusedRow& row : m_kept) {
        report.badRows.push_back(row.sentence);
    }
    return report;
}

std::vector<RefusedRow> RefusedRows::from(std::size_t first) const
{
    const auto begin = std::min(first, m_kept.size());
    return {m_kept.begin() + static_cast<std::ptrdiff_t>(begin), m_kept.end()};
}

} // namespace cannery::data
