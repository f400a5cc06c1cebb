// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/control/local_socket.h"
#include "core/control/room.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace cannery::control {

inline constexpr ErrorKind kCannotListen{
    "control.cannot_listen", "Nobody can control this training: cannot listen at {}: {}."};

/// The socket of an engine: listens, and decides who comes in. Only processes of the same user do,
/// and only so many at a time; when the house is full, the one who has been in for longest without
/// a word makes room. Descriptors that have run out end nothing: who calls then is turned away.
class Doorkeeper
{
public:
    Doorkeeper() = default;
    ~Doorkeeper();
    Doorkeeper(const Doorkeeper&) = delete;
    Doorkeeper& operator=(const Doorkeeper&) = delete;

    /// Listens at a path. It takes the place of what a dead engine left there in one step, so that
    /// whoever finds the path finds somebody listening; other dead sockets beside it are removed.
    /// "control.cannot_listen" when that cannot be.
    Result<void> listen(const std::string& path, const Room& room);
    /// Hands the descriptor of everybody who may come in to `letIn`, until close(). The one thread.
    void receive(const std::function<void(int)>& letIn);
    /// Nobody comes in any more; receive() returns. The path is removed unless another engine has
    /// taken it. Any thread, after listen() has returned.
    void close();

    /// The caller with this descriptor has said something. Any thread.
    void noteWord(int descriptor);

private:
    struct Caller
    {
        int descriptor = -1;
        ino_t number = 0; ///< of the socket: its owner closes the descriptor, which others may get
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
    int m_spare = -1; ///< given up for a moment to turn away a caller when descriptors run out
    std::size_t m_mostCallers = 0;
    std::vector<Caller> m_callers;           ///< longest there first
    std::vector<std::atomic<bool>> m_spoken; ///< by descriptor
};

/// Removes sockets of engines that are gone from a folder of sockets.
void sweepDeadSockets(const std::string& folder);

} // namespace cannery::control
