#include "app/cannery/console.h"

#include "app/cannery/json_output.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <unistd.h>

namespace cannery::app {

namespace {

constexpr double kAdvanceSeconds = 0.1;

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

void Console::failure(const Error& error) const
{
    if (m_json) {
        result(errorJson(error));
    }
    problem(error);
}

void Console::advance(double share, const std::string& message)
{
    const double now =
        std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    if (share < 1 && now < m_lastAdvance + kAdvanceSeconds) {
        return;
    }
    m_lastAdvance = now;
    if (m_jsonProgress) {
        diagnostic(progressJson(share, message));
        std::fflush(stderr);
    } else if (share < 0) {
        progress(message);
    } else {
        progress(fmt::format("{:3.0f} %  {}", 100 * share, message));
    }
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
