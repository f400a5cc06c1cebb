// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/train/loop/training_control.h"

#include <atomic>
#include <string>
#include <string_view>

namespace cannery::train {

/// Told to stop by a signal: whoever launched it may start it again.
inline constexpr std::string_view kStoppedBySignal = "Told to stop by a signal.";

/// Why a training loop ended.
enum class StopReason
{
    InputEnded,
    MaxSteps,
    EarlyStopping,
    Learned,     ///< plan::Model::trainingEnd()
    Cancelled,   ///< the stop flag was set: saved, not evaluated
    Requested,   ///< TrainingControl::stopAndKeep()
    Discarded,   ///< TrainingControl::stopWithoutSaving()
    Ended,       ///< another process of the cluster has ended the training: done
    Interrupted, ///< another process of the cluster was told to stop: not done
};

/// Whether a training loop ends, and why. One thread; any other may set the flag and use the
/// control, which may both be null and outlive this.
class LoopEnd
{
public:
    LoopEnd(const std::atomic<bool>* stop, const TrainingControl* control)
        : m_stop(stop), m_control(control)
    {}

    /// The first reason counts.
    void request(StopReason reason, std::string sentence);
    /// Once isCancelled(): by a signal, or by a request to save nothing.
    void requestAtOnce();
    /// The loop goes on after all.
    void withdraw() { m_isRequested = false; }
    /// Whatever the reason was, a signal now decides.
    void becomeCancelled();

    bool isRequested() const { return m_isRequested; }
    /// True if there is no time for anything slow.
    bool isCancelled() const { return mustHurry(m_stop, m_control); }
    StopReason reason() const { return m_reason; }
    /// The reason, for the user.
    const std::string& sentence() const { return m_sentence; }

private:
    const std::atomic<bool>* m_stop;
    const TrainingControl* m_control;
    bool m_isRequested = false;
    StopReason m_reason = StopReason::InputEnded;
    std::string m_sentence;
};

} // namespace cannery::train
