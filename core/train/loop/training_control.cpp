// SPDX-License-Identifier: Apache-2.0
#include "core/train/loop/training_control.h"

#include <utility>

namespace cannery::train {

void TrainingControl::changed()
{
    m_hasRequests = m_pause || m_checkpoint || m_ending != Ending::None;
    m_news.notify_all();
}

void TrainingControl::pause()
{
    const std::lock_guard lock(m_mutex);
    m_pause = true;
    changed();
}

void TrainingControl::resume()
{
    const std::lock_guard lock(m_mutex);
    m_pause = false;
    changed();
}

void TrainingControl::stopAndKeep()
{
    const std::lock_guard lock(m_mutex);
    if (m_ending == Ending::None) {
        m_ending = Ending::Keep;
    }
    changed();
}

void TrainingControl::stopWithoutSaving()
{
    const std::lock_guard lock(m_mutex);
    m_ending = Ending::Discard;
    changed();
}

void TrainingControl::checkpointNow()
{
    const std::lock_guard lock(m_mutex);
    m_checkpoint = true;
    changed();
}

bool TrainingControl::isPaused() const
{
    const std::lock_guard lock(m_mutex);
    return m_pause && m_ending == Ending::None;
}

bool TrainingControl::takeCheckpointRequest()
{
    const std::lock_guard lock(m_mutex);
    const bool wanted = std::exchange(m_checkpoint, false);
    changed();
    return wanted;
}

void TrainingControl::waitWhilePaused(std::chrono::milliseconds longest)
{
    std::unique_lock lock(m_mutex);
    m_news.wait_for(lock, longest,
                    [this] { return !m_pause || m_checkpoint || m_ending != Ending::None; });
}

bool mustHurry(const std::atomic<bool>* stop, const TrainingControl* control)
{
    return (stop != nullptr && stop->load(std::memory_order_relaxed)) ||
           (control != nullptr && control->ending() == Ending::Discard);
}

} // namespace cannery::train
