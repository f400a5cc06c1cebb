// SPDX-License-Identifier: Apache-2.0
#include "core/train/training_loop.h"

namespace cannery::train {
namespace {

/// A signal cannot wake a waiting thread, so the flag is polled.
constexpr std::chrono::milliseconds kPauseLook(50);

} // namespace

TrainingLoop::TrainingLoop(TrainingLoopOptions options)
    : m_options(std::move(options)), m_pipeline(m_options.pipeline, m_options.position),
      m_progress(*m_options.clock, m_options.globalStep, m_options.maxSteps),
      m_globalStep(m_options.globalStep)
{}

TrainingLoop::~TrainingLoop() = default;

void TrainingLoop::addHook(std::unique_ptr<Hook> hook)
{
    m_hooks.push_back(std::move(hook));
}

Result<TrainingOutcome> TrainingLoop::run()
{
    m_outcome.startStep = m_globalStep;
    m_options.observer->started(m_globalStep, m_options.maxSteps);
    for (const auto& hook : m_hooks) {
        CANNERY_TRY(hook->begin(*this));
    }
    while (!m_stopRequested) {
        CANNERY_TRY(obey());
        if (m_stopRequested) {
            break;
        }
        CANNERY_TRY_ASSIGN(const bool hadInput, step());
        if (!hadInput) {
            requestStop(StopReason::InputEnded, "The training data has ended.");
        }
    }
    m_options.observer->progressed(report());
    CANNERY_TRY(finish());
    m_outcome.globalStep = m_globalStep;
    return m_outcome;
}

Result<void> TrainingLoop::finish()
{
    if (m_outcome.reason == StopReason::Discarded) {
        return {};
    }
    if (m_outcome.reason == StopReason::Cancelled || m_outcome.reason == StopReason::Requested) {
        m_options.observer->stateChanged(storage::RunState::Finishing, "Writing the checkpoint.");
    }
    for (const auto& hook : m_hooks) {
        CANNERY_TRY(hook->end(*this));
    }
    return {};
}

Result<void> TrainingLoop::obey()
{
    TrainingControl* control = m_options.control;
    if (control != nullptr && control->hasWishes()) {
        if (control->takeCheckpointWish()) {
            CANNERY_TRY(checkpoint());
        }
        if (control->isPaused() && !isCancelled()) {
            CANNERY_TRY(pause());
        }
        if (control->ending() == Ending::Discard) {
            requestStop(StopReason::Discarded, "Stopped on request, without saving.");
        } else if (control->ending() == Ending::Keep) {
            requestStop(StopReason::Requested, "Stopped on request.");
        }
    }
    if (isCancelled()) {
        requestStop(StopReason::Cancelled, "Stopped on request.");
    }
    return {};
}

Result<void> TrainingLoop::pause()
{
    m_options.observer->progressed(report());
    m_progress.pause(true);
    m_options.observer->stateChanged(storage::RunState::Paused, "");
    // The machine may be switched off meanwhile.
    CANNERY_TRY(checkpoint());
    while (m_options.control->isPaused() && !isCancelled()) {
        m_options.control->waitWhilePaused(kPauseLook);
        if (m_options.control->takeCheckpointWish()) {
            CANNERY_TRY(checkpoint());
        }
    }
    m_progress.resume();
    if (m_options.control->ending() == Ending::None && !isCancelled()) {
        m_options.observer->stateChanged(storage::RunState::Running, "");
    }
    return {};
}

Result<void> TrainingLoop::checkpoint()
{
    for (const auto& hook : m_hooks) {
        CANNERY_TRY(hook->checkpoint(*this));
    }
    return {};
}

Result<bool> TrainingLoop::step()
{
    const double begin = now();
    if (!m_pipeline.next(m_batchRows)) {
        return false;
    }
    CANNERY_TRY(m_options.rows->gather(m_batchRows, m_batch, m_options.runBlocks));
    const double gathered = now();
    const double loss = m_options.model->train(m_batch, m_globalStep);
    const StepTimes times{.rows = m_batch.rowCount,
                          .inputSeconds = gathered - begin,
                          .deviceSeconds = now() - gathered};
    ++m_globalStep;
    m_outcome.loss = loss;
    const StepResult result{.globalStep = m_globalStep, .loss = loss, .rows = m_batch.rowCount};
    m_options.observer->stepDone(m_globalStep, loss);
    if (m_progress.stepDone(m_globalStep, times, loss)) {
        m_options.observer->progressed(report());
    }
    for (const auto& hook : m_hooks) {
        CANNERY_TRY(hook->afterStep(*this, result));
    }
    return true;
}

Progress TrainingLoop::report() const
{
    Progress progress = m_progress.report();
    const data::InputPosition position = m_pipeline.position();
    progress.epochs =
        static_cast<double>(position.epoch) +
        static_cast<double>(position.offset) / static_cast<double>(m_pipeline.options().rows);
    return progress;
}

std::vector<plan::StateTensor> TrainingLoop::state()
{
    std::vector<plan::StateTensor> all = m_options.model->state();
    all.insert(all.end(), m_options.extraState.begin(), m_options.extraState.end());
    return all;
}

CheckpointSidecar TrainingLoop::sidecar() const
{
    return {.globalStep = m_globalStep,
            .dataFingerprint = m_options.dataFingerprint,
            .engine = m_options.engine,
            .input = data::toText(m_pipeline.options(), m_pipeline.position())};
}

void TrainingLoop::requestStop(StopReason reason, std::string sentence)
{
    if (!m_stopRequested) {
        m_stopRequested = true;
        m_outcome.reason = reason;
        m_outcome.sentence = std::move(sentence);
    }
}

bool TrainingLoop::isCancelled() const
{
    return mustHurry(m_options.stop, m_options.control);
}

} // namespace cannery::train
