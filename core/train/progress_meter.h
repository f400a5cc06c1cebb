#pragma once

#include "core/train/clock.h"
#include "core/train/training_observer.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace cannery::train {

/// Rate and time left of a training, over a sliding window of the last few seconds, evaluations
/// and saves left out. One thread.
class ProgressMeter
{
public:
    ProgressMeter(const Clock& clock, std::int64_t startStep, std::optional<std::int64_t> maxSteps);

    /// After a step of so many rows. A report when one is due: ten times a second at most.
    std::optional<Progress> stepDone(std::int64_t globalStep, std::int64_t rows, double loss);
    /// The last report, due or not.
    Progress report() const;

    /// Around whatever is no training.
    void pause();
    void resume();

private:
    struct Sample
    {
        double time = 0; ///< of training, without pauses
        std::int64_t steps = 0;
        std::int64_t rows = 0;
    };

    double trainingTime() const;

    const Clock* m_clock;
    std::optional<std::int64_t> m_maxSteps;
    std::array<Sample, 32> m_samples{}; ///< a ring, one each report
    std::size_t m_sampleCount = 1;
    Sample m_now;
    std::int64_t m_step;
    double m_loss = 0;
    double m_startTime;
    double m_pausedTime = 0;
    std::optional<double> m_pausedAt;
};

} // namespace cannery::train
