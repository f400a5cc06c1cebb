// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/control/local_socket.h"
#include "core/control/socket_budget.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace cannery::control {

inline constexpr ErrorKind kCannotListen{
    "control.cannot_listen", "This training cannot be controlled: cannot listen at {}: {}."};

/// The listening socket of an engine, which decides which clients are accepted: only processes of
/// the same user, and only a limited number at a time. If the limit is reached, the client that has
/// been idle longest is disconnected. If descriptors run out, new clients are rejected.
class ConnectionListener
{
public:
    ConnectionListener() = default;
    ~ConnectionListener();
    ConnectionListener(const ConnectionListener&) = delete;
    ConnectionListener& operator=(const ConnectionListener&) = delete;

    /// Listens at a path. Atomically replaces what a dead engine left there, so that a path that
    /// exists always has a listener; removes other dead sockets next to it. "control.cannot_listen"
    /// if that fails.
    Result<void> listen(const std::string& path, const SocketBudget& budget);
    /// Passes the descriptor of every accepted client to `letIn`, until close(). One thread.
    void receive(const std::function<void(int)>& letIn);
    /// No more clients are accepted; receive() returns. The path is removed unless another engine
    /// has taken it. Any thread, after listen() has returned.
    void close();

    /// The client with this descriptor has sent something. Any thread.
    void noteWord(int descriptor);

private:
    struct Caller
    {
        int descriptor = -1;
        ino_t number = 0; ///< of the socket: its owner closes the descriptor, which may be reused
        std::atomic<bool>* hasSpoken = nullptr;
    };

    void admit(int descriptor, const std::function<void(int)>& letIn);
    bool sendOneAway();
    void forgetThoseWhoLeft();
    void turnAwayOne();

    std::string m_path;
    FileIdentity m_identity;
    std::atomic<int> m_listener = -1;
    std::atomic<bool> m_isClosed = false;
    int m_spare = -1; ///< given up briefly to reject a client when descriptors run out
    std::size_t m_mostCallers = 0;
    std::vector<Caller> m_callers;           ///< longest connected first
    std::vector<std::atomic<bool>> m_spoken; ///< by descriptor
};

/// Removes sockets of dead engines from a folder of sockets.
void sweepDeadSockets(const std::string& folder);

} // namespace cannery::control
