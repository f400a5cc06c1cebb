// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/cluster/cluster_spec.h"
#include "core/coordinator/coordinator.h"
#include "core/coordinator/types.h"
#include "core/plan/gradient_exchange.h"
#include "core/strategies/strategy_catalog.h"
#include "core/strategies/sum_options.h"

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cannery::strategies {

/// The processes of a cluster that train in step, as one of them sees them: finds the others
/// through the chief's coordinator, adds up gradients with them, and forms the group anew when one
/// is lost. One thread.
///
/// Every error for which isLoss() is true means that somebody is gone: join() again, share() the
/// state, and repeat the step. All others end the training of this process.
class WorkerGroup
{
public:
    struct Options
    {
        cluster::ClusterSpec cluster; ///< of several workers; this process is one of them
        std::string token;            ///< the job's secret; empty: none
        std::string version;          ///< of the program
        SumOptions sums;
        double silenceSeconds = 6;               ///< whoever is silent for this long is lost
        double startSeconds = 7200;              ///< a task that is alone for this long gives up
        const std::atomic<bool>* stop = nullptr; ///< ends waiting with "base.interrupted"
    };
    using NoteSink = std::function<void(const coordinator::Note&)>;
    using MembersSink = std::function<void(const std::vector<coordinator::MemberStatus>&)>;

    explicit WorkerGroup(Options options);
    ~WorkerGroup();

    Process process() const;
    bool isChief() const { return process().rank == 0; }

    /// Where sentences on what happens in the cluster go, on this object's thread.
    void setNoteSink(NoteSink sink) { m_sink = std::move(sink); }
    /// In the chief: where its view of all workers goes, by rank, with the notes, but not more
    /// often than a few times a second.
    void setMembersSink(MembersSink sink) { m_membersSink = std::move(sink); }
    void passNotes();

    /// Connects with the coordinator, which the chief starts. `identity` must be the same text in
    /// every process: the experiment and its data. Errors: "coordinator.…".
    Result<void> open(const std::string& identity);
    /// Waits until every task is there, and connects with all of them. The first time, no longer
    /// than Options::startSeconds: "strategies.not_joined_in_time".
    Result<void> join();
    /// For a task that has done its work: waits until the job has ended (an error, see jobEnd()),
    /// or until somebody has been lost and the others need this task again: join().
    Result<void> rest();
    /// Gives all processes the state of the one that is furthest: the first with the highest
    /// `step`. States have the same size everywhere.
    Result<void> share(std::int64_t step, std::span<std::byte> state);
    /// Of a joined group, by which its processes add up gradients.
    plan::GradientExchange& exchange();
    /// How long the last step waited for others in it.
    double waitSeconds() const;
    static bool isLoss(const Error& error);

    /// For the chief's view of its workers: `count` steps, up to `last`, have taken so long.
    void reportSteps(std::int64_t last, std::int64_t count, double seconds);
    /// How the job ended, once it has.
    std::optional<coordinator::JobEnd> jobEnd() const;
    /// The last word of this process; see coordinator::Member::leave.
    void leave(coordinator::Outcome outcome, const std::string& reason);

private:
    class Private;
    std::unique_ptr<Private> m_private;
    NoteSink m_sink;
    MembersSink m_membersSink;
};

} // namespace cannery::strategies
