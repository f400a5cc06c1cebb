// SPDX-License-Identifier: Apache-2.0
#include "storage/tabular/csv/lines_below.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

namespace cannery::storage {

namespace {

bool isNarrow(const BadRow& row)
{
    return row.width == BadRow::Width::Narrower;
}

bool hasOtherWidth(const BadRow& row)
{
    return row.width != BadRow::Width::AsTable;
}

} // namespace

void LinesBelow::sift(std::size_t file, std::optional<std::uint64_t> lastRow,
                      std::vector<BadRow>& rows, std::uint64_t& count)
{
    if (file != m_file) {
        endFile();
        m_file = file;
        m_sawRow = false;
    }
    const auto isRow = [](const BadRow& row) { return !hasOtherWidth(row); };
    const bool isListed = rows.size() == count;
    // A row of the right width, even a bad one, follows what was held back: that was inside the
    // table.
    if (lastRow || !isListed || std::any_of(rows.begin(), rows.end(), isRow)) {
        m_sawRow = m_sawRow || lastRow.has_value();
        giveBack(rows, count);
    }
    // A file without any row has no end of its table; if not all bad rows are listed, which are the
    // last is unknown.
    if (!m_sawRow || !isListed) {
        return;
    }
    // Those behind the last row of the right width.
    auto behind = rows.end();
    while (behind != rows.begin() && hasOtherWidth(*std::prev(behind)) &&
           (!lastRow || std::prev(behind)->offset > *lastRow)) {
        --behind;
    }
    // Notes begin with a record that is too narrow; a wider one before it belongs to the table.
    const auto first =
        m_pending.empty() ? std::find_if(behind, rows.end(), isNarrow) : rows.begin();
    count -= static_cast<std::uint64_t>(rows.end() - first);
    std::move(first, rows.end(), std::back_inserter(m_pending));
    rows.erase(first, rows.end());
    // So much text below a table is rather a table with a wrong dialect.
    if (m_pending.size() > kMostLines) {
        giveBack(rows, count);
    }
}

void LinesBelow::giveBack(std::vector<BadRow>& rows, std::uint64_t& count)
{
    count += m_pending.size();
    rows.insert(rows.begin(), std::make_move_iterator(m_pending.begin()),
                std::make_move_iterator(m_pending.end()));
    m_pending.clear();
}

void LinesBelow::endFile()
{
    if (m_pending.empty()) {
        return;
    }
    const BadRow& first = m_pending.front();
    const std::string lines =
        m_pending.size() == 1
            ? fmt::format("line {}, below the table, is not a row", first.line)
            : fmt::format("{} lines from line {} on, below the table, are not rows",
                          m_pending.size(), first.line);
    m_remarks.push_back(fmt::format("{}: {}: {}", first.path, lines, first.text));
    m_count += m_pending.size();
    m_pending.clear();
}

} // namespace cannery::storage
