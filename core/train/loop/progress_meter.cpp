// SPDX-License-Identifier: Apache-2.0
#include "core/train/loop/progress_meter.h"

#include <algorithm>

namespace cannery::train {
namespace {

constexpr double kReportSeconds = 0.1;
constexpr std::size_t kRateSamples = 32;
constexpr double kEvidenceSeconds = 10;
constexpr double kFewestSeconds = 1;
constexpr double kEvidenceShare = 0.05;

} // namespace

ProgressMeter::ProgressMeter(const Clock& clock, std::int64_t startStep,
                             std::optional<std::int64_t> maxSteps)
    : m_clock(&clock), m_maxSteps(maxSteps), m_step(startStep), m_startTime(clock.steadyTime())
{}

double ProgressMeter::trainingTime() const
{
    return m_clock->steadyTime() - m_startTime - m_pausedTime;
}

std::optional<Progress> ProgressMeter::stepDone(std::int64_t globalStep, const StepTimes& times,
                                                double loss)
{
    m_now.steps += globalStep - m_step;
    m_now.rows += times.rows;
    m_now.inputSeconds += times.inputSeconds;
    m_now.deviceSeconds += times.deviceSeconds;
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

const ProgressMeter::Sample& ProgressMeter::sampleBefore(std::size_t count) const
{
    const std::size_t held = std::min({m_sampleCount, m_samples.size(), count});
    return m_samples[(m_sampleCount - held) % m_samples.size()];
}

Progress ProgressMeter::report() const
{
    Progress progress{.globalStep = m_step, .maxSteps = m_maxSteps, .loss = m_loss};
    const Sample& oldest = sampleBefore(kRateSamples);
    const double seconds = m_now.time - oldest.time;
    if (seconds > 0 && m_now.steps > oldest.steps) {
        progress.stepsPerSecond = static_cast<double>(m_now.steps - oldest.steps) / seconds;
        progress.rowsPerSecond = static_cast<double>(m_now.rows - oldest.rows) / seconds;
        progress.inputWait =
            std::clamp((m_now.inputSeconds - oldest.inputSeconds) / seconds, 0.0, 1.0);
        progress.deviceBusy =
            std::clamp((m_now.deviceSeconds - oldest.deviceSeconds) / seconds, 0.0, 1.0);
    }
    progress.secondsLeft = secondsLeft();
    return progress;
}

std::optional<double> ProgressMeter::secondsLeft() const
{
    const Sample& oldest = sampleBefore(m_samples.size());
    const double seconds = m_now.time - oldest.time;
    if (!m_maxSteps || seconds <= 0 || m_now.steps == oldest.steps) {
        return std::nullopt;
    }
    const auto left = static_cast<double>(std::max<std::int64_t>(0, *m_maxSteps - m_step));
    const auto done = static_cast<double>(m_now.steps);
    const double elapsed = m_now.time + m_workTime;
    const bool hasCome = elapsed >= kFewestSeconds && done >= kEvidenceShare * (done + left);
    if (elapsed < kEvidenceSeconds && !hasCome) {
        return std::nullopt;
    }
    const double secondsPerStep = seconds / static_cast<double>(m_now.steps - oldest.steps);
    return left * (secondsPerStep + m_workTime / done);
}

void ProgressMeter::pause(bool byPerson)
{
    if (m_pauseDepth++ == 0) {
        m_pausedAt = m_clock->steadyTime();
        m_isByPerson = byPerson;
    }
}

void ProgressMeter::resume()
{
    if (--m_pauseDepth > 0) {
        return;
    }
    const double seconds = m_clock->steadyTime() - m_pausedAt;
    m_pausedTime += seconds;
    if (!m_isByPerson && m_now.steps > 0) {
        m_workTime += seconds;
    }
}

} // namespace cannery::train
