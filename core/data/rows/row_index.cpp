// SPDX-License-Identifier: Apache-2.0
#include "core/data/rows/row_index.h"

#include "core/base/check.h"

#include <algorithm>
#include <iterator>

namespace cannery::data {

void RowIndex::add(const storage::TableChunk& chunk)
{
    CANNERY_CHECK(chunk.offsets.size() == chunk.rows);
    if (m_files.empty() || m_files.back().file != chunk.file) {
        m_files.push_back({.file = chunk.file, .firstRow = m_rows});
    }
    File& file = m_files.back();
    for (const std::uint64_t offset : chunk.offsets) {
        if (file.rows % kEvery == 0) {
            file.marks.push_back(offset);
        }
        ++file.rows;
    }
    file.end = chunk.textEnd;
    m_rows += chunk.rows;
}

RowIndex::Place RowIndex::placeOf(std::uint64_t row) const
{
    CANNERY_CHECK(row < m_rows);
    const auto behind = std::upper_bound(
        m_files.begin(), m_files.end(), row,
        [](std::uint64_t wanted, const File& file) { return wanted < file.firstRow; });
    const File& file = *std::prev(behind);
    const std::uint64_t mark = (row - file.firstRow) / kEvery;
    const auto at = static_cast<std::size_t>(mark);
    return {.range = {.file = file.file,
                      .begin = file.marks[at],
                      .end = at + 1 < file.marks.size() ? file.marks[at + 1] : file.end},
            .firstRow = file.firstRow + mark * kEvery};
}

} // namespace cannery::data
