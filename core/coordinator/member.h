// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/coordinator/types.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace cannery::collectives {
class KeyValueStore;
}

namespace cannery::coordinator {

/// The id of the error that ends waiting when Member::Options::stop is set.
inline constexpr std::string_view kStoppedId = "coordinator.stopped";

/// One process's part in a cluster: its connection to the coordinator. A thread of its own sends
/// heart-beats and connects again whenever the connection is lost. All functions may be called from
/// any thread, `join` from one at a time.
///
/// Errors that end a member for good, returned by everything after they occurred:
/// - "coordinator.other_token", "…other_version", "…other_experiment", "…other_cluster",
///   "…rank_out_of_range", "…two_chiefs": refused when it registered;
/// - "coordinator.replaced": another, later started process has taken its task;
/// - "coordinator.job_ended": see jobEnd();
/// - "coordinator.unreachable", "coordinator.lost": no coordinator within the time given.
class Member
{
public:
    struct Options
    {
        std::string coordinatorAddress; ///< "host:port"
        MemberIdentity identity;        ///< without a time: of this host's clock
        HeartBeats heartBeats;
        /// How long the coordinator may take to appear at first; its name need not resolve yet.
        std::chrono::milliseconds connectWithin = std::chrono::seconds(300);
        /// How long a lost coordinator may take to come back.
        std::chrono::milliseconds coordinatorWait = std::chrono::seconds(600);
        /// Says so, once, when connecting or connecting again takes longer than this.
        std::chrono::milliseconds patience = std::chrono::seconds(5);
        /// Called on the member's thread; must return soon.
        std::function<void(const Note&)> onNote;
        /// The current generation is broken: its collectives will not complete and must be aborted.
        /// Once per generation, on the member's thread; must return soon and not destroy the
        /// member.
        std::function<void(std::int64_t generation)> onBroken;
        /// The rank that this task has waited for too long in the generation that join() returned
        /// last, or Stuck::kAll: asked with every heart-beat, on the member's thread; must return
        /// soon. May be empty.
        std::function<std::optional<int>()> stuckWith;
        /// Set by any thread: waiting ends with kStoppedId. May be null.
        const std::atomic<bool>* stop = nullptr;
    };

    /// Waits until the coordinator has accepted this process, or has said how the job ended: see
    /// jobEnd(). Errors: the others above, and those of cluster::parseHostPort().
    static Result<std::unique_ptr<Member>> connect(Options options);

    /// Disconnects. Without leave() before, the coordinator takes it for lost.
    ~Member();
    Member(const Member&) = delete;
    Member& operator=(const Member&) = delete;

    /// Asks for a generation newer than the last one that it returned, and waits until all tasks
    /// have asked. Breaks the current generation if that is not yet broken: a task that lost a peer
    /// just joins again.
    Result<Generation> join();

    /// Waits until the generation that join() returned last is broken: somebody needs this task
    /// again. For a task that has finished its work, until the job ends as well.
    Result<void> rest();

    /// The store of a generation, shared by its tasks and forgotten with it. Values have at most
    /// 8 MiB ("coordinator.value_too_long"). A key that nobody sets: "coordinator.no_value" after
    /// the timeout. Every call, also one that waits, fails with "coordinator.generation_broken"
    /// once the generation is broken, and with the errors above. Must not outlive the member.
    std::unique_ptr<collectives::KeyValueStore> store(const Generation& generation);

    /// Whether the generation is known to be broken, or is not the current one.
    bool isBroken(std::int64_t generation) const;

    /// For the chief's view of the cluster. Never waits.
    Result<void> reportStep(const StepTimes& times);

    /// This task's last word; waits until the coordinator has it, at most a few seconds. Rank 0
    /// ends the job with this outcome for everybody, any other rank with `Failed` only. A task that
    /// left as `Stopping` is expected to be started again.
    Result<void> leave(Outcome outcome, const std::string& reason = {});

    /// How the job ended, once it has.
    std::optional<JobEnd> jobEnd() const;

private:
    class Private;
    explicit Member(std::unique_ptr<Private> parts);
    std::unique_ptr<Private> m_private;
};

} // namespace cannery::coordinator
