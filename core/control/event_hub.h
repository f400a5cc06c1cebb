// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/control/control_client.h"
#include "core/control/mailbox.h"

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace cannery::control {

/// Distributes an engine's events to everyone who watches it. Publishing never waits for a watcher:
/// it copies into mailboxes, and disconnects a watcher whose last delivery has taken too long. Any
/// thread.
class EventHub
{
public:
    /// A watcher, for its lifetime. Starts with the current status and the files' sizes.
    class Watcher
    {
    public:
        /// `sendAway` may be called from any thread and must neither wait nor destroy the watcher.
        Watcher(EventHub& hub, std::function<void()> sendAway);
        ~Watcher();
        Watcher(const Watcher&) = delete;
        Watcher& operator=(const Watcher&) = delete;

        Mailbox& mailbox() { return m_mailbox; }
        /// Brackets every delivery.
        void beginSending();
        void endSending();

    private:
        friend class EventHub;
        using Time = std::chrono::steady_clock::time_point;

        EventHub* m_hub;
        std::function<void()> m_sendAway;
        Mailbox m_mailbox;
        std::optional<Time> m_sendingSince; ///< guarded by the hub
    };

    explicit EventHub(std::chrono::milliseconds longestSilence);

    void publish(const EngineEvent& event);
    reports::EngineStatus status() const;
    /// Nothing more will be published; closes every mailbox.
    void close();

    std::size_t watcherCount() const;
    std::size_t longestMailbox() const;

private:
    void remember(const EngineEvent& event);

    const std::chrono::milliseconds m_longestSilence;
    mutable std::mutex m_mutex;
    std::vector<Watcher*> m_watchers;
    reports::EngineStatus m_status;
    std::map<std::string, std::uint64_t> m_files;
    bool m_isClosed = false;
};

} // namespace cannery::control
