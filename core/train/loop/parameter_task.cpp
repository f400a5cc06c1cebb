// SPDX-License-Identifier: Apache-2.0
#include "core/train/loop/parameter_task.h"

#include <fmt/format.h>

#include <chrono>
#include <thread>

namespace cannery::train {

namespace {

constexpr ErrorKind kChiefFailed{"train.chief_failed", "The chief could not go on: {}"};

/// How long the chief waits for tasks that have not come when its own input has ended.
constexpr std::chrono::seconds kLongestLateness(60);
constexpr std::chrono::milliseconds kLookForOthers(50);

} // namespace

void ParameterTask::sendPlace()
{
    if (!m_leases) {
        const data::InputPosition after = m_place.input.position();
        m_client.setPlace({.epoch = after.epoch, .offset = after.offset});
    }
}

Result<void> ParameterTask::bringState()
{
    CANNERY_TRY(m_client.fetch());
    takeGlobalStep();
    return {};
}

data::InputPosition ParameterTask::position() const
{
    return m_leases ? m_leases->positionOf(m_client.firstOpenBatch()) : m_place.input.position();
}

Result<bool> ParameterTask::takeLease(const Meanwhile& obey)
{
    while (!m_end.isRequested()) {
        CANNERY_TRY_ASSIGN(const auto lease, m_client.lease());
        if (!lease) {
            CANNERY_TRY(endStep());
            CANNERY_TRY(obey());
        } else if (lease->batch) {
            m_place.input.moveTo(m_leases->positionOf(*lease->batch));
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

Result<void> ParameterTask::endStep()
{
    m_place.globalStep = m_client.globalStep();
    const std::optional<coordinator::JobEnd> end = m_client.jobEnd();
    if (end && end->outcome == coordinator::Outcome::Failed) {
        return fail(ErrorCode::Aborted, kChiefFailed, end->reason);
    }
    if (end) {
        const bool isDone = end->outcome == coordinator::Outcome::Done;
        m_end.request(isDone ? StopReason::Ended : StopReason::Interrupted,
                      isDone ? "The chief has ended the training." : "The chief was told to stop.");
    } else if (m_client.isFull()) {
        m_end.request(StopReason::MaxSteps, fmt::format("Reached step {}.", m_place.globalStep));
    }
    return {};
}

Result<void> ParameterTask::awaitOthers(const Meanwhile& obey)
{
    if (!m_client.isChief()) {
        return {};
    }
    const auto limit = std::chrono::steady_clock::now() + kLongestLateness;
    while (!m_end.isRequested()) {
        CANNERY_TRY_ASSIGN(const auto others, m_client.others());
        const bool waitsForLateOnes = others.unseen > 0 && std::chrono::steady_clock::now() < limit;
        if (others.busy == 0 && !waitsForLateOnes) {
            break;
        }
        std::this_thread::sleep_for(kLookForOthers);
        CANNERY_TRY(obey());
    }
    m_place.globalStep = m_client.globalStep();
    return {};
}

} // namespace cannery::train
