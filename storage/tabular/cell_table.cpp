// SPDX-License-Identifier: Apache-2.0
#include "storage/tabular/cell_table.h"

namespace cannery::storage {

std::string_view CellTable::value(const CellSpan& span, char quote, std::string& scratch) const
{
    const std::string_view bytes = raw(span);
    // Nearly always: without a copy.
    if (!span.isEscaped()) {
        return bytes;
    }
    scratch.clear();
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        const bool escapes = escape != 0 && bytes[i] == escape && i + 1 < bytes.size();
        scratch.push_back(bytes[escapes ? ++i : i]);
        // A doubled quote is one.
        if (!escapes && bytes[i] == quote) {
            ++i;
        }
    }
    return scratch;
}

bool CellTable::hasOnlyFirst(std::size_t row) const
{
    // In a table of two columns, one empty cell is nothing unusual.
    constexpr std::size_t kFewestColumns = 3;
    if (columns < kFewestColumns || cell(row, 0).length() == 0) {
        return false;
    }
    for (std::size_t column = 1; column < columns; ++column) {
        if (cell(row, column).length() > 0) {
            return false;
        }
    }
    return true;
}

void CellTable::addProblem(RowProblem problem)
{
    ++problemCount;
    // A file with another dialect has a problem in every row.
    if (problems.size() < kMaxProblems) {
        problems.push_back(std::move(problem));
    }
}

void CellTable::clear()
{
    // Keeps the memory: blocks are of similar size, and allocating again would cost more than
    // scanning.
    text = {};
    rowBegins.clear();
    problems.clear();
    problemCount = 0;
    blankLines = 0;
    repeatedHeaders = 0;
    hasHighBytes = false;
    hasNul = false;
}

} // namespace cannery::storage
