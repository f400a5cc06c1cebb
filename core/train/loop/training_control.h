// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>

namespace cannery::train {

/// How a training was asked to end early.
enum class Ending
{
    None,
    Keep,    ///< saves, evaluates, ends
    Discard, ///< ends; the last checkpoint stays
};

/// User requests to a running training. Requests can be made from any thread and return at once;
/// the training thread checks before each step (and, for an end without saving, at each batch of an
/// evaluation). Requests made before the first step are kept. Neither a pause nor a checkpoint in
/// between changes the training's bits.
class TrainingControl
{
public:
    void pause();
    void resume();
    void stopAndKeep();
    /// Also after stopAndKeep(), which it overrides.
    void stopWithoutSaving();
    void checkpointNow();

    // For the training thread.
    bool hasRequests() const { return m_hasRequests.load(std::memory_order_relaxed); }
    bool isPaused() const;
    Ending ending() const { return m_ending.load(std::memory_order_relaxed); }
    /// True once for any number of requests for a checkpoint since.
    bool takeCheckpointRequest();
    /// Waits, at most this long, until a request arrives while paused or the pause ends.
    void waitWhilePaused(std::chrono::milliseconds longest);

private:
    void changed();

    mutable std::mutex m_mutex;
    std::condition_variable m_news;
    bool m_pause = false; ///< guarded, like the next
    bool m_checkpoint = false;
    std::atomic<Ending> m_ending = Ending::None;
    std::atomic<bool> m_hasRequests = false; ///< any request pending
};

/// True if a training must end as fast as it can: the signal flag is set, or nothing is to be
/// saved. Both may be null.
bool mustHurry(const std::atomic<bool>* stop, const TrainingControl* control);

} // namespace cannery::train
