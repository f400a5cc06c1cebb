// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/reports/engine_status.pb.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>

namespace cannery::control {

/// "File F reached byte N": flushed bytes may be read.
struct FileGrew
{
    std::string path; ///< absolute
    std::uint64_t bytes = 0;
};

/// A checkpoint, an evaluation or an export was written: the store has changed.
struct StoreChanged
{};

using EngineEvent = std::variant<reports::EngineStatus, FileGrew, reports::LogLine, StoreChanged>;

/// The client side of an engine's control socket: a local socket in the user's runtime folder that
/// belongs to a run folder. Calls block for at most two seconds. "control.not_running" if no engine
/// trains there, "control.version" if the engine speaks another version. Any thread, one at a time.
class ControlClient
{
public:
    static Result<ControlClient> connect(const std::string& runFolder);

    ControlClient(ControlClient&&) noexcept;
    ControlClient& operator=(ControlClient&&) noexcept;
    ~ControlClient();

    Result<reports::EngineStatus> status();
    Result<void> pause();
    Result<void> resume();
    /// Saves, evaluates as at the end of training, then ends. Acknowledged at once.
    Result<void> stopAndKeep();
    /// Ends without saving; the last checkpoint stays.
    Result<void> stopWithoutSaving();
    Result<void> checkpointNow();

    /// Calls `listener` for every event until the engine ends or cancelWatch() is called, from the
    /// calling thread. Starts with the current status and the sizes of the event files. A slow
    /// listener misses statuses and wake-ups that newer ones replace, but never delays the engine.
    Result<void> watch(const std::function<void(const EngineEvent&)>& listener);
    /// Any thread.
    void cancelWatch();

private:
    class Private;
    explicit ControlClient(std::unique_ptr<Private> parts);
    std::unique_ptr<Private> m_private;
};

} // namespace cannery::control
