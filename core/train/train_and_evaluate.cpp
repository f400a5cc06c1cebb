// SPDX-License-Identifier: Apache-2.0
#include "core/train/train_and_evaluate.h"

#include "core/base/catalog.h"
#include "core/base/interruption.h"
#include "core/estimators/estimator_catalog.h"
#include "core/spec/text/text_format.h"
#include "core/train/checkpoints/checkpoint_recovery.h"
#include "core/train/cluster.h"
#include "core/train/loop/flat_parameters.h"
#include "core/train/loop/training_setup.h"
#include "core/train/model_fitting.h"
#include "core/train/preparation/cell_faults.h"
#include "core/train/preparation/dataset_loader.h"
#include "core/train/preparation/normalizer_statistics.h"
#include "core/train/preparation/row_cache.h"
#include "core/train/records/frozen_experiment.h"
#include "core/train/records/health_notes.h"
#include "core/train/records/run_name.h"
#include "core/train/records/run_recorder.h"
#include "kernels/device/thread_pool.h"
#include "storage/io/files.h"
#include "storage/runs/decision_metric.h"
#include "storage/runs/run_files.h"
#include "storage/tf/checkpoints/checkpoint_state.h"

#include <fmt/ranges.h>

#include <chrono>
#include <filesystem>

namespace cannery::train {
namespace {

constexpr ErrorKind kNoFrozen{
    "train.nothing_to_resume",
    "{} contains no experiment; train it with its experiment file and --model-dir instead."};

constexpr ErrorKind kCommands{
    "train.commands_not_allowed",
    "This experiment runs programs on this machine around its checkpoints (saving_listener), such "
    "as {}. If you trust them, train it with --allow-commands; otherwise remove them from the "
    "train_spec."};

/// For an experiment without a seed: the same experiment gives the same bits.
constexpr std::int64_t kDefaultSeed = 1;

/// The stages of one train_and_evaluate, in order.
class TrainAndEvaluate
{
public:
    explicit TrainAndEvaluate(const TrainRequest& request)
        : m_request(request), m_folder(storage::parentFolder(request.experimentFile))
    {
        m_report.modelDir = request.modelDir;
    }

    Result<TrainReport> run()
    {
        CANNERY_TRY_ASSIGN(std::optional<TrainingSetup> setup, setUp());
        if (!setup) {
            return finishedBefore();
        }
        if (!isChief()) {
            return runAsWorker(*setup);
        }
        CANNERY_TRY(describeRun(*setup));
        return record(train(*setup));
    }

private:
    /// Everything before the first byte is written; nothing if all steps are done. If interrupted,
    /// it ends at once: there is nothing to save.
    Result<std::optional<TrainingSetup>> setUp()
    {
        const Interruptible interruptible(m_request.stop);
        // Workers neither repair nor write the folder: the chief alone does.
        if (isChief()) {
            CANNERY_TRY(checkCommands());
            if (!m_request.modelDir.empty()) {
                CANNERY_TRY(claim(m_request.modelDir));
            }
            CANNERY_TRY(findPast());
        } else if (!m_request.modelDir.empty()) {
            readChiefsPast();
        }
        m_pool.emplace(threads());
        CANNERY_TRY_ASSIGN(ResolvedData resolved, resolve());
        // After resolving: only then is the number of steps that the experiment wants known.
        if (isDone()) {
            return std::optional<TrainingSetup>();
        }
        CANNERY_TRY_ASSIGN(TrainingSetup setup, setUpTraining({.experiment = m_experiment,
                                                               .folder = m_folder,
                                                               .trainData = resolved.trainData,
                                                               .pool = *m_pool,
                                                               .cache = &resolved.cache,
                                                               .statistics = resolved.statistics,
                                                               .group = m_request.group,
                                                               .parameters = m_request.parameters,
                                                               .device = deviceBefore()}));
        CANNERY_TRY(goOnUnlessInterrupted());
        return std::optional<TrainingSetup>(std::move(setup));
    }

    bool isChief() const
    {
        return (m_request.group == nullptr || m_request.group->isChief()) &&
               (m_request.parameters == nullptr || m_request.parameters->isChief());
    }

    /// An experiment from elsewhere must not run programs just because somebody trains it.
    Result<void> checkCommands() const
    {
        const auto& listeners = m_request.experiment.train_spec().saving_listener();
        if (listeners.empty() || m_request.allowsCommands) {
            return {};
        }
        const auto& words = listeners[0].command();
        return fail(ErrorCode::PermissionDenied, kCommands,
                    fmt::format("{}", fmt::join(words, " ")));
    }

    /// Opens the records of a folder that no other process may be using.
    Result<void> claim(const std::string& modelDir)
    {
        CANNERY_TRY(storage::makeFolders(modelDir, *m_request.system));
        CANNERY_TRY_ASSIGN(m_recorder, RunRecorder::open({.folder = modelDir,
                                                          .hasEvaluator = m_request.hasEvaluator,
                                                          .clock = m_request.clock,
                                                          .system = m_request.system}));
        m_report.modelDir = modelDir;
        // Observers may show the folder from here on, as it is this process's.
        if (m_request.observer != nullptr) {
            m_request.observer->opened(modelDir);
        }
        return {};
    }

    /// What the folder was trained with, and how far.
    Result<void> findPast()
    {
        if (m_report.modelDir.empty()) {
            return {};
        }
        // A checkpoint whose reading was interrupted would look damaged.
        const Interruptible notNow(nullptr);
        CANNERY_TRY_ASSIGN(m_frozen, readFrozenExperiment(m_report.modelDir));
        CANNERY_TRY_ASSIGN(RecoveredCheckpoint recovered,
                           recoverLatestCheckpoint(m_report.modelDir, *m_request.system));
        m_latest = std::move(recovered.latest);
        m_warnings = std::move(recovered.warnings);
        const storage::RunFiles files(m_report.modelDir);
        warnOfUnreadable(files.readStatus());
        warnOfUnreadable(files.readCheckpoints());
        return {};
    }

    /// The same for a worker, which repairs nothing, and need not see the chief's folder.
    void readChiefsPast()
    {
        m_frozen = readFrozenExperiment(m_request.modelDir).value_or(std::nullopt);
        const auto state = storage::readCheckpointState(m_request.modelDir);
        // A worker may look while the chief replaces the files: what it cannot read, the chief
        // sends.
        if (state && *state) {
            m_latest = (*state)->latest;
        }
    }

    /// Training continues without such a file, with a warning.
    template <typename Content>
    void warnOfUnreadable(const Result<Content>& read)
    {
        if (!read && read.error().code != ErrorCode::NotFound) {
            m_warnings.push_back(read.error().message());
        }
    }

    /// The training data, and what resolving the experiment has learned about it.
    struct ResolvedData
    {
        data::Dataset trainData;
        RowCache cache;
        std::vector<KnownStatistics> statistics;
    };

    /// Fills in the experiment and compares it with the one that the folder belongs to; returns the
    /// training data.
    Result<ResolvedData> resolve()
    {
        const auto begin = std::chrono::system_clock::now();
        spec::Experiment experiment = m_request.experiment;
        // The parameters of a sweep are already in the experiment.
        experiment.clear_sweep(); // this is one run
        if (m_request.seed) {
            experiment.mutable_run_config()->set_tf_random_seed(*m_request.seed);
        }
        std::int64_t seed = kDefaultSeed;
        // A run that goes on keeps its seed, so that it continues the same sequence of random
        // numbers.
        if (m_frozen && m_frozen->experiment.run_config().has_tf_random_seed()) {
            seed = m_frozen->experiment.run_config().tf_random_seed();
        }
        // A folder without a checkpoint may be trained with a changed experiment: nothing is lost
        // by it.
        const bool goesOn = m_frozen && m_latest;
        CANNERY_TRY_ASSIGN(AnsweredExperiment answered,
                           openAnswered(std::move(experiment), m_folder,
                                        goesOn ? &m_frozen->experiment : nullptr));
        // Before statistics are computed from the column: they would be of its numbers alone.
        if (std::vector<Error> texts = textsAmongNumbers(answered.experiment, answered.trainData);
            !texts.empty()) {
            return tl::make_unexpected(std::move(texts.front()));
        }
        CANNERY_TRY_ASSIGN(RowCache cache, RowCache::open({.experiment = answered.experiment,
                                                           .folder = m_folder,
                                                           .trainData = answered.trainData,
                                                           .begin = begin,
                                                           .system = m_request.system}));
        NormalizerStatistics statistics(answered.experiment, answered.trainData,
                                        kernels::lend(*m_pool), cache.statistics());
        CANNERY_TRY_ASSIGN(
            m_experiment,
            resolveWithStatistics(answered.experiment, answered.trainData, statistics, seed));
        if (goesOn) {
            // Compared after resolving, so that a default that is spelled out makes no difference.
            CANNERY_TRY(checkSameExperiment(m_report.modelDir, m_frozen->experiment, m_experiment,
                                            Purpose::Training));
        }
        return ResolvedData{.trainData = std::move(answered.trainData),
                            .cache = std::move(cache),
                            .statistics = statistics.known()};
    }

    /// Of a run that goes on; a record that cannot be read is warned of elsewhere.
    std::string deviceBefore() const
    {
        const auto info = storage::RunFiles(m_report.modelDir).readInfo();
        return m_latest && info ? info->device : std::string();
    }

    int threads() const
    {
        return kernels::threadCount(
            m_request.threads ? *m_request.threads : m_request.experiment.run_config().threads());
    }

    std::optional<std::int64_t> maxSteps() const
    {
        return m_experiment.train_spec().has_max_steps()
                   ? std::optional<std::int64_t>(m_experiment.train_spec().max_steps())
                   : std::nullopt;
    }

    bool isDone() const
    {
        return m_latest && maxSteps() &&
               storage::checkpointStep(*m_latest).value_or(-1) >= *maxSteps() &&
               !(isChief() && wasCutShort());
    }

    /// An engine that died, failed or was stopped after its last step still has to evaluate, export
    /// and mark the run as finished; it needs no workers.
    bool wasCutShort() const
    {
        const auto status = storage::RunFiles(m_report.modelDir).readStatus();
        return status &&
               (storage::needsOwner(status->state) || status->state == storage::RunState::Failed ||
                status->state == storage::RunState::Stopped);
    }

    TrainReport finishedBefore()
    {
        if (m_recorder) {
            m_recorder->catchUp();
        }
        m_report.wasDoneBefore = true;
        m_report.warnings = m_warnings;
        m_report.outcome.globalStep = storage::checkpointStep(*m_latest).value_or(0);
        // The run starts where it ends: no step was trained now.
        m_report.outcome.startStep = m_report.outcome.globalStep;
        m_report.outcome.reason = StopReason::MaxSteps;
        m_report.outcome.sentence =
            fmt::format("Skipping training: step {} has been reached.", *maxSteps());
        nameRun();
        return m_report;
    }

    void nameRun()
    {
        if (!projectOf(m_report.modelDir).empty()) {
            m_report.runName =
                std::filesystem::path(m_report.modelDir).lexically_normal().filename().string();
        }
    }

    Result<void> describeRun(const TrainingSetup& setup)
    {
        const DataSummary& data = setup.summary;
        const std::string stem = std::filesystem::path(m_request.experimentFile).stem().string();
        if (m_report.modelDir.empty()) {
            // Only now: everything that can be wrong with the experiment or its data has been
            // found, and a failed start leaves no empty run.
            CANNERY_TRY_ASSIGN(const std::string folder,
                               createRunFolder(m_folder, *m_request.system));
            CANNERY_TRY(claim(folder));
        }
        nameRun();
        m_report.data = data;
        m_report.data.threads = threads();
        // Before the others, so that records are up to date when those look at them.
        m_observers.add(*m_recorder);
        if (m_request.observer != nullptr) {
            m_observers.add(*m_request.observer);
        }
        m_health.emplace(HealthNotes::Options{
            .sink = &m_observers, .folder = m_report.modelDir, .clock = m_request.clock});
        const auto past = storage::RunFiles(m_report.modelDir).readEvaluations();
        // The best evaluation of an earlier start counts when this one is watched for getting
        // worse.
        if (const auto best =
                past && m_latest ? storage::bestEvaluation({}, *past) : std::nullopt) {
            m_health->remember(best->globalStep, best->value);
        }
        m_observers.add(*m_health);
        const auto* estimator =
            findRow(estimators::estimatorCatalog(), m_experiment.estimator().kind_case());
        CANNERY_TRY(m_recorder->describe(
            {.experimentName = m_experiment.name().empty() ? stem : m_experiment.name(),
             .experimentFile = m_request.experimentFile,
             .estimator = estimator == nullptr ? "" : std::string(estimator->name),
             .engine = engineOf(setup.device),
             .device = data.deviceChoice,
             .dataFingerprint = data.fingerprint,
             .trainRows = data.trainRows,
             .evalRows = data.evalRows,
             // All replicas together make one step.
             .rowsPerStep = m_experiment.train_spec().input().batch_size() * setup.sharding.total,
             .parameters = flatParameters(m_experiment)},
            spec::printExperiment(m_experiment), maxSteps()));
        if (!m_request.note.empty()) {
            m_observers.logged(LogLevel::Warning, m_request.note);
        }
        for (const std::string& warning : m_warnings) {
            m_observers.logged(LogLevel::Warning, warning);
        }
        m_observers.dataLoaded(m_report.data);
        return {};
    }

    /// Computes for the chief, which keeps all records.
    Result<TrainReport> runAsWorker(TrainingSetup& setup)
    {
        if (m_request.observer != nullptr) {
            m_observers.add(*m_request.observer);
        }
        m_report.data = setup.summary;
        m_report.data.threads = threads();
        m_observers.dataLoaded(m_report.data);
        CANNERY_TRY(train(setup));
        const StopReason reason = m_report.outcome.reason;
        m_report.state = reason == StopReason::Cancelled || reason == StopReason::Interrupted
                             ? storage::RunState::Stopped
                             : storage::RunState::Finished;
        return m_report;
    }

    Result<void> train(TrainingSetup& setup)
    {
        Cluster cluster(m_request.group, m_request.parameters, m_observers);
        // Before the state changes: until the tasks agree on the experiment, nothing trains.
        CANNERY_TRY(cluster.open(m_experiment, setup.summary.fingerprint));
        m_observers.stateChanged(storage::RunState::Running, "");
        Result<ModelFittingResult> fitted = fitModel({.experiment = m_experiment,
                                                      .folder = m_folder,
                                                      .modelDir = m_report.modelDir,
                                                      .latest = m_latest,
                                                      .setup = setup,
                                                      .group = m_request.group,
                                                      .hasEvaluator = m_request.hasEvaluator,
                                                      .parameters = m_request.parameters,
                                                      .observer = m_observers,
                                                      .stop = m_request.stop,
                                                      .control = m_request.control,
                                                      .clock = *m_request.clock,
                                                      .system = *m_request.system});
        if (!fitted && fitted.error().id == "train.nan_loss") {
            // The cell that the loss became undefined by is found by reading the table again, which
            // only a failed training is worth.
            std::optional<Error> cell =
                nonFiniteCell(m_experiment, m_folder, fitted.error().arguments.front());
            fitted = cell ? tl::make_unexpected(std::move(*cell)) : std::move(fitted);
        }
        // Before its result is taken: the others must learn of a failure, too.
        cluster.leave(fitted);
        CANNERY_TRY_ASSIGN(ModelFittingResult result, std::move(fitted));
        m_report.outcome = std::move(result.outcome);
        m_report.evaluation = std::move(result.evaluation);
        m_report.exports = std::move(result.exports);
        m_report.profile = std::move(result.profile);
        m_report.warnings = std::move(result.warnings);
        return {};
    }

    Result<TrainReport> record(Result<void> trained)
    {
        if (!trained) {
            m_observers.stateChanged(storage::RunState::Failed, trained.error().message());
            return tl::make_unexpected(std::move(trained).error());
        }
        const StopReason reason = m_report.outcome.reason;
        m_report.state = reason == StopReason::Cancelled || reason == StopReason::Requested ||
                                 reason == StopReason::Discarded
                             ? storage::RunState::Stopped
                             : storage::RunState::Finished;
        m_observers.stateChanged(m_report.state, m_report.outcome.sentence);
        // Records that could not be written do not make the training fail: its checkpoints are
        // whole.
        if (m_recorder->failure()) {
            m_report.warnings.push_back(m_recorder->failure()->message());
        }
        return m_report;
    }

    const TrainRequest& m_request;
    std::string m_folder;
    std::unique_ptr<RunRecorder> m_recorder;
    std::optional<kernels::ThreadPool> m_pool; ///< for all reading and computing
    ObserverList m_observers;
    std::optional<HealthNotes> m_health;
    std::optional<FrozenExperiment> m_frozen; ///< what the folder belongs to
    spec::Experiment m_experiment;            ///< resolved
    std::optional<std::string> m_latest;      ///< checkpoint to resume from
    std::vector<std::string> m_warnings;      ///< about how the previous state was found
    TrainReport m_report;
};

} // namespace

Result<TrainReport> trainAndEvaluate(const TrainRequest& request)
{
    Result<TrainReport> report = TrainAndEvaluate(request).run();
    // A stop by the user is not a failure, and the servers tell the two apart.
    if (request.parameters != nullptr) { // unless it has left already
        const bool isStopped = !report && report.error().id == kInterruptedId;
        request.parameters->leave(report      ? coordinator::Outcome::Done
                                  : isStopped ? coordinator::Outcome::Stopping
                                              : coordinator::Outcome::Failed,
                                  report ? report->outcome.sentence : report.error().message());
    }
    return report;
}

Result<TrainReport> resumeRun(const std::string& runFolder, TrainRequest request,
                              std::optional<std::int64_t> maxSteps)
{
    CANNERY_TRY_ASSIGN(std::optional<FrozenExperiment> frozen, readFrozenExperiment(runFolder));
    if (!frozen) {
        return fail(ErrorCode::NotFound, kNoFrozen, runFolder);
    }
    // The frozen experiment, as the file may have been edited since.
    request.experiment = std::move(frozen->experiment);
    request.experimentFile = frozen->file;
    request.modelDir = runFolder;
    if (maxSteps) {
        request.experiment.mutable_train_spec()->set_max_steps(*maxSteps);
    }
    return trainAndEvaluate(request);
}

} // namespace cannery::train
