// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/control/control_client.h"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace cannery::control {

/// What one watcher has not been told yet, bounded whatever happens: a newer status replaces the
/// older one, so does a newer size of the same file; of log lines the newest stay. put() and
/// close() never wait for the watcher. Any thread puts, one thread takes.
class Mailbox
{
public:
    static constexpr std::size_t kMostFiles = 1024;
    static constexpr std::size_t kMostLogLines = 256;

    void put(const EngineEvent& event);
    /// Waits for something or the end, at most so long.
    /// Files before log lines before the status, so that what a status tells of can be read.
    std::vector<EngineEvent> take(std::chrono::milliseconds longest);
    /// Nothing more will come; what is there can still be taken.
    void close();
    bool isClosed() const;
    /// Lets events gather for a moment; shorter when the mailbox is closed meanwhile.
    void gather(std::chrono::milliseconds moment);

    /// Number of events that wait.
    std::size_t size() const;

private:
    bool hasNews() const;

    mutable std::mutex m_mutex;
    std::condition_variable m_news;
    std::optional<EngineStatus> m_status;
    std::map<std::string, std::uint64_t> m_files;
    std::deque<LogLine> m_log;
    bool m_storeChanged = false;
    bool m_isClosed = false;
};

} // namespace cannery::control
