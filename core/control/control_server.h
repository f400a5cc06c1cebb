// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/control/control_client.h"
#include "core/control/controlled_engine.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace cannery::control {

/// Both ends must speak the same version; raised with every change that an old end would not
/// understand.
inline constexpr std::int32_t kProtocolVersion = 1;

/// The engine's end of the door: listens at the socket of its run folder, tells watchers what
/// happens and hands commands on. It opens on a thread of its own, so that nobody waits for it; a
/// door that cannot be opened is no reason not to train, nor is any caller one to end: only
/// processes of this user come in, so many at most, and who says nothing is sent away. The owner of
/// the run folder (RunLock) is the only one who makes a server for it. No process may be forked
/// once one was made.
class ControlServer
{
public:
    struct Options
    {
        std::string runFolder;
        std::int32_t version = kProtocolVersion;
        /// A watcher that takes nothing for so long is sent away.
        std::chrono::milliseconds longestSilence = std::chrono::seconds(10);
        /// So many callers at most; fewer where files are scarce.
        std::size_t mostCallers = 64;
        /// A caller that asks for nothing for so long is sent away.
        std::chrono::milliseconds longestIdle = std::chrono::seconds(30);
        /// Several events of a moment are told at once.
        std::chrono::milliseconds shortestPause = std::chrono::milliseconds(20);
        /// What a watcher has at the end to take what it was not told yet.
        std::chrono::milliseconds longestGoodbye = std::chrono::seconds(2);
    };

    /// `engine` outlives the server.
    ControlServer(const Options& options, ControlledEngine& engine);
    /// Tells watchers what they have not been told yet, then sends them away.
    ~ControlServer();
    ControlServer(const ControlServer&) = delete;
    ControlServer& operator=(const ControlServer&) = delete;

    /// Tells every watcher; takes the time of a copy for each. Any thread.
    void publish(const EngineEvent& event);

    /// Waits until the door is open or has failed to open.
    Result<void> waitUntilOpen();
    /// Why the door could not be opened; nothing while it is being opened. Any thread.
    std::optional<Error> failure() const;
    /// Of the socket; empty while it is not open.
    std::string socketPath() const;

    std::size_t watcherCount() const;
    /// Events that wait for the watcher with the most of them.
    std::size_t longestMailbox() const;

private:
    class Private;
    std::unique_ptr<Private> m_private;
};

} // namespace cannery::control
