// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/train/clock.h"
#include "core/train/training_observer.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace cannery::train {

/// What a step was made of.
struct StepTimes
{
    std::int64_t rows = 0;
    double inputSeconds = 0;  ///< until its batch was there
    double deviceSeconds = 0; ///< of the model's own work
};

/// Rates of a training over the last few seconds, with evaluations and saves left out, and the time
/// left with them counted in as they came so far. Nothing is said of the time left before ten
/// seconds, or a second and a twentieth of the way. One thread.
class ProgressMeter
{
public:
    ProgressMeter(const Clock& clock, std::int64_t startStep, std::optional<std::int64_t> maxSteps);

    /// After a step. A report when one is due: ten times a second at most.
    std::optional<Progress> stepDone(std::int64_t globalStep, const StepTimes& times, double loss);
    /// The last report, due or not.
    Progress report() const;

    /// Around whatever is no training. `byPerson`: a pause that somebody wants says nothing about
    /// how long the rest will take. Pairs may stand within pairs.
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
    std::array<Sample, 128> m_samples{}; ///< a ring, one each report
    std::size_t m_sampleCount = 1;
    Sample m_now;
    std::int64_t m_step;
    double m_loss = 0;
    double m_startTime;
    double m_pausedTime = 0;
    double m_workTime = 0; ///< of the pauses, those since the first step that nobody asked for
    double m_pausedAt = 0;
    int m_pauseDepth = 0;
    bool m_isByPerson = false;
};

} // namespace cannery::train
