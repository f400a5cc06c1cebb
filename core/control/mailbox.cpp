// SPDX-License-Identifier: Apache-2.0
#include "core/control/mailbox.h"

namespace cannery::control {

void Mailbox::put(const EngineEvent& event)
{
    {
        const std::lock_guard lock(m_mutex);
        if (m_isClosed) {
            return;
        }
        if (const auto* status = std::get_if<reports::EngineStatus>(&event)) {
            // Only the newest state counts.
            m_status = *status;
        } else if (const auto* grown = std::get_if<FileGrew>(&event)) {
            m_files[grown->path] = grown->bytes;
            if (m_files.size() > kMostFiles) {
                m_files.erase(m_files.begin());
            }
        } else if (const auto* line = std::get_if<reports::LogLine>(&event)) {
            m_log.push_back(*line);
            // The oldest lines go, as a log file has them all.
            if (m_log.size() > kMostLogLines) {
                m_log.pop_front();
            }
        } else {
            m_storeChanged = true;
        }
    }
    m_news.notify_one();
}

std::vector<EngineEvent> Mailbox::take(std::chrono::milliseconds longest)
{
    std::unique_lock lock(m_mutex);
    m_news.wait_for(lock, longest, [this] { return hasNews() || m_isClosed; });
    std::vector<EngineEvent> events;
    for (const auto& [path, bytes] : m_files) {
        events.emplace_back(FileGrew{.path = path, .bytes = bytes});
    }
    if (m_storeChanged) {
        events.emplace_back(StoreChanged{});
    }
    for (reports::LogLine& line : m_log) {
        events.emplace_back(std::move(line));
    }
    if (m_status) {
        events.emplace_back(*std::move(m_status));
    }
    m_files.clear();
    m_storeChanged = false;
    m_log.clear();
    m_status.reset();
    return events;
}

void Mailbox::close()
{
    {
        const std::lock_guard lock(m_mutex);
        m_isClosed = true;
    }
    m_news.notify_one();
}

bool Mailbox::isClosed() const
{
    const std::lock_guard lock(m_mutex);
    return m_isClosed;
}

void Mailbox::gather(std::chrono::milliseconds moment)
{
    std::unique_lock lock(m_mutex);
    m_news.wait_for(lock, moment, [this] { return m_isClosed; });
}

bool Mailbox::hasNews() const
{
    return m_status || !m_files.empty() || !m_log.empty() || m_storeChanged;
}

std::size_t Mailbox::size() const
{
    const std::lock_guard lock(m_mutex);
    return (m_status ? 1 : 0) + m_files.size() + m_log.size() + (m_storeChanged ? 1 : 0);
}

} // namespace cannery::control
