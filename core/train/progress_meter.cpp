#include "core/train/progress_meter.h"

#include <algorithm>

namespace cannery::train {
namespace {

constexpr double kReportSeconds = 0.1;

} // namespace

ProgressMeter::ProgressMeter(const Clock& clock, std::int64_t startStep,
                             std::optional<std::int64_t> maxSteps)
    : m_clock(&clock), m_maxSteps(maxSteps), m_step(startStep), m_startTime(clock.steadyTime())
{}

double ProgressMeter::trainingTime() const
{
    return m_clock->steadyTime() - m_startTime - m_pausedTime;
}

std::optional<Progress> ProgressMeter::stepDone(std::int64_t globalStep, std::int64_t rows,
                                                double loss)
{
    m_now.steps += globalStep - m_step;
    m_now.rows += rows;
    m_now.time = trainingTime();
    m_step = globalStep;
    m_loss = loss;
    const Sample& last = m_samples[(m_sampleCount - 1) % m_samples.size()];
    if (m_now.time < last.time + kReportSeconds) {
        return std::nullopt;
    }
    m_samples[m_sampleCount % m_samples.size()] = m_now;
    ++m_sampleCount;
    return report();
}

Progress ProgressMeter::report() const
{
    Progress progress{.globalStep = m_step, .maxSteps = m_maxSteps, .loss = m_loss};
    const std::size_t held = std::min(m_sampleCount, m_samples.size());
    const Sample& oldest = m_samples[(m_sampleCount - held) % m_samples.size()];
    const double seconds = m_now.time - oldest.time;
    if (seconds > 0 && m_now.steps > oldest.steps) {
        progress.stepsPerSecond = static_cast<double>(m_now.steps - oldest.steps) / seconds;
        progress.rowsPerSecond = static_cast<double>(m_now.rows - oldest.rows) / seconds;
        if (m_maxSteps) {
            progress.secondsLeft =
                static_cast<double>(std::max<std::int64_t>(0, *m_maxSteps - m_step)) /
                progress.stepsPerSecond;
        }
    }
    return progress;
}

void ProgressMeter::pause()
{
    m_pausedAt = m_clock->steadyTime();
}

void ProgressMeter::resume()
{
    if (m_pausedAt) {
        m_pausedTime += m_clock->steadyTime() - *m_pausedAt;
        m_pausedAt.reset();
    }
}

} // namespace cannery::train
