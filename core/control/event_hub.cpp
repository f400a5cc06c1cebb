// SPDX-License-Identifier: Apache-2.0
#include "core/control/event_hub.h"

#include <algorithm>

namespace cannery::control {

EventHub::Watcher::Watcher(EventHub& hub, std::function<void()> sendAway)
    : m_hub(&hub), m_sendAway(std::move(sendAway))
{
    const std::lock_guard lock(hub.m_mutex);
    // A new watcher gets the current state first.
    for (const auto& [path, bytes] : hub.m_files) {
        m_mailbox.put(FileGrew{.path = path, .bytes = bytes});
    }
    m_mailbox.put(hub.m_status);
    // Training may have ended while it connected.
    if (hub.m_isClosed) {
        m_mailbox.close();
    }
    hub.m_watchers.push_back(this);
}

EventHub::Watcher::~Watcher()
{
    const std::lock_guard lock(m_hub->m_mutex);
    std::erase(m_hub->m_watchers, this);
}

void EventHub::Watcher::beginSending()
{
    const std::lock_guard lock(m_hub->m_mutex);
    m_sendingSince = std::chrono::steady_clock::now();
}

void EventHub::Watcher::endSending()
{
    const std::lock_guard lock(m_hub->m_mutex);
    m_sendingSince.reset();
}

EventHub::EventHub(std::chrono::milliseconds longestSilence) : m_longestSilence(longestSilence) {}

void EventHub::remember(const EngineEvent& event)
{
    if (const auto* status = std::get_if<reports::EngineStatus>(&event)) {
        m_status = *status;
    } else if (const auto* grown = std::get_if<FileGrew>(&event)) {
        m_files[grown->path] = grown->bytes;
        // Any one may go: sizes are looked up again.
        if (m_files.size() > Mailbox::kMostFiles) {
            m_files.erase(m_files.begin());
        }
    }
}

void EventHub::publish(const EngineEvent& event)
{
    const std::lock_guard lock(m_mutex);
    remember(event);
    if (m_watchers.empty()) {
        return;
    }
    // Read once for all watchers.
    const Watcher::Time now = std::chrono::steady_clock::now();
    for (Watcher* watcher : m_watchers) {
        watcher->m_mailbox.put(event);
        // A client that does not read must not fill the memory.
        if (watcher->m_sendingSince && now > *watcher->m_sendingSince + m_longestSilence) {
            watcher->m_sendingSince.reset();
            watcher->m_sendAway();
        }
    }
}

reports::EngineStatus EventHub::status() const
{
    const std::lock_guard lock(m_mutex);
    return m_status;
}

void EventHub::close()
{
    const std::lock_guard lock(m_mutex);
    m_isClosed = true;
    for (Watcher* watcher : m_watchers) {
        watcher->m_mailbox.close();
    }
}

std::size_t EventHub::watcherCount() const
{
    const std::lock_guard lock(m_mutex);
    return m_watchers.size();
}

std::size_t EventHub::longestMailbox() const
{
    const std::lock_guard lock(m_mutex);
    std::size_t longest = 0;
    for (const Watcher* watcher : m_watchers) {
        longest = std::max(longest, watcher->m_mailbox.size());
    }
    return longest;
}

} // namespace cannery::control
