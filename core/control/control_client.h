// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace cannery::control {

/// A task of a cluster. Seconds are of its last step.
struct WorkerStatus
{
    std::string task;  ///< "worker:1"
    std::string state; ///< "starting", "running", "waiting", "lost" or "done"
    std::int64_t step = 0;
    std::optional<double> stepSeconds;    ///< in all
    std::optional<double> waitSeconds;    ///< of them, for other tasks
    std::optional<double> networkSeconds; ///< of them, for the network
    int restarts = 0;                     ///< seen by the chief

    bool operator==(const WorkerStatus&) const = default;
};

/// Status of an engine. Times in seconds since 1970, fractions in [0, 1].
struct EngineStatus
{
    std::string runFolder; ///< absolute
    std::string state;     ///< a RunState's name: "Running"
    std::string reason;
    std::int64_t globalStep = 0;
    std::optional<std::int64_t> maxSteps;
    double loss = 0;
    double stepsPerSecond = 0; ///< 0: not known yet
    double rowsPerSecond = 0;
    double epochs = 0;
    std::optional<double>
        secondsLeft; ///< includes evaluations and saves; nothing until there is evidence
    double inputWait = 0;
    double deviceBusy = 0;
    std::int64_t memoryBytes = 0;
    std::int64_t processId = 0;
    int threads = 0;
    std::string device; ///< "CPU", "GPU:0 (NVIDIA H100 80GB HBM3)"
    // Of a GPU that trains, by all programs; nothing: the CPU trains, or the GPU does not tell.
    std::optional<std::int64_t> deviceMemoryBytes = {};
    std::optional<std::int64_t> deviceMemoryTotal = {};
    std::optional<double> deviceLoad = {};
    double startedAt = 0;
    std::vector<WorkerStatus> workers; ///< of a chief, itself first; empty: it trains alone
};

/// "File F reached byte N": flushed bytes may be read.
struct FileGrew
{
    std::string path; ///< absolute
    std::uint64_t bytes = 0;
};

struct LogLine
{
    enum class Level
    {
        Info,
        Warning,
        Error,
    };
    double time = 0;
    Level level = Level::Info;
    std::string id; ///< of a health note: "health.nan_loss"; otherwise empty
    std::string sentence;
};

/// A checkpoint, an evaluation or an export was written: the store has changed.
struct StoreChanged
{};

using EngineEvent = std::variant<EngineStatus, FileGrew, LogLine, StoreChanged>;

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

    Result<EngineStatus> status();
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
