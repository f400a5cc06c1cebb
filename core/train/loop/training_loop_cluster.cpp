// SPDX-License-Identifier: Apache-2.0
// The training loop where several processes train together.
#include "core/base/interruption.h"
#include "core/plan/device/device_processes.h"
#include "core/train/loop/training_loop.h"
#include "kernels/accelerator/errors.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>
#include <utility>

namespace cannery::train {

namespace {

/// Votes to end training, cast by a process that is done, by a worker that must stop and without
/// which the others cannot go on, and by a chief that must stop. Their sum is exact, and tells
/// which were cast by up to 2,047 processes.
constexpr float kVoteDone = 1;
constexpr float kVoteLeft = 2048;
constexpr float kVoteStopped = 2048 * 2048;

constexpr const char* kOtherEnded = "Another task of the cluster has ended the training.";
constexpr const char* kOtherStopped = "Another task of the cluster was told to stop.";

constexpr double kNewsOfFailure = 1; ///< seconds
constexpr std::chrono::milliseconds kLookForNews(20);

} // namespace

/// At the start, in a cluster.
Result<void> TrainingLoop::meet()
{
    if (m_options.group == nullptr) {
        return {};
    }
    if (m_options.group->isChief() && isAtEnd()) {
        m_isAlone = true; // only the records are incomplete; its workers may have ended
        return {};
    }
    Result<void> joined;
    do {
        joined = rejoin();
        if (joined) {
            joined = m_options.model->model().meetProcesses(m_options.makeGroupId);
        }
    } while (!joined && strategies::WorkerGroup::isLoss(joined.error()));
    if (joined || joined.error().id == kInterruptedId) {
        return joined;
    }
    return endAlone(isGroupLost(joined.error()) ? error(ErrorCode::Unavailable, kGpusLost)
                                                : joined.error());
}

/// A worker that is done waits until the chief is, too: if that is lost before it has saved, its
/// next process needs this one's state.
Result<bool> TrainingLoop::isNeededAgain()
{
    const StopReason reason = m_outcome.reason;
    const bool isDone = reason == StopReason::MaxSteps || reason == StopReason::InputEnded ||
                        reason == StopReason::Ended;
    if (m_options.group == nullptr || m_options.group->isChief() || m_isAlone || !isDone) {
        return false;
    }
    Result<void> called = m_options.group->rest();
    if (called) {
        called = isOnDevice() ? fail(ErrorCode::Unavailable, kGpusLost) : rejoin();
    }
    m_stopRequested = false;
    if (!called) {
        CANNERY_TRY(endAlone(called.error()));
    }
    return called.has_value();
}

/// The others are not there to end with: this process was told to stop while it waited for them, or
/// the job has ended without it.
Result<void> TrainingLoop::endAlone(const Error& reason)
{
    m_isAlone = true;
    const std::optional<coordinator::JobEnd> end = m_options.group->jobEnd();
    if (reason.id == kInterruptedId || isCancelled()) {
        hurryToStop();
    } else if (end && end->outcome == coordinator::Outcome::Done) {
        requestStop(StopReason::Ended, kOtherEnded);
    } else if (end && end->outcome == coordinator::Outcome::Stopping) {
        requestStop(StopReason::Interrupted, kOtherStopped);
    } else {
        return tl::make_unexpected(reason);
    }
    return {};
}

/// Until every worker is there, and has the state of the one that is furthest.
Result<void> TrainingLoop::rejoin()
{
    for (;;) {
        CANNERY_TRY(m_options.group->join());
        Result<void> shared = share();
        if (shared || !strategies::WorkerGroup::isLoss(shared.error())) {
            return shared;
        }
    }
}

Result<void> TrainingLoop::share()
{
    const std::vector<plan::StateTensor> tensors = m_options.model->state();
    std::array<std::int64_t, 3> place{m_globalStep, m_input.position().epoch,
                                      m_input.position().offset};
    const auto placeBytes = std::as_writable_bytes(std::span(place));
    std::vector<std::byte> all(placeBytes.begin(), placeBytes.end());
    for (const plan::StateTensor& tensor : tensors) {
        all.insert(all.end(), tensor.bytes.begin(), tensor.bytes.end());
    }
    CANNERY_TRY(m_options.group->share(m_globalStep, all));
    std::span<const std::byte> rest = all;
    const auto take = [&](std::span<std::byte> target) {
        std::ranges::copy(rest.first(target.size()), target.begin());
        rest = rest.subspan(target.size());
    };
    take(placeBytes);
    for (const plan::StateTensor& tensor : tensors) {
        take(tensor.bytes);
    }
    m_globalStep = place[0];
    m_input.moveTo({.epoch = place[1], .offset = place[2]});
    return {};
}

/// Whoever ends lets the others end after the same step. If somebody is lost just then, the rest
/// learns the end from the coordinator.
void TrainingLoop::endTogether()
{
    const StopReason reason = m_outcome.reason;
    const bool wasStopped = reason == StopReason::Cancelled;
    const bool isLeft = wasStopped && !m_options.group->isChief();
    if (m_isAlone || reason == StopReason::Ended || reason == StopReason::Interrupted ||
        (isLeft && !isOnDevice())) {
        return; // a stopped worker is replaced by another, without which the rest waits
    }
    (void)m_options.model->model().voteAgainstStep(isLeft       ? kVoteLeft
                                                   : wasStopped ? kVoteStopped
                                                                : kVoteDone);
}

Result<void> TrainingLoop::endWithOthers()
{
    const float votes = m_options.model->model().votes();
    if (votes >= kVoteStopped) {
        requestStop(StopReason::Interrupted, kOtherStopped);
    } else if (votes >= kVoteLeft) {
        return endWithoutGroup();
    } else {
        requestStop(StopReason::Ended, kOtherEnded);
    }
    return {};
}

bool TrainingLoop::isGroupLost(const Error& error)
{
    return error.id == plan::kProcessLost.id || error.id == kernels::kGroupLost.id;
}

bool TrainingLoop::isLoss(const Error& error) const
{
    return m_options.group != nullptr &&
           (strategies::WorkerGroup::isLoss(error) || isGroupLost(error));
}

/// If the job has failed, which may be known a moment later than that somebody is gone.
Result<void> TrainingLoop::tellJobFailure()
{
    strategies::WorkerGroup& group = *m_options.group;
    const double end = now() + kNewsOfFailure;
    while (!group.jobEnd() && now() < end) {
        std::this_thread::sleep_for(kLookForNews);
    }
    const std::optional<coordinator::JobEnd> ended = group.jobEnd();
    return ended && ended->outcome == coordinator::Outcome::Failed ? group.join() : Result<void>();
}

/// With another process the group of GPUs is gone, which can be formed only once. Between steps:
/// the chief still has the state, and saves it.
Result<void> TrainingLoop::endWithoutGroup()
{
    const Result<void> saved = checkpoint(); // by hooks that the chief alone has
    if (!saved && !isGroupLost(saved.error())) {
        return saved;
    }
    CANNERY_TRY(tellJobFailure());
    return endAlone(error(ErrorCode::Unavailable, kGpusLost));
}

/// Of an error within steps, after which nothing can be saved.
Result<void> TrainingLoop::endIfLost(const Error& failure)
{
    if (!isLoss(failure)) {
        return tl::make_unexpected(failure);
    }
    CANNERY_TRY(tellJobFailure());
    const Error lost = error(ErrorCode::Unavailable, kGpusLost);
    return m_options.group->isChief() ? tl::make_unexpected(lost) : endAlone(lost);
}

} // namespace cannery::train
