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

/// The undelivered events of one watcher, always bounded: a newer status replaces the older one, as
/// does a newer size of the same file; of log lines the newest are kept. put() and close() never
/// wait for the watcher. Any thread puts, one thread takes.
class Mailbox
{
public:
    static constexpr std::size_t kMostFiles = 1024;
    static constexpr std::size_t kMostLogLines = 256;

    void put(const EngineEvent& event);
    /// Waits for an event or the end, at most this long.
    std::vector<EngineEvent> take(std::chrono::milliseconds longest);
    /// No more events; pending ones can still be taken.
    void close();
    bool isClosed() const;
    /// Lets events accumulate for a moment; less if the mailbox is closed meanwhile.
    void gather(std::chrono::milliseconds moment);

    /// Number of pending events.
    std::size_t size() const;

private:
    bool hasNews() const;

    mutable std::mutex m_mutex;
    std::condition_variable m_news;
    std::optional<reports::EngineStatus> m_status;
    std::map<std::string, std::uint64_t> m_files;
    std::deque<reports::LogLine> m_log;
    bool m_storeChanged = false;
    bool m_isClosed = false;
};

} // namespace cannery::control
