#include "core/train/session.h"

namespace cannery::train {

Session::Session(SessionOptions options)
    : m_options(std::move(options)), m_pipeline(m_options.pipeline, m_options.position),
      m_progress(*m_options.clock, m_options.globalStep, m_options.maxSteps),
      m_globalStep(m_options.globalStep)
{}

Session::~Session() = default;

void Session::addHook(std::unique_ptr<Hook> hook)
{
    m_hooks.push_back(std::move(hook));
}

Result<SessionOutcome> Session::run()
{
    m_outcome.startStep = m_globalStep;
    m_options.observer->started(m_globalStep, m_options.maxSteps);
    for (const auto& hook : m_hooks) {
        CANNERY_TRY(hook->begin(*this));
    }
    while (!m_stopRequested) {
        if (isCancelled()) {
            requestStop(StopReason::Cancelled, "Stopped on request.");
            break;
        }
        CANNERY_TRY_ASSIGN(const bool hadInput, step());
        if (!hadInput) {
            requestStop(StopReason::InputEnded, "The training data has ended.");
        }
    }
    m_options.observer->progressed(m_progress.report());
    if (m_outcome.reason == StopReason::Cancelled) {
        m_options.observer->stateChanged(storage::RunState::Finishing, "Writing the checkpoint.");
    }
    for (const auto& hook : m_hooks) {
        CANNERY_TRY(hook->end(*this));
    }
    m_outcome.globalStep = m_globalStep;
    return m_outcome;
}

Result<bool> Session::step()
{
    if (!m_pipeline.next(m_batchRows)) {
        return false;
    }
    CANNERY_TRY(m_options.rows->gather(m_batchRows, m_batch));
    const double loss = m_options.model->train(m_batch, m_globalStep);
    ++m_globalStep;
    m_outcome.loss = loss;
    const StepResult result{.globalStep = m_globalStep, .loss = loss, .rows = m_batch.rowCount};
    m_options.observer->stepDone(m_globalStep, loss);
    if (const auto progress = m_progress.stepDone(m_globalStep, m_batch.rowCount, loss)) {
        m_options.observer->progressed(*progress);
    }
    for (const auto& hook : m_hooks) {
        CANNERY_TRY(hook->afterStep(*this, result));
    }
    return true;
}

std::vector<plan::StateTensor> Session::state()
{
    std::vector<plan::StateTensor> all = m_options.model->state();
    all.insert(all.end(), m_options.extraState.begin(), m_options.extraState.end());
    return all;
}

CheckpointSidecar Session::sidecar() const
{
    return {.globalStep = m_globalStep,
            .dataFingerprint = m_options.dataFingerprint,
            .engine = m_options.engine,
            .input = data::toText(m_pipeline.options(), m_pipeline.position())};
}

void Session::requestStop(StopReason reason, std::string sentence)
{
    if (!m_stopRequested) {
        m_stopRequested = true;
        m_outcome.reason = reason;
        m_outcome.sentence = std::move(sentence);
    }
}

bool Session::isCancelled() const
{
    return m_options.stop != nullptr && m_options.stop->load(std::memory_order_relaxed);
}

} // namespace cannery::train
