// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace cannery::coordinator {

/// A process of a cluster, as it introduces itself to the coordinator.
struct MemberIdentity
{
    std::string task; ///< "worker:1"
    int rank = 0;     ///< 0 is the chief
    /// Random per process start: differs between a restarted process and the one before.
    std::uint64_t incarnation = 0;
    std::string version;         ///< of the program
    std::string digest;          ///< of the resolved experiment
    std::string experiment;      ///< its text, to show a difference
    std::string host;            ///< how the other tasks reach it; without a port
    std::int64_t unixTimeMs = 0; ///< its clock now, in milliseconds since 1970
    std::string token;           ///< the job's secret; equal in all tasks
};

/// A membership of the cluster: all tasks, until one of them is lost. Numbers only grow.
struct Generation
{
    std::int64_t number = 0; ///< 0 if there is none yet
    int rank = 0;
    int size = 0;
    std::vector<std::string> hosts; ///< by rank

    bool operator==(const Generation&) const = default;
};

/// What a member waits for too long: nothing, another rank, or all others.
struct Stuck
{
    static constexpr int kAll = -1;
    std::int64_t generation = 0; ///< in which it waits; 0 if it does not
    int rank = kAll;             ///< whom it waits for
};

/// What a step took on one member, in seconds.
struct StepTimes
{
    std::int64_t step = 0;     ///< the global step after it
    double computeSeconds = 0; ///< without waiting for other tasks
    double waitSeconds = 0;    ///< for other tasks and the network
};

/// How a task, or a job, ends.
enum class Outcome
{
    Done,
    Failed,   ///< for good: a restart would fail again
    Stopping, ///< asked to end (SIGTERM): it may be started again
};

struct JobEnd
{
    Outcome outcome = Outcome::Done;
    std::string reason; ///< a sentence; may be empty

    bool operator==(const JobEnd&) const = default;
};

/// A sentence for the log, with the stable id of its kind: "coordinator.note_lost".
struct Note
{
    std::string id;
    std::string sentence;
};

/// Both ends' limits of silence.
struct HeartBeats
{
    std::chrono::milliseconds interval = std::chrono::seconds(1);
    /// Whoever is silent for this long is taken for dead. At least three intervals.
    std::chrono::milliseconds deadAfter = std::chrono::seconds(5);
};

} // namespace cannery::coordinator
