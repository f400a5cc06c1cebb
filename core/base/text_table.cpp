// SPDX-License-Identifier: Apache-2.0
#include "core/base/text_table.h"

#include "core/base/printable.h"
#include "core/base/utf8.h"

#include <algorithm>

namespace cannery {

namespace {

std::string padded(const std::string& text, std::size_t width, bool toTheRight)
{
    const std::size_t used = characterCount(text);
    const std::string space(width > used ? width - used : 0, ' ');
    return toTheRight ? space + text : text + space;
}

} // namespace

std::vector<std::string> alignedTable(const std::vector<std::string>& header,
                                      const std::vector<std::vector<std::string>>& rows,
                                      std::size_t firstRight)
{
    std::vector<std::vector<std::string>> cells{header};
    cells.insert(cells.end(), rows.begin(), rows.end());
    for (std::vector<std::string>& row : cells) {
        std::transform(row.begin(), row.end(), row.begin(),
                       [](const std::string& cell) { return printable(cell); });
    }
    std::vector<std::size_t> widths(header.size());
    for (const auto& row : cells) {
        for (std::size_t i = 0; i < widths.size(); ++i) {
            widths[i] = std::max(widths[i], characterCount(row[i]));
        }
    }
    std::vector<std::string> lines;
    const auto addLine = [&](const std::vector<std::string>& row) {
        std::string line;
        for (std::size_t i = 0; i < widths.size(); ++i) {
            line += (i == 0 ? "" : "  ") + padded(row[i], widths[i], i >= firstRight);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        lines.push_back(std::move(line));
    };
    for (const auto& row : cells) {
        addLine(row);
    }
    return lines;
}

} // namespace cannery
