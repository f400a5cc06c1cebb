// SPDX-License-Identifier: Apache-2.0
#include "core/train/loop/training_loop.h"

#include "core/base/interruption.h"

#include <utility>

namespace cannery::train {
namespace {

/// A signal cannot wake a waiting thread, so the flag is polled.
constexpr std::chrono::milliseconds kPauseLook(50);
} // namespace

TrainingLoop::TrainingLoop(TrainingLoopOptions options)
    : m_options(std::move(options)), m_input(m_options.input, m_options.position),
      m_leases(m_options.input.pipeline, m_options.position),
      m_progress(*m_options.clock, m_options.globalStep, m_options.maxSteps),
      m_globalStep(m_options.globalStep), m_batches({.rows = m_options.rows,
                                                     .input = &m_input,
                                                     .shards = m_options.input.count,
                                                     .idle = m_options.idle})
{}

TrainingLoop::~TrainingLoop() = default;

void TrainingLoop::addHook(std::unique_ptr<Hook> hook)
{
    m_hooks.push_back(std::move(hook));
}

Result<TrainingOutcome> TrainingLoop::run()
{
    CANNERY_TRY(meet());
    CANNERY_TRY(setTable());
    m_outcome.startStep = m_globalStep;
    m_options.observer->started(m_globalStep, m_options.maxSteps);
    tellWhereRowsAre();
    for (const auto& hook : m_hooks) {
        CANNERY_TRY(hook->begin(*this));
    }
    bool goesOn = true;
    while (goesOn) {
        CANNERY_TRY(stepUntilStop());
        CANNERY_TRY_ASSIGN(goesOn, isNeededAgain());
    }
    m_options.observer->progressed(report());
    CANNERY_TRY(finish());
    m_outcome.globalStep = m_globalStep;
    return m_outcome;
}

Result<void> TrainingLoop::stepUntilStop()
{
    stopIfLearned();
    while (!m_stopRequested) {
        CANNERY_TRY(obey());
        if (m_stopRequested) {
            break;
        }
        CANNERY_TRY_ASSIGN(const bool hadInput, isOnDevice() ? stepsOnDevice() : step());
        if (!hadInput) {
            CANNERY_TRY(awaitOthers());
            requestStop(StopReason::InputEnded, endOfInput());
        }
    }
    if (m_options.group != nullptr) {
        endTogether();
    }
    return {};
}

std::string TrainingLoop::endOfInput() const
{
    std::string sentence = "The training data has ended.";
    if (const std::int64_t dropped = m_input.droppedBatches(); dropped > 0) {
        sentence += fmt::format(" Its last {} not fill a step of {} and {} left out.",
                                dropped == 1 ? "batch does" : fmt::format("{} batches do", dropped),
                                m_options.input.shards, dropped == 1 ? "is" : "are");
    }
    return sentence;
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
    if (isCancelled()) { // the hooks have hurried: there may be no last evaluation, nor an export
        m_outcome.reason = StopReason::Cancelled;
        m_outcome.sentence = kStoppedBySignal;
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
        if (control->ending() == Ending::Keep) {
            requestStop(StopReason::Requested, "Stopped on request.");
        }
    }
    if (isCancelled()) {
        hurryToStop();
    }
    return {};
}

/// By a signal, or by a request to save nothing, which may arrive at any moment: only what is asked
/// here, after isCancelled(), tells which.
void TrainingLoop::hurryToStop()
{
    const TrainingControl* control = m_options.control;
    if (control != nullptr && control->ending() == Ending::Discard) {
        requestStop(StopReason::Discarded, "Stopped on request, without saving.");
    } else {
        requestStop(StopReason::Cancelled, std::string(kStoppedBySignal));
    }
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
        if (m_options.group != nullptr) {
            m_options.group->passNotes(); // others may be lost meanwhile
        }
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

Result<std::optional<std::int64_t>> TrainingLoop::takeBatches()
{
    if (m_options.model->readsTable()) {
        m_batches.all().clear();
        return m_options.rows->rowCount();
    }
    CANNERY_TRY_ASSIGN(const std::int64_t rows, m_batches.take());
    if (rows == 0) {
        return std::optional<std::int64_t>();
    }
    if (!m_options.hasLeases) { // which say what comes next
        m_batches.prepareNext();
    }
    return rows;
}

Result<const features::EncodedRows*> TrainingLoop::batch()
{
    if (m_batches.all().empty()) {
        return &m_noRows;
    }
    if (isOnDevice()) {
        CANNERY_TRY(m_batches.replaceFirst(m_deviceRows.front()));
    }
    return &m_batches.all().front();
}

void TrainingLoop::stopIfLearned()
{
    if (std::optional<std::string> end = m_options.model->model().trainingEnd()) {
        requestStop(StopReason::Learned, *std::move(end));
    }
}

Result<bool> TrainingLoop::step()
{
    const double begin = now();
    plan::StepTrace* const trace = std::exchange(m_nextTrace, nullptr);
    const std::int64_t traceBegin = plan::StepTrace::now();
    if (m_options.hasLeases) {
        CANNERY_TRY_ASSIGN(const bool isLeft, takeLease());
        if (!isLeft || m_stopRequested) {
            return isLeft;
        }
    }
    // Where the input goes back to if the step comes to nothing.
    const data::InputPosition before = m_input.position();
    CANNERY_TRY_ASSIGN(const std::optional<std::int64_t> taken, takeBatches());
    if (!taken) {
        return false;
    }
    const std::int64_t rows = *taken;
    const double gathered = now();
    if (trace != nullptr) {
        trace->add(plan::TracePhase::Input, "input", "gather", traceBegin,
                   plan::StepTrace::now() - traceBegin);
    }
    CANNERY_TRY_ASSIGN(const std::optional<double> trained,
                       trace == nullptr ? train(before) : trainTraced(before, *trace));
    if (!trained) {
        m_nextTrace = trace;
        return true;
    }
    const double loss = *trained;
    const StepTimes times{
        .rows = rows, .inputSeconds = gathered - begin, .deviceSeconds = now() - gathered};
    // Such a step only prepared others, and has no number: summaries and checkpoints do not count
    // it.
    if (!m_options.model->advanced()) {
        m_options.observer->stepDone(m_globalStep, loss);
        for (const auto& hook : m_hooks) {
            CANNERY_TRY(hook->afterPreparation(
                *this, {.globalStep = m_globalStep, .loss = loss, .rows = rows}));
        }
        return true;
    }
    m_globalStep =
        m_options.parameters != nullptr ? m_options.parameters->globalStep() : m_globalStep + 1;
    if (m_options.group != nullptr) {
        m_options.group->passNotes();
        m_options.group->reportSteps(m_globalStep, 1, now() - begin);
    }
    CANNERY_TRY(recordStep({.globalStep = m_globalStep, .loss = loss, .rows = rows}, times));
    stopIfLearned();
    return true;
}

Result<void> TrainingLoop::recordStep(const StepResult& result, const StepTimes& times)
{
    m_outcome.loss = result.loss;
    m_options.observer->stepDone(m_globalStep, result.loss);
    if (m_progress.stepDone(m_globalStep, times, result.loss)) {
        m_options.observer->progressed(report());
    }
    for (const auto& hook : m_hooks) {
        CANNERY_TRY(hook->afterStep(*this, result));
    }
    return {};
}

Result<std::optional<double>> TrainingLoop::trainTraced(data::InputPosition before,
                                                        plan::StepTrace& trace)
{
    m_options.model->model().trace(&trace);
    Result<std::optional<double>> loss = train(before);
    m_options.model->model().trace(nullptr);
    if (!loss || !*loss) {
        static_cast<void>(trace.take());
    }
    return loss;
}

Result<std::optional<double>> TrainingLoop::train(data::InputPosition before)
{
    // Goes with the push, so that servers know after which batch this task continues.
    if (m_options.parameters != nullptr && !m_options.hasLeases) {
        const data::InputPosition after = m_input.position();
        m_options.parameters->setPlace({.epoch = after.epoch, .offset = after.offset});
    }
    Result<std::optional<double>> loss = m_options.model->train(m_batches.all(), m_globalStep);
    if (loss && *loss) {
        return loss;
    }
    m_input.moveTo(before);
    if (loss && m_options.parameters != nullptr) {
        CANNERY_TRY(endRemotely());
        return std::nullopt;
    }
    if (loss) {
        CANNERY_TRY(endWithOthers());
        return std::nullopt;
    }
    // Only a lost task is worth meeting again; any other error ends the training.
    if (m_options.group == nullptr || !strategies::WorkerGroup::isLoss(loss.error())) {
        return loss;
    }
    const Result<void> joined = rejoin();
    if (!joined) {
        CANNERY_TRY(endAlone(joined.error()));
    }
    return std::nullopt;
}

/// Takes a batch and puts it back: whether rows are left depends on how they make up batches.
bool TrainingLoop::isAtEnd()
{
    if (m_options.maxSteps && m_globalStep >= *m_options.maxSteps) {
        return true;
    }
    const data::InputPosition before = m_input.position();
    std::vector<std::vector<std::int64_t>> batches;
    const std::int64_t rows = m_input.next(batches);
    m_input.moveTo(before);
    return rows == 0;
}

Progress TrainingLoop::report()
{
    Progress progress = m_progress.report();
    progress.epochs = m_input.epochs();
    if (m_options.accelerator != nullptr) {
        const kernels::AcceleratorUse use = m_options.accelerator->use();
        progress.device = {.usedBytes = use.usedBytes,
                           .memoryBytes = m_options.accelerator->facts().memoryBytes,
                           .busy = use.busy};
    }
    return progress;
}

/// TensorFlow's MirroredStrategy saves the slots of each replica under a name of its own.
std::vector<plan::StateTensor> TrainingLoop::state()
{
    std::vector<plan::StateTensor> all = m_options.model->state();
    const std::size_t count = all.size();
    for (std::size_t i = 0; i < count; ++i) {
        for (std::int64_t replica = 1; all[i].isSlot() && replica < m_options.slotCopies;
             ++replica) {
            plan::StateTensor copy = all[i];
            copy.name += fmt::format("/replica_{}", replica);
            all.push_back(std::move(copy));
        }
    }
    all.insert(all.end(), m_options.extraState.begin(), m_options.extraState.end());
    return all;
}

CheckpointSidecar TrainingLoop::sidecar() const
{
    return {.globalStep = m_globalStep,
            .dataFingerprint = m_options.dataFingerprint,
            .engine = m_options.engine,
            .input = data::toText(m_input.options(),
                                  m_options.hasLeases
                                      ? m_leases.positionOf(m_options.parameters->firstOpenBatch())
                                      : m_input.position())};
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
