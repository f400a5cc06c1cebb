// SPDX-License-Identifier: Apache-2.0
#include "core/train/loop/cluster_steps.h"

#include "core/base/interruption.h"
#include "core/plan/device/device_processes.h"
#include "core/plan/device/device_training.h"
#include "core/plan/last_step.h"
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

/// The group of GPUs is gone.
bool isGroupLost(const Error& error)
{
    return error.id == plan::kProcessLost.id || error.id == kernels::kGroupLost.id;
}

} // namespace

Result<void> ClusterSteps::meet()
{
    if (m_parts.group.isChief() && isAtEnd()) {
        m_isAlone = true; // only the records are incomplete; its workers may have ended
        return {};
    }
    Result<void> joined;
    do {
        joined = rejoin();
        if (plan::DeviceTraining* const device = m_parts.model.model().device();
            joined && device != nullptr) {
            joined = device->meetProcesses(m_parts.makeGroupId);
        }
    } while (!joined && strategies::WorkerGroup::isLoss(joined.error()));
    if (joined || joined.error().id == kInterruptedId) {
        return joined;
    }
    return endAlone(isGroupLost(joined.error()) ? error(ErrorCode::Unavailable, kGpusLost)
                                                : joined.error());
}

Result<bool> ClusterSteps::isNeededAgain()
{
    const StopReason reason = m_parts.end.reason();
    const bool isDone = reason == StopReason::MaxSteps || reason == StopReason::InputEnded ||
                        reason == StopReason::Ended;
    if (m_parts.group.isChief() || m_isAlone || !isDone) {
        return false;
    }
    Result<void> called = m_parts.group.rest();
    if (called) {
        called = isOnDevice() ? fail(ErrorCode::Unavailable, kGpusLost) : rejoin();
    }
    m_parts.end.withdraw();
    if (!called) {
        CANNERY_TRY(endAlone(called.error()));
    }
    return called.has_value();
}

/// Takes a batch and puts it back: whether rows are left depends on how they make up batches.
bool ClusterSteps::isAtEnd()
{
    LoopPlace& place = m_parts.place;
    if (m_parts.maxSteps && place.globalStep >= *m_parts.maxSteps) {
        return true;
    }
    const data::InputPosition before = place.input.position();
    std::vector<std::vector<std::int64_t>> batches;
    const std::int64_t rows = place.input.next(batches);
    place.input.moveTo(before);
    return rows == 0;
}

bool ClusterSteps::isOnDevice()
{
    plan::DeviceTraining* const device = m_parts.model.model().device();
    return device != nullptr && device->mostQueued() > 0;
}

void ClusterSteps::report(std::int64_t globalStep, std::int64_t steps, double seconds)
{
    m_parts.group.passNotes();
    m_parts.group.reportSteps(globalStep, steps, seconds);
}

Result<void> ClusterSteps::meetAgain()
{
    const Result<void> joined = rejoin();
    return joined ? joined : endAlone(joined.error());
}

/// The others are not there to end with: this process was told to stop while it waited for them, or
/// the job has ended without it.
Result<void> ClusterSteps::endAlone(const Error& reason)
{
    m_isAlone = true;
    const std::optional<coordinator::JobEnd> end = m_parts.group.jobEnd();
    if (reason.id == kInterruptedId || m_parts.end.isCancelled()) {
        m_parts.end.requestAtOnce();
    } else if (end && end->outcome == coordinator::Outcome::Done) {
        m_parts.end.request(StopReason::Ended, kOtherEnded);
    } else if (end && end->outcome == coordinator::Outcome::Stopping) {
        m_parts.end.request(StopReason::Interrupted, kOtherStopped);
    } else {
        return tl::make_unexpected(reason);
    }
    return {};
}

/// Until every worker is there, and has the state of the one that is furthest.
Result<void> ClusterSteps::rejoin()
{
    for (;;) {
        CANNERY_TRY(m_parts.group.join());
        Result<void> shared = share();
        if (shared || !strategies::WorkerGroup::isLoss(shared.error())) {
            return shared;
        }
    }
}

Result<void> ClusterSteps::share()
{
    const std::vector<plan::StateTensor> tensors = m_parts.model.state();
    std::array<std::int64_t, 3> place{m_parts.place.globalStep,
                                      m_parts.place.input.position().epoch,
                                      m_parts.place.input.position().offset};
    const auto placeBytes = std::as_writable_bytes(std::span(place));
    std::vector<std::byte> all(placeBytes.begin(), placeBytes.end());
    for (const plan::StateTensor& tensor : tensors) {
        all.insert(all.end(), tensor.bytes.begin(), tensor.bytes.end());
    }
    CANNERY_TRY(m_parts.group.share(m_parts.place.globalStep, all));
    std::span<const std::byte> rest = all;
    const auto take = [&](std::span<std::byte> target) {
        std::ranges::copy(rest.first(target.size()), target.begin());
        rest = rest.subspan(target.size());
    };
    take(placeBytes);
    for (const plan::StateTensor& tensor : tensors) {
        take(tensor.bytes);
    }
    m_parts.place.globalStep = place[0];
    m_parts.place.input.moveTo({.epoch = place[1], .offset = place[2]});
    return {};
}

void ClusterSteps::endTogether()
{
    const StopReason reason = m_parts.end.reason();
    const bool wasStopped = reason == StopReason::Cancelled;
    const bool isLeft = wasStopped && !m_parts.group.isChief();
    if (m_isAlone || reason == StopReason::Ended || reason == StopReason::Interrupted ||
        (isLeft && !isOnDevice())) {
        return; // a stopped worker is replaced by another, without which the rest waits
    }
    (void)m_parts.model.model().voteAgainstStep(isLeft       ? kVoteLeft
                                                : wasStopped ? kVoteStopped
                                                             : kVoteDone);
}

Result<void> ClusterSteps::endWithOthers()
{
    const float votes = m_parts.model.model().lastStep().votes();
    if (votes >= kVoteStopped) {
        m_parts.end.request(StopReason::Interrupted, kOtherStopped);
    } else if (votes >= kVoteLeft) {
        return endWithoutGroup();
    } else {
        m_parts.end.request(StopReason::Ended, kOtherEnded);
    }
    return {};
}

bool ClusterSteps::isLoss(const Error& error)
{
    return strategies::WorkerGroup::isLoss(error) || isGroupLost(error);
}

/// If the job has failed, which may be known a moment later than that somebody is gone.
Result<void> ClusterSteps::awaitJobFailure()
{
    strategies::WorkerGroup& group = m_parts.group;
    const double end = m_parts.clock.steadyTime() + kNewsOfFailure;
    while (!group.jobEnd() && m_parts.clock.steadyTime() < end) {
        std::this_thread::sleep_for(kLookForNews);
    }
    const std::optional<coordinator::JobEnd> ended = group.jobEnd();
    return ended && ended->outcome == coordinator::Outcome::Failed ? group.join() : Result<void>();
}

Result<void> ClusterSteps::endWithoutGroup()
{
    const Result<void> saved = m_parts.checkpoint(); // by hooks that the chief alone has
    if (!saved && !isGroupLost(saved.error())) {
        return saved;
    }
    CANNERY_TRY(awaitJobFailure());
    return endAlone(error(ErrorCode::Unavailable, kGpusLost));
}

Result<void> ClusterSteps::endIfLost(const Error& failure)
{
    if (!isLoss(failure)) {
        return tl::make_unexpected(failure);
    }
    CANNERY_TRY(awaitJobFailure());
    const Error lost = error(ErrorCode::Unavailable, kGpusLost);
    return m_parts.group.isChief() ? tl::make_unexpected(lost) : endAlone(lost);
}

} // namespace cannery::train
