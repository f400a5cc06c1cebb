// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"
#include "core/train/loop/training_observer.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace cannery::train {

/// Timing of a step.
struct StepTimes
{
    std::int64_t rows = 0;
    double inputSeconds = 0;  ///< waiting for its batch
    double deviceSeconds = 0; ///< computing in the model
};

/// Rates of a training over the last few seconds, without evaluations and saves, and the remaining
/// time, which includes them at their frequency so far. The remaining time is unknown before ten
/// seconds, or one second and a twentieth of the training, have passed. One thread.
class ProgressMeter
{
public:
    ProgressMeter(const Clock& clock, std::int64_t startStep, std::optional<std::int64_t> maxSteps);

    /// After a step. A report if one is due: at most ten times a second.
    std::optional<Progress> stepDone(std::int64_t globalStep, const StepTimes& times, double loss);
    /// The last report, due or not.
    Progress report() const;

    /// Brackets anything that is not training. `byPerson`: a pause requested by the user does not
    /// count for the remaining time. Pairs may be nested.
    void pause(bool byPerson = false);
    void resume();

private:
    struct Sample
    {
        double time = 0; ///< of training, without pauses
        std::int64_t steps = 0;
        std::int64_t rows = 0;
        double inputSeconds = 0;
        double deviceSeconds = 0;
    };

    double trainingTime() const;
    const Sample& sampleBefore(std::size_t count) const;
    std::optional<double> secondsLeft() const;

    const Clock* m_clock;
    std::optional<std::int64_t> m_maxSteps;
    std::array<Sample, 128> m_samples{}; ///< a ring, one per report
    std::size_t m_sampleCount = 1;
    Sample m_now;
    std::int64_t m_step;
    double m_loss = 0;
    double m_startTime;
    double m_pausedTime = 0;
    double m_workTime = 0; ///< including pauses since the first step that the user did not request
    double m_pausedAt = 0;
    int m_pauseDepth = 0;
    bool m_isByPerson = false;
};

} // namespace cannery::train
