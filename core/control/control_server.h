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

/// Both sides must speak the same version; incremented with every incompatible change.
inline constexpr std::int32_t kProtocolVersion = 1;

/// The engine's control socket: listens at the socket of its run folder, reports events to watchers
/// and forwards commands. It opens on its own thread, so nothing waits for it; failing to open it
/// does not prevent training, and no client can end it: only processes of the same user are
/// accepted, in limited number, and idle ones are disconnected. Only the owner of the run folder
/// (RunLock) creates its server. No process may be forked after one was created.
class ControlServer
{
public:
    struct Options
    {
        std::string runFolder;
        std::int32_t version = kProtocolVersion;
        /// A watcher that reads nothing for this long is disconnected.
        std::chrono::milliseconds longestSilence = std::chrono::seconds(10);
        /// Maximum number of clients; fewer if descriptors are scarce.
        std::size_t mostCallers = 64;
        /// A client that sends no request for this long is disconnected.
        std::chrono::milliseconds longestIdle = std::chrono::seconds(30);
        /// Events within this interval are sent together.
        std::chrono::milliseconds shortestPause = std::chrono::milliseconds(20);
        /// Time for a watcher to receive its remaining events at the end.
        std::chrono::milliseconds longestGoodbye = std::chrono::seconds(2);
    };

    /// `engine` must outlive the server.
    ControlServer(const Options& options, ControlledEngine& engine);
    /// Sends watchers their remaining events, then disconnects them.
    ~ControlServer();
    ControlServer(const ControlServer&) = delete;
    ControlServer& operator=(const ControlServer&) = delete;

    /// Informs every watcher; takes the time of one copy for each. Any thread.
    void publish(const EngineEvent& event);

    /// Waits until the socket is open or has failed to open.
    Result<void> waitUntilOpen();
    /// Why the socket could not be opened; nothing while it is being opened. Any thread.
    std::optional<Error> failure() const;
    /// Path of the socket; empty while it is not open.
    std::string socketPath() const;

    std::size_t watcherCount() const;
    /// Events pending for the watcher with the most of them.
    std::size_t longestMailbox() const;

private:
    class Private;
    std::unique_ptr<Private> m_private;
};

} // namespace cannery::control
