// SPDX-License-Identifier: Apache-2.0
#include "core/launch/task_output.h"

#include "storage/io/readable_file.h"

#include <fmt/core.h>

#include <algorithm>

namespace cannery::launch {

namespace {

constexpr std::size_t kMostResult = std::size_t{1} << 20U;
constexpr std::size_t kMostTail = std::size_t{16} << 10U;

/// What is left of a line on a terminal after the last time it was cleared.
std::string_view lastState(std::string_view line)
{
    const std::size_t clear = line.rfind(LaunchOutput::kClearLine);
    return clear == std::string_view::npos ? line
                                           : line.substr(clear + LaunchOutput::kClearLine.size());
}

} // namespace

void TaskOutput::takeDiagnostics(std::string_view bytes)
{
    m_rest += bytes;
    std::size_t begin = 0;
    for (std::size_t end = m_rest.find('\n'); end != std::string::npos;
         end = m_rest.find('\n', begin)) {
        show(lastState(std::string_view(m_rest).substr(begin, end - begin)));
        begin = end + 1;
    }
    m_rest.erase(0, begin);
    const std::string_view state = lastState(m_rest);
    if (state.size() < m_rest.size()) {
        if (state.empty()) {
            m_output.clearProgress();
        } else {
            const std::string_view line = state.substr(0, state.find('\r'));
            m_output.progress(m_note.empty() ? std::string(line)
                                             : fmt::format("{}  {}", line, m_note));
        }
        m_rest = std::string(LaunchOutput::kClearLine) + std::string(state);
    }
}

void TaskOutput::takeResult(std::string_view bytes)
{
    m_result += bytes.substr(0, kMostResult - std::min(kMostResult, m_result.size()));
    log(bytes);
}

void TaskOutput::ended()
{
    m_output.clearProgress();
    if (!m_rest.empty() && !m_rest.starts_with(LaunchOutput::kClearLine)) {
        show(m_rest);
    }
    m_rest.clear();
}

void TaskOutput::show(std::string_view line)
{
    m_output.clearProgress();
    m_output.diagnostic(line);
    log(std::string(line) + "\n");
}

void TaskOutput::log(std::string_view text)
{
    (void)m_log->append(text).and_then([&] { return m_log->flush(); });
}

std::vector<std::string> lastLines(const std::string& file, std::size_t count)
{
    const auto opened = storage::ReadableFile::open(file);
    const std::uint64_t size = opened ? opened->size().value_or(0) : 0;
    std::string text(std::min<std::uint64_t>(size, kMostTail), '\0');
    const auto read =
        opened ? opened->readAt(size - text.size(), std::as_writable_bytes(std::span(text)))
               : Result<std::size_t>(0);
    text.resize(read.value_or(0));
    while (text.ends_with('\n')) {
        text.pop_back();
    }
    std::vector<std::string> lines;
    while (!text.empty() && lines.size() < count) {
        const std::size_t begin = text.rfind('\n') + 1; // 0 if there is none
        lines.push_back(text.substr(begin));
        text.resize(begin == 0 ? 0 : begin - 1);
    }
    std::reverse(lines.begin(), lines.end());
    return lines;
}

} // namespace cannery::launch
