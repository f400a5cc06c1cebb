// SPDX-License-Identifier: Apache-2.0
#include "core/train/loop/training_loop.h"

#include "core/base/byte_text.h"
#include "core/plan/learners/learner.h"
#include "kernels/device/thread_pool.h"

#include <algorithm>
#include <utility>

namespace cannery::train {
namespace {

/// A signal cannot wake a waiting thread, so the flag is polled.
constexpr std::chrono::milliseconds kPauseLook(50);

/// Not to be continued, as a training is that was told to stop.
bool isAtItsEnd(StopReason reason)
{
    return reason == StopReason::InputEnded || reason == StopReason::MaxSteps ||
           reason == StopReason::EarlyStopping || reason == StopReason::Learned ||
           reason == StopReason::Ended;
}
} // namespace

TrainingLoop::TrainingLoop(TrainingLoopOptions options)
    : m_options(std::move(options)), m_place{.input = data::ShardedInput(m_options.input,
                                                                         m_options.position),
                                             .globalStep = m_options.globalStep},
      m_end(m_options.stop, m_options.control),
      m_progress(*m_options.clock, m_options.globalStep, m_options.maxSteps),
      m_batches({.rows = m_options.rows,
                 .input = &m_place.input,
                 .shards = m_options.input.count,
                 .idle = m_options.idle})
{
    if (m_options.group != nullptr) {
        m_cluster.emplace(ClusterSteps::Parts{.group = *m_options.group,
                                              .model = *m_options.model,
                                              .place = m_place,
                                              .end = m_end,
                                              .clock = *m_options.clock,
                                              .maxSteps = m_options.maxSteps,
                                              .makeGroupId = m_options.makeGroupId,
                                              .checkpoint = [this] { return checkpoint(); }});
    }
    if (m_options.parameters != nullptr) {
        std::optional<LeasedBatches> leases;
        if (m_options.hasLeases) {
            leases.emplace(m_options.input.pipeline, m_options.position);
        }
        m_parameters.emplace(*m_options.parameters, std::move(leases), m_place, m_end);
    }
    if (plan::DeviceTraining* const device = m_options.model->model().device()) {
        m_device.emplace(*device, m_place, *m_options.clock);
    }
}

TrainingLoop::~TrainingLoop() = default;

void TrainingLoop::addHook(std::unique_ptr<Hook> hook)
{
    m_hooks.push_back(std::move(hook));
}

Result<TrainingOutcome> TrainingLoop::run()
{
    if (m_cluster) {
        CANNERY_TRY(m_cluster->meet());
    }
    CANNERY_TRY(setTable());
    m_startStep = m_place.globalStep;
    m_options.observer->started(m_place.globalStep, m_options.maxSteps);
    logWhereRowsAre();
    for (const auto& hook : m_hooks) {
        CANNERY_TRY(hook->begin(*this));
    }
    bool goesOn = true;
    while (goesOn) {
        CANNERY_TRY(stepUntilStop());
        goesOn = false;
        if (m_cluster) {
            CANNERY_TRY_ASSIGN(goesOn, m_cluster->isNeededAgain());
        }
    }
    m_options.observer->progressed(report());
    CANNERY_TRY(finish());
    return TrainingOutcome{.reason = m_end.reason(),
                           .sentence = m_end.sentence(),
                           .startStep = m_startStep,
                           .globalStep = m_place.globalStep,
                           .loss = m_loss};
}

Result<void> TrainingLoop::stepUntilStop()
{
    stopIfLearned();
    while (!m_end.isRequested()) {
        CANNERY_TRY(obey());
        if (m_end.isRequested()) {
            break;
        }
        CANNERY_TRY_ASSIGN(const bool hadInput, isOnDevice() ? stepsOnDevice() : step());
        if (!hadInput) {
            if (m_parameters) {
                CANNERY_TRY(m_parameters->awaitOthers([this] { return obey(); }));
            }
            requestStop(StopReason::InputEnded, endOfInput());
        }
    }
    if (m_cluster) {
        m_cluster->endTogether();
    }
    return {};
}

std::string TrainingLoop::endOfInput() const
{
    std::string sentence = "The training data has ended.";
    if (const std::int64_t dropped = m_place.input.droppedBatches(); dropped > 0) {
        sentence += fmt::format(" Its last {} not fill a step of {} and {} left out.",
                                dropped == 1 ? "batch does" : fmt::format("{} batches do", dropped),
                                m_options.input.shards, dropped == 1 ? "is" : "are");
    }
    return sentence;
}

Result<void> TrainingLoop::finish()
{
    if (m_end.reason() == StopReason::Discarded) {
        return {};
    }
    if (m_end.reason() == StopReason::Cancelled || m_end.reason() == StopReason::Requested) {
        m_options.observer->stateChanged(storage::RunState::Finishing, "Writing the checkpoint.");
    }
    takeAveragesAtEnd();
    for (const auto& hook : m_hooks) {
        CANNERY_TRY(hook->end(*this));
    }
    if (isCancelled()) { // the hooks have hurried: there may be no last evaluation, nor an export
        m_end.becomeCancelled();
    }
    return {};
}

Result<void> TrainingLoop::obey()
{
    TrainingControl* control = m_options.control;
    if (control != nullptr && control->hasRequests()) {
        if (control->takeCheckpointRequest()) {
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
        m_end.requestAtOnce();
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
        if (m_cluster) {
            m_cluster->passNotes(); // others may be lost meanwhile
        }
        if (m_options.control->takeCheckpointRequest()) {
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
    if (!m_parameters || !m_parameters->hasLeases()) { // which say what comes next
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
        CANNERY_TRY(m_batches.replaceFirst(m_device->firstBatch()));
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
    if (m_parameters && m_parameters->hasLeases()) {
        CANNERY_TRY_ASSIGN(const bool isLeft, m_parameters->takeLease([this] { return obey(); }));
        if (!isLeft || m_end.isRequested()) {
            return isLeft;
        }
    }
    // Where the input goes back to if the step comes to nothing.
    const data::InputPosition before = m_place.input.position();
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
        CANNERY_TRY(
            recordPreparation({.globalStep = m_place.globalStep, .loss = loss, .rows = rows}));
        return true;
    }
    if (m_parameters) {
        m_parameters->takeGlobalStep();
    } else {
        ++m_place.globalStep;
    }
    if (m_cluster) {
        m_cluster->report(m_place.globalStep, 1, now() - begin);
    }
    CANNERY_TRY(recordStep({.globalStep = m_place.globalStep, .loss = loss, .rows = rows}, times));
    stopIfLearned();
    return true;
}

Result<void> TrainingLoop::recordPreparation(const StepResult& result)
{
    m_options.observer->stepDone(result.globalStep, result.loss);
    for (const auto& hook : m_hooks) {
        CANNERY_TRY(hook->afterPreparation(*this, result));
    }
    return {};
}

Result<void> TrainingLoop::recordStep(const StepResult& result, const StepTimes& times)
{
    m_loss = result.loss;
    m_options.observer->stepDone(m_place.globalStep, result.loss);
    if (m_progress.stepDone(m_place.globalStep, times, result.loss)) {
        m_options.observer->progressed(report());
    }
    for (const auto& hook : m_hooks) {
        CANNERY_TRY(hook->afterStep(*this, result));
        // Before the next hooks save: what they keep is what Keras's fit() leaves.
        takeAveragesAtEnd();
    }
    return {};
}

void TrainingLoop::takeAveragesAtEnd()
{
    if (m_end.isRequested() && isAtItsEnd(m_end.reason()) && !m_hasLastWeights) {
        m_hasLastWeights = m_options.model->model().takeAverages();
    }
}

/// After a group of GPUs has its memory. Who has no cluster takes no step.
Result<void> TrainingLoop::setTable()
{
    if (m_cluster && m_cluster->isAlone()) {
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
void TrainingLoop::logWhereRowsAre()
{
    plan::Model& model = m_options.model->model();
    const std::int64_t bytes = model.learner() != nullptr  ? model.learner()->tableBytes()
                               : model.device() != nullptr ? model.device()->tableBytes()
                                                           : 0;
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
    std::int64_t steps = m_device->most();
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
    const double begin = now();
    const std::int64_t wanted = stepsAhead();
    model.trace(std::exchange(m_nextTrace, nullptr));
    const Result<std::int64_t> agreed = m_device->agree(wanted);
    if (!agreed || *agreed == 0) {
        model.trace(nullptr);
        if (!agreed && !(m_cluster && ClusterSteps::isLoss(agreed.error()))) {
            return tl::make_unexpected(agreed.error());
        }
        CANNERY_TRY(agreed ? m_cluster->endWithOthers() : m_cluster->endWithoutGroup());
        return true;
    }
    const Result<DeviceSteps::Taken> taken = m_device->take(*agreed);
    model.trace(nullptr);
    if (!taken) {
        CANNERY_TRY(endIfLost(taken.error()));
        return true;
    }
    if (taken->losses.empty()) {
        return false;
    }
    if (m_cluster) {
        const auto steps = static_cast<std::int64_t>(taken->losses.size());
        m_cluster->report(m_place.globalStep + steps, steps, now() - begin);
    }
    CANNERY_TRY(recordAhead(*taken));
    stopIfLearned();
    return true;
}

Result<void> TrainingLoop::recordAhead(const DeviceSteps::Taken& taken)
{
    for (std::size_t step = 0; step < taken.losses.size(); ++step) {
        const std::int64_t rows = m_device->goTo(step);
        ++m_place.globalStep;
        CANNERY_TRY(recordStep({.globalStep = m_place.globalStep,
                                .loss = taken.losses[step],
                                .rows = rows,
                                .isLatest = step + 1 == taken.losses.size()},
                               {.rows = rows,
                                .inputSeconds = taken.inputSeconds,
                                .deviceSeconds = taken.deviceSeconds}));
    }
    return {};
}

Result<void> TrainingLoop::endIfLost(const Error& failure)
{
    return m_cluster ? m_cluster->endIfLost(failure) : tl::make_unexpected(failure);
}

Result<void> TrainingLoop::bringState()
{
    if (m_parameters) {
        return m_parameters->bringState();
    }
    plan::DeviceTraining* const device = m_options.model->model().device();
    return device == nullptr ? Result<void>() : device->bringState();
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
    if (m_parameters) {
        m_parameters->sendPlace();
    }
    Result<std::optional<double>> loss =
        m_options.model->train(m_batches.all(), m_place.globalStep);
    if (loss && *loss) {
        return loss;
    }
    m_place.input.moveTo(before);
    if (loss) {
        CANNERY_TRY(m_parameters ? m_parameters->endStep() : m_cluster->endWithOthers());
        return std::nullopt;
    }
    // Only a lost task is worth meeting again; any other error ends the training.
    if (!m_cluster || !strategies::WorkerGroup::isLoss(loss.error())) {
        return loss;
    }
    CANNERY_TRY(m_cluster->meetAgain());
    return std::nullopt;
}

Progress TrainingLoop::report()
{
    Progress progress = m_progress.report();
    progress.epochs = m_place.input.epochs();
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
    return {.globalStep = m_place.globalStep,
            .dataFingerprint = m_options.dataFingerprint,
            .engine = m_options.engine,
            .input =
                data::toText(m_place.input.options(),
                             m_parameters ? m_parameters->position() : m_place.input.position())};
}

} // namespace cannery::train
