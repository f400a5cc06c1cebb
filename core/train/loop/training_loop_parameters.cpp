// SPDX-License-Identifier: Apache-2.0
// The training loop of a task whose variables are kept by parameter servers.
#include "core/train/loop/training_loop.h"

#include <chrono>
#include <thread>

namespace cannery::train {

namespace {

constexpr ErrorKind kChiefFailed{"train.chief_failed", "The chief could not go on: {}"};

/// How long the chief waits for tasks that have not come when its own input has ended.
constexpr std::chrono::seconds kLongestLateness(60);
constexpr std::chrono::milliseconds kLookForOthers(50);

} // namespace

Result<void> TrainingLoop::bringState()
{
    if (m_options.parameters == nullptr) {
        return m_options.model->model().bringState();
    }
    CANNERY_TRY(m_options.parameters->fetch());
    m_globalStep = m_options.parameters->globalStep();
    return {};
}

/// Moves the input to the batch that this task is given. False: all batches have been applied.
Result<bool> TrainingLoop::takeLease()
{
    while (!m_stopRequested) {
        CANNERY_TRY_ASSIGN(const auto lease, m_options.parameters->lease());
        if (!lease) {
            CANNERY_TRY(endRemotely());
            CANNERY_TRY(obey());
        } else if (lease->batch) {
            m_input.moveTo(m_leases.positionOf(*lease->batch));
            break;
        } else if (lease->isOver) {
            return false;
        } else { // others compute the last ones, and may be lost
            std::this_thread::sleep_for(kLookForOthers);
            CANNERY_TRY(obey());
        }
    }
    return true;
}

/// A step was not applied: all have been made, the chief has ended the training, the batch was
/// given to another task, or this process was told to stop, which obey() sees.
Result<void> TrainingLoop::endRemotely()
{
    m_globalStep = m_options.parameters->globalStep();
    const std::optional<coordinator::JobEnd> end = m_options.parameters->jobEnd();
    if (end && end->outcome == coordinator::Outcome::Failed) {
        return fail(ErrorCode::Aborted, kChiefFailed, end->reason);
    }
    if (end) {
        const bool isDone = end->outcome == coordinator::Outcome::Done;
        requestStop(isDone ? StopReason::Ended : StopReason::Interrupted,
                    isDone ? "The chief has ended the training." : "The chief was told to stop.");
    } else if (m_options.parameters->isFull()) {
        requestStop(StopReason::MaxSteps, fmt::format("Reached step {}.", m_globalStep));
    }
    return {};
}

/// The chief's share of the rows has ended: it leads until the others' have, too.
Result<void> TrainingLoop::awaitOthers()
{
    if (m_options.parameters == nullptr || !m_options.parameters->isChief()) {
        return {};
    }
    const auto limit = std::chrono::steady_clock::now() + kLongestLateness;
    while (!m_stopRequested) {
        CANNERY_TRY_ASSIGN(const auto others, m_options.parameters->others());
        const bool waitsForLateOnes = others.unseen > 0 && std::chrono::steady_clock::now() < limit;
        if (others.busy == 0 && !waitsForLateOnes) {
            break;
        }
        std::this_thread::sleep_for(kLookForOthers);
        CANNERY_TRY(obey());
    }
    m_globalStep = m_options.parameters->globalStep();
    return {};
}

} // namespace cannery::train
