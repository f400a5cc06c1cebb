// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/strategies/worker_group.h"
#include "core/train/loop/loop_end.h"
#include "core/train/loop/loop_place.h"
#include "core/train/trainable_model.h"
#include "kernels/accelerator/accelerator.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

namespace cannery::train {

/// With a task of a cluster whose GPUs train together the others end, too; "gpu.lost" is its own
/// end.
inline constexpr ErrorKind kGpusLost{
    "train.gpus_lost",
    "Another task of the cluster is lost, and with it the group of GPUs that trained together. "
    "Start all tasks again: they go on from the last checkpoint."};

/// The training loops of a cluster's processes take each step together: how they meet, end, and go
/// on after one is lost. As one of them sees it, on one thread.
class ClusterSteps
{
public:
    /// All of them outlive this.
    struct Parts
    {
        strategies::WorkerGroup& group;
        TrainableModel& model;
        LoopPlace& place;
        LoopEnd& end;
        const Clock& clock;
        std::optional<std::int64_t> maxSteps;
        /// Names the group of their GPUs, if these train.
        std::function<Result<kernels::GroupId>()> makeGroupId;
        std::function<Result<void>()> checkpoint; ///< saves the state; the chief alone does
    };
    explicit ClusterSteps(Parts parts) : m_parts(std::move(parts)) {}

    /// At the start. Afterwards all have the same state and place, or the loop ends.
    Result<void> meet();
    /// Has lost its cluster, or needs none: takes no step.
    bool isAlone() const { return m_isAlone; }
    /// Some steps were taken, up to this one.
    void report(std::int64_t globalStep, std::int64_t steps, double seconds);
    /// Lets others be seen that are lost while no step is taken.
    void passNotes() { m_parts.group.passNotes(); }

    /// Whoever ends lets the others end after the same step. If somebody is lost just then, the
    /// rest learns the end from the coordinator.
    void endTogether();
    /// Others have voted against a step.
    Result<void> endWithOthers();
    /// A worker that is done waits until the chief is, too: if that is lost before it has saved,
    /// its next process needs this one's state. True: the loop goes on.
    Result<bool> isNeededAgain();

    /// Of an error that means a lost process, or a lost group of GPUs.
    static bool isLoss(const Error& error);
    /// After a lost process: until every worker is there again, or the loop ends.
    Result<void> meetAgain();
    /// With another process the group of GPUs is gone, which can be formed only once. Between
    /// steps: the chief still has the state, and saves it.
    Result<void> endWithoutGroup();
    /// Of an error within steps, after which nothing can be saved; gives back what is no loss.
    Result<void> endIfLost(const Error& failure);

private:
    bool isAtEnd();
    bool isOnDevice();
    Result<void> rejoin();
    Result<void> share();
    Result<void> endAlone(const Error& reason);
    Result<void> awaitJobFailure();

    Parts m_parts;
    bool m_isAlone = false;
};

} // namespace cannery::train
