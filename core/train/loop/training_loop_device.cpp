// SPDX-License-Identifier: Apache-2.0
// The training loop where an accelerator takes several steps at once.
#include "core/train/loop/training_loop.h"

#include "core/base/byte_text.h"
#include "core/train/loop/steps_at_once.h"
#include "kernels/device/thread_pool.h"

#include <algorithm>
#include <utility>

namespace cannery::train {

namespace {

std::string stepsText(std::int64_t first, std::int64_t last)
{
    return first == last ? fmt::format("training step {}", first)
                         : fmt::format("training steps {} to {}", first, last);
}

} // namespace

bool TrainingLoop::isOnDevice() const
{
    return m_options.model->model().mostQueued() > 0;
}

/// After a group of GPUs has its memory. Who has no cluster takes no step.
Result<void> TrainingLoop::setTable()
{
    if (m_isAlone) {
        return {};
    }
    const Result<void> set = m_options.model->setTable(
        *m_options.rows, kernels::lend(m_options.model->model().threadPool()).run);
    if (!set) {
        CANNERY_TRY(endIfLost(set.error()));
    }
    return {};
}

/// Of a training on an accelerator.
void TrainingLoop::tellWhereRowsAre()
{
    const std::int64_t bytes = m_options.model->model().tableBytes();
    if (bytes == 0 && !isOnDevice()) {
        return;
    }
    m_options.observer->logged(
        LogLevel::Info,
        bytes > 0 ? fmt::format("The training rows are in the GPU's memory: {}.",
                                byteText(static_cast<double>(bytes)))
                  : std::string("The training rows do not fit into the GPU's memory: batches are "
                                "brought there while it computes."));
}

std::int64_t TrainingLoop::stepsAhead() const
{
    if (m_nextTrace != nullptr) {
        return 1;
    }
    std::int64_t steps = std::min(m_stepsAtOnce, m_options.model->model().mostQueued());
    for (const auto& hook : m_hooks) {
        steps = std::min(steps, hook->stepsAhead(*this));
    }
    return steps;
}

/// False after the end of the input. Hooks see one step after the other, as if none had been taken
/// at once.
Result<bool> TrainingLoop::stepsOnDevice()
{
    plan::Model& model = m_options.model->model();
    const double met = now();
    const std::int64_t wanted = stepsAhead();
    model.trace(std::exchange(m_nextTrace, nullptr));
    const Result<std::int64_t> agreed = model.agreeOnSteps(wanted);
    if (!agreed || *agreed == 0) {
        model.trace(nullptr);
        if (!agreed && !isLoss(agreed.error())) {
            return tl::make_unexpected(agreed.error());
        }
        CANNERY_TRY(agreed ? endWithOthers() : endWithoutGroup());
        return true;
    }
    const double begin = now();
    m_ahead.resize(static_cast<std::size_t>(*agreed));
    const Result<std::int64_t> queued = queueAhead();
    const double waited = now();
    const Result<std::span<const double>> losses =
        queued ? model.finish() : tl::make_unexpected(queued.error());
    model.trace(nullptr);
    if (!losses) {
        const auto last = m_globalStep + static_cast<std::int64_t>(m_ahead.size());
        CANNERY_TRY(endIfLost(Error(losses.error()).with(stepsText(m_globalStep + 1, last))));
        return true;
    }
    if (*queued == 0) {
        return false;
    }
    const double end = now();
    m_stepsAtOnce = nextAtOnce(*queued, end - begin);
    if (m_options.group != nullptr) {
        m_options.group->passNotes();
        m_options.group->reportSteps(m_globalStep + *queued, *queued, end - met);
    }
    const auto share = static_cast<double>(*queued);
    CANNERY_TRY(recordAhead(*losses, {.inputSeconds = (waited - begin) / share,
                                      .deviceSeconds = (end - waited) / share}));
    stopIfLearned();
    return true;
}

/// As many steps as m_ahead has room for, unless the input ends before; returns how many.
Result<std::int64_t> TrainingLoop::queueAhead()
{
    std::int64_t step = m_globalStep;
    for (std::vector<std::vector<std::int64_t>>& rows : m_ahead) {
        if (m_input.next(m_deviceRows) == 0) {
            break;
        }
        rows.swap(m_deviceRows);
        CANNERY_TRY(m_options.model->model().queue(rows, step));
        ++step;
    }
    return step - m_globalStep;
}

Result<void> TrainingLoop::recordAhead(std::span<const double> losses, StepTimes times)
{
    for (std::size_t step = 0; step < losses.size(); ++step) {
        m_deviceRows.swap(m_ahead[step]);
        times.rows = 0;
        for (const std::vector<std::int64_t>& rows : m_deviceRows) {
            times.rows += static_cast<std::int64_t>(rows.size());
        }
        ++m_globalStep;
        CANNERY_TRY(recordStep({.globalStep = m_globalStep,
                                .loss = losses[step],
                                .rows = times.rows,
                                .isLatest = step + 1 == losses.size()},
                               times));
    }
    return {};
}

} // namespace cannery::train
