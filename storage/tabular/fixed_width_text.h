// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/tabular/record_conversion.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

/// Lines whose columns begin at the same places, as printed by programs: cells may hold blanks and
/// may be empty. Places are counted in characters from 0. Blank lines, and rulers such as
/// "---- ------", are not rows.
namespace cannery::storage {

/// Finds the places where columns begin: behind those where every line that it was given has a
/// blank, or ends.
class ColumnFinder
{
public:
    /// Wider lines are not a table of fixed width.
    static constexpr std::size_t kWidestLine = 65'536;

    /// Adds whole lines, each with its end.
    void add(std::string_view lines);
    /// Ascending; empty if a line has a tab or is too wide, or if there is one column.
    std::vector<std::int64_t> starts() const;

private:
    bool addLine(std::string_view line);

    std::vector<std::uint32_t> m_texts; ///< how many lines have a text at each place
    bool m_fits = true;
};

/// How lines become rows.
struct FixedWidth
{
    std::vector<std::int64_t> starts; ///< of the columns, ascending
    std::string header;    ///< lines of the same words are not rows; empty if there is none
    bool isPacked = false; ///< the texts of neighbouring columns may touch
};

/// The first line that is neither blank nor a ruler, without its end; empty if there is none.
std::string_view firstRowLine(std::string_view lines);

/// What blanks separate in a line.
std::vector<std::string_view> wordsOf(std::string_view line);

/// Appends the line as CSV, without a line end; false if it is not a row. A text that crosses the
/// beginning of a column is an error, unless the columns are packed.
tl::expected<bool, std::string> appendFixedWidth(std::string_view line, const FixedWidth& layout,
                                                 std::string& csv);

/// Whether the beginning of a text is such a table, and has no delimiter: some column is mostly
/// numbers, and runs of blanks do not cut every line into as many cells.
bool beginsAsFixedWidth(std::string_view text);

std::unique_ptr<RecordConverter> makeFixedWidthConverter(FixedWidth layout);

} // namespace cannery::storage
