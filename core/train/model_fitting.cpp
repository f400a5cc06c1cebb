// SPDX-License-Identifier: Apache-2.0
#include "core/train/model_fitting.h"

#include "core/export/saved_model_exporter.h"
#include "core/spec/histogram_growth.h"
#include "core/train/checkpoints/best_checkpoints.h"
#include "core/train/checkpoints/warm_start.h"
#include "core/train/cluster.h"
#include "core/train/evaluation/evaluation_listener.h"
#include "core/train/exporters/exporter_catalog.h"
#include "core/train/exporters/model_export.h"
#include "core/train/hooks/evaluation_watch_hook.h"
#include "core/train/hooks/hook_catalog.h"
#include "core/train/hooks/hyperparameter_hook.h"
#include "core/train/hooks/insight_hook.h"
#include "core/train/hooks/logging_hook.h"
#include "core/train/hooks/nan_guard_hook.h"
#include "core/train/hooks/patience_hook.h"
#include "core/train/hooks/run_folder_hook.h"
#include "core/train/hooks/step_counter_hook.h"
#include "core/train/hooks/stop_at_step_hook.h"
#include "core/train/hooks/summary_saver_hook.h"
#include "core/train/loop/command_listener.h"
#include "core/train/loop/hyperparameters.h"
#include "core/train/loop/leased_batches.h"
#include "core/train/preparation/linear_start.h"
#include "core/train/records/eval_history.h"
#include "core/train/training_start.h"
#include "kernels/device/thread_pool.h"
#include "storage/io/atomic_write.h"
#include "storage/io/files.h"
#include "storage/tf/graphs/graph_text.h"

#include <algorithm>
#include <deque>

namespace cannery::train {
namespace {

Cadence checkpointCadence(const spec::RunConfig& config)
{
    if (config.save_checkpoints_steps() > 0) {
        return Cadence::everySteps(config.save_checkpoints_steps());
    }
    if (config.save_checkpoints_secs() > 0) {
        return Cadence::everySeconds(static_cast<double>(config.save_checkpoints_secs()));
    }
    return {};
}

class ModelFitting
{
public:
    explicit ModelFitting(const ModelFittingRequest& request)
        : m_request(request), m_experiment(request.experiment), m_model(*request.setup.model)
    {}

    Result<ModelFittingResult> run()
    {
        if (!isChief()) {
            return runAsWorker();
        }
        CANNERY_TRY_ASSIGN(const TrainingStart begun, begin());
        CANNERY_TRY_ASSIGN(const TrainingStart start, attach(begun));
        CANNERY_TRY(openFiles());
        TrainingLoop loop(loopOptions(start));
        CANNERY_TRY(addHooks(loop));
        Result<TrainingOutcome> ended = loop.run();
        // A save may still be in progress when an error or a request has ended the loop.
        const Result<void> committed = m_saverHook->commit(loop);
        // If the folder no longer exists, any error is due to that.
        CANNERY_TRY(m_folderHook->check(loop.globalStep()));
        CANNERY_TRY(publishEnd(ended && committed ? std::optional(ended->reason) : std::nullopt,
                               loop.globalStep()));
        CANNERY_TRY_ASSIGN(TrainingOutcome outcome, std::move(ended));
        CANNERY_TRY(committed);
        CANNERY_TRY(m_recorder->close());
        ModelFittingResult result{.outcome = std::move(outcome), .profile = m_profile};
        if (m_listener) {
            std::optional<Error> failure = m_listener->recorder().exportFailure();
            if (failure && result.outcome.reason != StopReason::Cancelled) {
                return tl::make_unexpected(
                    (*std::move(failure)).with("every step is trained, and its checkpoint saved"));
            }
            result.evaluation = m_listener->recorder().last();
            result.exports = m_listener->recorder().exports();
            result.warnings = m_listener->recorder().warnings();
        }
        return result;
    }

private:
    bool isChief() const
    {
        return (m_request.group == nullptr || m_request.group->isChief()) &&
               (m_request.parameters == nullptr || m_request.parameters->isChief());
    }

    /// Parameter servers give tasks that do not wait for each other their batches one at a time;
    /// others read shares of their own.
    bool hasLeases() const
    {
        return m_request.parameters != nullptr && !m_request.parameters->waitsForOthers() &&
               m_experiment.train_spec().input().shard() == spec::InputSharding::row &&
               m_request.setup.sharding.total == 1;
    }

    /// For TensorBoard. Nothing if the training will go on; no reason: it has failed, and that
    /// error counts more than one of telling it.
    Result<void> publishEnd(std::optional<StopReason> reason, std::int64_t step)
    {
        if (!reason) {
            static_cast<void>(m_recorder->sessionEnd(step, false));
            return {};
        }
        const bool goesOn = *reason == StopReason::Cancelled || *reason == StopReason::Interrupted;
        return goesOn ? Result<void>() : m_recorder->sessionEnd(step, true);
    }

    /// Takes part in the training of the parameter servers: from this start, if they have none.
    Result<TrainingStart> attach(const TrainingStart& start)
    {
        if (m_request.parameters == nullptr) {
            return start;
        }
        parameters::ParameterClient& parameters = *m_request.parameters;
        const spec::TrainSpec& trainSpec = m_experiment.train_spec();
        CANNERY_TRY(parameters.attach(
            {.lowered = m_request.setup.lowered,
             .state = m_model.state(),
             .experiment = identityOf(m_experiment, m_request.setup.summary.fingerprint),
             .folder = m_request.modelDir,
             .globalStep = start.globalStep,
             .place = {.epoch = start.position.epoch, .offset = start.position.offset},
             .maxSteps =
                 trainSpec.has_max_steps() ? std::optional(trainSpec.max_steps()) : std::nullopt,
             .leasedBatches = hasLeases()
                                  ? std::optional(LeasedBatches(pipeline(), start.position).count())
                                  : std::nullopt,
             .seed = static_cast<std::uint64_t>(m_experiment.run_config().tf_random_seed())}));
        const parameters::Place place = parameters.place();
        return TrainingStart{.globalStep = parameters.globalStep(),
                             .position = {.epoch = place.epoch, .offset = place.offset}};
    }

    /// The chief has the state to begin with, and saves, summarizes and evaluates.
    Result<ModelFittingResult> runAsWorker()
    {
        CANNERY_TRY_ASSIGN(const TrainingStart start, attach({}));
        TrainingLoop loop(loopOptions(start));
        CANNERY_TRY(addHooks(loop));
        CANNERY_TRY_ASSIGN(TrainingOutcome outcome, loop.run());
        return ModelFittingResult{.outcome = std::move(outcome)};
    }

    void log(LogLevel level, const std::string& sentence)
    {
        m_request.observer.logged(level, sentence);
    }

    data::PipelineOptions pipeline() const
    {
        const spec::Input& input = m_experiment.train_spec().input();
        const std::int64_t seed = input.has_shuffle_seed()
                                      ? input.shuffle_seed()
                                      : m_experiment.run_config().tf_random_seed();
        return {.rows = m_request.setup.trainRows.rowCount(),
                .batchSize = input.batch_size(),
                .shuffle = input.shuffle(),
                .seed = static_cast<std::uint64_t>(seed),
                .numEpochs = input.num_epochs(),
                .dropRemainder = input.drop_remainder()};
    }

    Result<TrainingStart> begin()
    {
        if (m_request.latest) {
            return restoreStart(*m_request.latest, m_model, pipeline(),
                                m_request.setup.summary.fingerprint,
                                engineOf(m_request.setup.device), m_request.observer);
        }
        if (!m_experiment.has_warm_start()) {
            CANNERY_TRY(startLinear());
            m_model.model().startAverages();
            return TrainingStart{};
        }
        CANNERY_TRY_ASSIGN(
            const WarmStartOutcome outcome,
            warmStart(m_experiment.warm_start(), m_request.folder, m_model.state(),
                      static_cast<std::uint64_t>(m_experiment.run_config().tf_random_seed())));
        m_model.model().startAverages();
        log(LogLevel::Info, fmt::format("Warm started {} variables from {}.",
                                        outcome.variables.size(), outcome.checkpoint));
        return TrainingStart{.globalStep = outcome.globalStep.value_or(0)};
    }

    Result<void> startLinear()
    {
        const spec::TrainSpec& training = m_experiment.train_spec();
        if (!training.has_linear_start()) {
            return {};
        }
        CANNERY_TRY_ASSIGN(const std::vector<plan::ClassWeight> weights,
                           classWeightsOf(training, m_request.setup.lowered.head));
        CANNERY_TRY_ASSIGN(
            const std::string sentence,
            startLinearPart(m_request.setup.lowered, m_request.setup.trainRows,
                            {.l2 = training.linear_start().l2_regularization_strength(),
                             .classWeights = weights},
                            m_model.model()));
        log(LogLevel::Info, sentence);
        return {};
    }

    Result<void> openFiles()
    {
        const spec::RunConfig& config = m_experiment.run_config();
        CANNERY_TRY_ASSIGN(
            CheckpointStore store,
            CheckpointStore::open(
                m_request.modelDir,
                {.retention = {.keepMax = config.keep_checkpoint_max(),
                               .keepEveryNHours = config.keep_checkpoint_every_n_hours()},
                 .clock = &m_request.clock,
                 .system = &m_request.system}));
        m_store.emplace(std::move(store));
        CANNERY_TRY_ASSIGN(m_best, BestCheckpoints::open(m_request.modelDir, m_experiment));
        if (auto best = m_best->best(); !best.empty()) {
            m_store->keepBest(std::move(best));
        }
        m_saver.emplace(*m_store, BackgroundSaver::Options{.pool = &m_model.model().threadPool(),
                                                           .clock = &m_request.clock});
        CANNERY_TRY_ASSIGN(const std::string graph, writeGraph());
        CANNERY_TRY_ASSIGN(SummaryRecorder recorder,
                           SummaryRecorder::create({.modelDir = m_request.modelDir,
                                                    .graph = graph,
                                                    .clock = &m_request.clock,
                                                    .observer = &m_request.observer,
                                                    .system = &m_request.system}));
        m_recorder.emplace(std::move(recorder));
        return {};
    }

    /// Writes graph.pbtxt, unless checkpoint_save_graph_def is false; the same graph for the event
    /// file. Training continues even if the graph cannot be drawn.
    Result<std::string> writeGraph()
    {
        Result<std::string> graph =
            exporting::inferenceGraph(m_request.setup.encoder, m_request.setup.lowered, {});
        if (!graph) {
            log(LogLevel::Warning, "The graph is not shown: " + graph.error().message());
            return std::string();
        }
        if (m_experiment.run_config().checkpoint_save_graph_def()) {
            CANNERY_TRY(
                storage::writeFileAtomically(storage::joinPath(m_request.modelDir, "graph.pbtxt"),
                                             storage::graphText(*graph), m_request.system));
        }
        return graph;
    }

    TrainingLoopOptions loopOptions(const TrainingStart& start)
    {
        TrainingLoopOptions options{
            .model = &m_model,
            .rows = &m_request.setup.trainRows,
            .idle = kernels::lendIdle(m_model.model().threadPool()),
            .input = {.pipeline = pipeline(),
                      .shards = m_request.setup.sharding.total *
                                (m_request.parameters == nullptr || hasLeases()
                                     ? 1
                                     : m_request.parameters->tasks()),
                      .first = hasLeases() ? 0 : m_request.setup.sharding.first,
                      .count = m_request.setup.sharding.count,
                      .ownSeed = m_experiment.train_spec().input().shard() ==
                                 spec::InputSharding::own_seed,
                      .files = m_request.setup.files},
            .position = start.position,
            .globalStep = start.globalStep,
            .dataFingerprint = m_request.setup.summary.fingerprint,
            .engine = engineOf(m_request.setup.device),
            .clock = &m_request.clock,
            .observer = &m_request.observer,
            .stop = m_request.stop,
            .control = m_request.control,
            .accelerator = firstOf(m_request.setup.device),
            .slotCopies = strategies::slotCopies(m_experiment),
            .group = m_request.group,
            .makeGroupId = &makeGroupId,
            .parameters = m_request.parameters,
            .hasLeases = hasLeases()};
        if (m_experiment.train_spec().has_max_steps()) {
            options.maxSteps = m_experiment.train_spec().max_steps();
        }
        const auto& hooks = m_experiment.train_spec().hook();
        if (std::ranges::any_of(hooks, [](const spec::Hook& hook) {
                const HookRow* row = hookRow(hook);
                return row != nullptr && row->role == HookRole::StopsEarly;
            })) {
            options.extraState.push_back({.name = "signal_early_stopping/STOP",
                                          .dtype = DType::Bool,
                                          .bytes = std::span(&m_stopVariable, 1)});
        }
        return options;
    }

    /// In TensorFlow's order: the experiment's own, those of every training, those of the chief.
    Result<void> addHooks(TrainingLoop& loop)
    {
        const spec::RunConfig& config = m_experiment.run_config();
        if (isChief()) {
            CANNERY_TRY(addOwnHooks(loop, false));
        }
        if (m_experiment.train_spec().has_max_steps()) {
            loop.addHook(std::make_unique<StopAtStepHook>(m_experiment.train_spec().max_steps()));
        }
        if (isChief()) {
            auto folderHook = std::make_unique<RunFolderHook>(m_request.modelDir, m_request.clock);
            m_folderHook = folderHook.get();
            loop.addHook(std::move(folderHook));
        }
        loop.addHook(std::make_unique<NanGuardHook>(m_request.setup.encoder.layout()));
        if (config.log_step_count_steps() > 0) {
            loop.addHook(
                std::make_unique<LoggingHook>(config.log_step_count_steps(), m_request.clock));
        }
        return isChief() ? addChiefHooks(loop) : Result<void>();
    }

    /// Those that evaluate, or all others.
    Result<void> addOwnHooks(TrainingLoop& loop, bool evaluating)
    {
        EvaluationRequest evaluation = evaluationOf(m_experiment);
        evaluation.slices = m_slices;
        evaluation.clock = &m_request.clock;
        evaluation.stop = m_request.stop;
        evaluation.control = m_request.control;
        const HookContext context{
            .modelDir = m_request.modelDir,
            .evalDir = evalFolder(m_request.modelDir, evaluation.name),
            .evaluation = std::move(evaluation),
            .evalRows = m_request.setup.evalRows ? &*m_request.setup.evalRows : nullptr,
            .isAlone = m_request.group == nullptr && m_request.parameters == nullptr &&
                       m_request.setup.sharding.total == 1,
            .clock = &m_request.clock,
            .profile = &m_profile,
            .observer = &m_request.observer,
            .system = &m_request.system,
            .stopVariable = &m_stopVariable};
        for (const spec::Hook& hook : m_experiment.train_spec().hook()) {
            const HookRow* row = hookRow(hook);
            if ((row != nullptr && row->role == HookRole::Evaluates) == evaluating) {
                CANNERY_TRY_ASSIGN(std::unique_ptr<Hook> made, makeHook(hook, context));
                loop.addHook(std::move(made));
            }
        }
        return {};
    }

    Result<void> addChiefHooks(TrainingLoop& loop)
    {
        const spec::RunConfig& config = m_experiment.run_config();
        // Before the saver: an evaluation after a save overwrites the buffers of the step.
        if (config.save_summary_steps() > 0) {
            loop.addHook(std::make_unique<SummarySaverHook>(
                *m_recorder, config.save_summary_steps(), m_request.clock));
            if (config.insights() && !m_model.readsTable()) {
                loop.addHook(std::make_unique<InsightHook>(
                    *m_recorder, config.save_summary_steps(),
                    m_experiment.train_spec().input().batch_size(), m_request.clock));
            }
        }
        CANNERY_TRY(addSaver(loop));
        loop.addHook(
            std::make_unique<HyperparameterHook>(*m_recorder, hyperparametersOf(m_experiment)));
        CANNERY_TRY(addPatience(loop));
        if (config.log_step_count_steps() > 0) {
            loop.addHook(std::make_unique<StepCounterHook>(
                *m_recorder, config.log_step_count_steps(), m_request.clock));
        }
        return addOwnHooks(loop, true);
    }

    /// After the saver, so that an evaluation counts at its own step.
    Result<void> addPatience(TrainingLoop& loop)
    {
        const spec::HistogramGrowth* growth = spec::histogramGrowthOf(m_experiment.estimator());
        if (growth == nullptr || growth->early_stopping_evals() == 0) {
            return {};
        }
        CANNERY_TRY_ASSIGN(EvalHistory known,
                           readRunEvaluations(m_request.modelDir, m_experiment.eval_spec().name()));
        auto patience =
            std::make_unique<PatienceHook>(growth->early_stopping_evals(), std::move(known));
        m_patience = patience.get();
        loop.addHook(std::move(patience));
        return {};
    }

    /// After every evaluation, whose checkpoint is on disk.
    void keepBest(const EvaluationResult& evaluation)
    {
        if (m_patience != nullptr) {
            m_patience->evaluated(evaluation);
        }
        m_best->add(evaluation);
        auto best = m_best->best();
        if (best != m_kept) {
            m_kept = best;
            m_store->keepBest(std::move(best));
            m_request.observer.checkpointsChanged(m_store->list());
        }
    }

    Result<void> addListener(CheckpointSaverHook& saver)
    {
        CANNERY_TRY_ASSIGN(auto exporters, makeExporters(m_experiment.eval_spec()));
        EvaluationRecorder::Options recorder{
            .modelDir = m_request.modelDir,
            .exporters = std::move(exporters),
            .exportModel =
                [this](const ModelExportRequest& request) {
                    return exportCheckpoint(m_request.setup.encoder, m_request.setup.lowered,
                                            request, m_request.folder);
                },
            .evaluated = [this](const EvaluationResult& result) { keepBest(result); },
            .clock = &m_request.clock,
            .observer = &m_request.observer,
            .system = &m_request.system};
        if (m_experiment.train_spec().has_max_steps()) {
            recorder.maxSteps = m_experiment.train_spec().max_steps();
        }
        m_listener.emplace(EvaluationListener::Options{.experiment = &m_experiment,
                                                       .rows = &*m_request.setup.evalRows,
                                                       .slices = m_slices,
                                                       .recorder = std::move(recorder),
                                                       .clock = &m_request.clock,
                                                       .stop = m_request.stop,
                                                       .control = m_request.control});
        saver.addListener(*m_listener);
        return {};
    }

    Result<void> addSaver(TrainingLoop& loop)
    {
        auto saver = std::make_unique<CheckpointSaverHook>(
            *m_saver, *m_recorder, checkpointCadence(m_experiment.run_config()), m_request.clock);
        for (const spec::SavingListener& listener : m_experiment.train_spec().saving_listener()) {
            saver->addListener(
                m_commands.emplace_back(listener, m_request.folder, m_request.modelDir));
        }
        if (m_request.setup.evalRows) {
            CANNERY_TRY_ASSIGN(m_slices, readSlices(m_experiment, m_request.folder, {},
                                                    m_request.setup.evalRows->rowCount(),
                                                    kernels::lend(m_model.model().threadPool())));
            CANNERY_TRY(EvaluationRecorder::checkName(m_experiment.eval_spec()));
            CANNERY_TRY(m_request.hasEvaluator ? Result<void>() : addListener(*saver));
        }
        m_saverHook = saver.get();
        loop.addHook(std::move(saver));
        if (m_request.hasEvaluator) {
            loop.addHook(std::make_unique<EvaluationWatchHook>(
                m_request.modelDir, evalFolder(m_request.modelDir, m_experiment.eval_spec().name()),
                [this](const EvaluationResult& result) { keepBest(result); }, m_request.clock));
        }
        return {};
    }

    const ModelFittingRequest& m_request;
    const spec::Experiment& m_experiment;
    TrainableModel& m_model;
    std::optional<CheckpointStore> m_store;
    std::optional<BestCheckpoints> m_best;
    std::map<std::int64_t, std::string> m_kept; ///< by the store, since the last evaluation
    std::optional<BackgroundSaver> m_saver;
    CheckpointSaverHook* m_saverHook = nullptr; ///< owned by the loop, like the next
    RunFolderHook* m_folderHook = nullptr;
    PatienceHook* m_patience = nullptr;
    std::optional<SummaryRecorder> m_recorder;
    std::deque<CommandListener> m_commands;
    std::vector<RowGroups> m_slices; ///< of the rows to evaluate on
    std::optional<EvaluationListener> m_listener;
    StepProfile m_profile;
    std::byte m_stopVariable{0};
};

} // namespace

Result<ModelFittingResult> fitModel(const ModelFittingRequest& request)
{
    return ModelFitting(request).run();
}

} // namespace cannery::train
