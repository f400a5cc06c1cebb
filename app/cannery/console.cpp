#include "app/cannery/console.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <unistd.h>

namespace cannery::app {

namespace {

/// Columns a text takes on a terminal: UTF-8 continuation bytes take none.
std::size_t displayWidth(std::string_view text)
{
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
    }));
}

std::string padded(const std::string& text, std::size_t width, bool toTheRight)
{
    const std::size_t used = displayWidth(text);
    const std::string space(width > used ? width - used : 0, ' ');
    return toTheRight ? space + text : text + space;
}

} // namespace

Console::Console() : m_isTerminal(isatty(STDERR_FILENO) == 1) {}

void Console::result(std::string_view line) const
{
    fmt::print(stdout, "{}\n", line);
}

void Console::note(std::string_view line) const
{
    if (!m_quiet) {
        fmt::print(stderr, "{}\n", line);
    }
}

void Console::diagnostic(std::string_view line) const
{
    fmt::print(stderr, "{}\n", line);
}

void Console::problem(const Error& error) const
{
    const std::string where = error.path.empty() ? "" : fmt::format(" [{}]", error.path);
    diagnostic(fmt::format("error: {}{}", error.message(), where));
}

void Console::progress(std::string_view line)
{
    if (m_quiet || !m_isTerminal) {
        return;
    }
    fmt::print(stderr, "\r\033[K{}", line);
    std::fflush(stderr);
    m_hasProgress = true;
}

void Console::clearProgress()
{
    if (m_hasProgress) {
        fmt::print(stderr, "\r\033[K");
        std::fflush(stderr);
        m_hasProgress = false;
    }
}

std::vector<std::string> alignedTable(const std::vector<std::string>& header,
                                      const std::vector<std::vector<std::string>>& rows)
{
    std::vector<std::size_t> widths;
    for (const std::string& cell : header) {
        widths.push_back(displayWidth(cell));
    }
    for (const auto& row : rows) {
        for (std::size_t i = 0; i < widths.size(); ++i) {
            widths[i] = std::max(widths[i], displayWidth(row[i]));
        }
    }
    std::vector<std::string> lines;
    const auto addLine = [&](const std::vector<std::string>& cells) {
        std::string line;
        for (std::size_t i = 0; i < widths.size(); ++i) {
            line += (i == 0 ? "" : "  ") + padded(cells[i], widths[i], i > 0);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        lines.push_back(std::move(line));
    };
    addLine(header);
    for (const auto& row : rows) {
        addLine(row);
    }
    return lines;
}

} // namespace cannery::app
