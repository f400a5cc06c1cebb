// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>

namespace cannery::train {

/// How a training was asked to end before its time.
enum class Ending
{
    None,
    Keep,    ///< saves, evaluates, ends
    Discard, ///< ends; the last checkpoint stays
};

/// What people want of a training while it runs. Anybody asks, from any thread, and is back at
/// once; the training thread looks before each step (and, for an end without saving, at each batch
/// of an evaluation). Wishes made before the first step are kept. Neither a pause nor a checkpoint
/// in between changes a bit of what is trained.
class TrainingControl
{
public:
    void pause();
    void resume();
    void stopAndKeep();
    /// Also after stopAndKeep(), which it overrules.
    void stopWithoutSaving();
    void checkpointNow();

    // For the training thread.
    bool hasWishes() const { return m_hasWishes.load(std::memory_order_relaxed); }
    bool isPaused() const;
    Ending ending() const { return m_ending.load(std::memory_order_relaxed); }
    /// True once for any number of wishes for a checkpoint since.
    bool takeCheckpointWish();
    /// Waits until a wish comes while paused, or no pause is wanted any more; at most so long.
    void waitWhilePaused(std::chrono::milliseconds longest);

private:
    void changed();

    mutable std::mutex m_mutex;
    std::condition_variable m_news;
    bool m_pause = false; ///< guarded, as is the next
    bool m_checkpoint = false;
    std::atomic<Ending> m_ending = Ending::None;
    std::atomic<bool> m_hasWishes = false; ///< anything but None and false
};

/// True when a training must come to its end as fast as it can: the flag of the signals is raised,
/// or nothing is to be saved. Both may be null.
bool mustHurry(const std::atomic<bool>* stop, const TrainingControl* control);

} // namespace cannery::train
