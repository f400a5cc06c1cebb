// SPDX-License-Identifier: Apache-2.0
#include "core/train/evaluation/evaluator_task.h"

#include "core/base/interruption.h"
#include "core/train/checkpoints/checkpoint_restore.h"
#include "core/train/evaluation/evaluation_recorder.h"
#include "core/train/evaluation/evaluator.h"
#include "core/train/evaluation/model_evaluation.h"
#include "core/train/evaluation/row_groups.h"
#include "core/train/exporters/exporter_catalog.h"
#include "core/train/exporters/model_export.h"
#include "core/train/loop/training_watch.h"
#include "core/train/opened_model.h"
#include "core/train/records/run_recorder.h"
#include "kernels/device/thread_pool.h"
#include "storage/io/files.h"
#include "storage/runs/run_files.h"
#include "storage/tf/checkpoints/checkpoint_state.h"

#include <chrono>
#include <set>
#include <thread>

namespace cannery::train {
namespace {

constexpr ErrorKind kNoModelDir{
    "train.evaluator_without_model_dir",
    "An evaluator has to know where the others save their checkpoints: name their model_dir with "
    "--model-dir or in TF_CONFIG."};
constexpr ErrorKind kNoEvalData{
    "train.no_eval_data",
    "The experiment has no rows to evaluate on: set data.eval or data.split, or leave the "
    "evaluator out."};

constexpr const char* kLastStep = "Every step is trained, and the last checkpoint evaluated.";
constexpr const char* kTrainingOver = "The training has ended, and its last checkpoint is "
                                      "evaluated.";

/// Files on other machines cannot wake anybody.
constexpr double kLookSeconds = 0.2;
/// A signal cannot wake a waiting thread.
constexpr std::chrono::milliseconds kSignalLook(20);
/// Between two sentences on waiting, as in TensorFlow.
constexpr double kWaitingNoteSeconds = 600;
/// For the process that trains to leave the folder after its last step.
constexpr double kEndPatienceSeconds = 60;

class EvaluatorTask
{
public:
    explicit EvaluatorTask(const TrainRequest& request)
        : m_request(request), m_clock(*request.clock), m_experiment(request.experiment),
          m_files(request.modelDir, *request.system)
    {
        if (request.seed) {
            m_experiment.mutable_run_config()->set_tf_random_seed(*request.seed);
        }
        if (m_experiment.train_spec().has_max_steps()) {
            m_maxSteps = m_experiment.train_spec().max_steps();
        }
        m_report.modelDir = request.modelDir;
        m_report.isOfEvaluator = true;
    }

    Result<TrainReport> run()
    {
        CANNERY_TRY(checkRequest());
        CANNERY_TRY(storage::makeFolders(m_request.modelDir, *m_request.system));
        CANNERY_TRY_ASSIGN(const storage::RunLock lock,
                           storage::RunLock::acquireEvaluation(m_request.modelDir));
        CANNERY_TRY(findPast());
        m_watch.emplace(m_request.modelDir, m_maxSteps, m_clock);
        waitFor(static_cast<double>(m_experiment.eval_spec().start_delay_secs()));
        CANNERY_TRY(evaluateAll());
        if (isStopped()) {
            end(StopReason::Cancelled, std::string(kStoppedBySignal));
            m_report.state = storage::RunState::Stopped;
            return m_report;
        }
        if (m_recorder) {
            CANNERY_TRY(reportExports());
        }
        bringRecordsUpToDate();
        return m_report;
    }

private:
    Result<void> checkRequest() const
    {
        if (m_request.modelDir.empty()) {
            return fail(ErrorCode::InvalidArgument, kNoModelDir);
        }
        if (!hasEvalData(m_experiment)) {
            return fail(ErrorCode::InvalidArgument, kNoEvalData);
        }
        return EvaluationRecorder::checkName(m_experiment.eval_spec());
    }

    /// What an evaluator before this one has done, and what it had no time to finish.
    Result<void> findPast()
    {
        CANNERY_TRY_ASSIGN(const std::vector<storage::RunEvaluation> past,
                           m_files.readEvaluations());
        for (const storage::RunEvaluation& evaluation : past) {
            if (evaluation.name == m_experiment.eval_spec().name()) {
                m_evaluated.insert(evaluation.globalStep);
            }
        }
        // What cannot be repaired is reported with the next export.
        Result<ExportLedger> exports = ExportLedger::open(m_request.modelDir, *m_request.system);
        if (exports) {
            (void)exports->mend(
                [&](const std::string& path) { log(LogLevel::Info, deletedExportSentence(path)); });
        }
        return {};
    }

    Result<void> evaluateAll()
    {
        double waitingNoteAt = m_clock.steadyTime() + kWaitingNoteSeconds;
        while (!isStopped()) {
            // First, so that its last checkpoint is not missed.
            const bool isOver = m_watch->isOver();
            const double begin = m_clock.steadyTime();
            CANNERY_TRY_ASSIGN(const std::optional<std::string> found, newCheckpoint());
            if (found) {
                CANNERY_TRY(evaluateCheckpoint(*found));
                waitingNoteAt = m_clock.steadyTime() + kWaitingNoteSeconds;
            }
            if (hasReachedEnd()) {
                end(StopReason::MaxSteps, kLastStep);
                return {};
            }
            if (!found && isOver) {
                end(StopReason::Ended, kTrainingOver);
                return {};
            }
            if (!found && begin >= waitingNoteAt) {
                log(LogLevel::Info, "Waiting for a new checkpoint in " + m_request.modelDir);
                waitingNoteAt = begin + kWaitingNoteSeconds;
            }
            waitFor(found ? throttleLeft(begin) : kLookSeconds);
        }
        return {};
    }

    double throttleLeft(double begin) const
    {
        const auto throttle = static_cast<double>(m_experiment.eval_spec().throttle_secs());
        return begin + throttle - m_clock.steadyTime();
    }

    bool hasReachedEnd() const
    {
        return m_maxSteps && m_latest >= *m_maxSteps && m_evaluated.contains(m_latest);
    }

    void end(StopReason reason, std::string sentence)
    {
        m_report.outcome.reason = reason;
        m_report.outcome.sentence = std::move(sentence);
        m_report.outcome.globalStep = m_latest;
    }

    bool isStopped() const { return mustHurry(m_request.stop, m_request.control); }

    /// Until the time is over, the training, or the patience of whoever sends a signal.
    void waitFor(double seconds)
    {
        const double until = m_clock.steadyTime() + seconds;
        double lookAt = m_clock.steadyTime() + kLookSeconds;
        while (!isStopped() && m_clock.steadyTime() < until) {
            std::this_thread::sleep_for(kSignalLook);
            if (m_clock.steadyTime() >= lookAt) {
                if (m_watch->isOver()) {
                    return;
                }
                lookAt = m_clock.steadyTime() + kLookSeconds;
            }
        }
    }

    /// The newest one, unless it is evaluated.
    Result<std::optional<std::string>> newCheckpoint()
    {
        CANNERY_TRY_ASSIGN(std::optional<std::string> latest,
                           storage::latestCheckpoint(m_request.modelDir));
        if (latest) {
            m_latest = storage::checkpointStep(*latest).value_or(0);
        }
        return m_evaluated.contains(m_latest) ? std::nullopt : latest;
    }

    Result<void> evaluateCheckpoint(const std::string& prefix)
    {
        Result<void> opened = open(prefix);
        if (!opened) {
            CANNERY_TRY_ASSIGN(const std::optional<std::string> latest, newCheckpoint());
            if (isStopped() || (latest && *latest != prefix)) {
                return {}; // it was deleted meanwhile
            }
            return opened;
        }
        reportActivity("Evaluating");
        EvaluationRequest request = evaluationOf(m_model->experiment);
        request.slices = m_slices;
        request.checkpoint = m_model->checkpoint;
        request.globalStep = m_model->globalStep;
        request.clock = m_request.clock;
        request.stop = m_request.stop;
        request.control = m_request.control;
        CANNERY_TRY_ASSIGN(std::optional<EvaluationResult> result,
                           evaluate(*m_model->model, m_rows->rows, request));
        if (result) {
            CANNERY_TRY(record(*std::move(result)));
        }
        reportActivity("");
        return {};
    }

    /// The list of evaluations says, last, that nothing more is to be done for this checkpoint.
    Result<void> record(EvaluationResult result)
    {
        const storage::RunEvaluation evaluation = result.record(m_clock.wallTime());
        CANNERY_TRY(m_recorder->record(std::move(result)));
        CANNERY_TRY(m_files.addEvaluation(evaluation));
        m_evaluated.insert(evaluation.globalStep);
        return {};
    }

    Result<void> open(const std::string& prefix)
    {
        const Interruptible interruptible(m_request.stop);
        if (m_model) {
            CANNERY_TRY_ASSIGN(m_model->globalStep,
                               restoreCheckpoint(prefix, m_model->model->state(), false));
            m_model->checkpoint = prefix;
            return {};
        }
        CANNERY_TRY_ASSIGN(
            OpenedModel model,
            openModel({.modelDir = m_request.modelDir,
                       .experiment = m_experiment,
                       .experimentFolder = storage::parentFolder(m_request.experimentFile),
                       .threads = m_request.threads.value_or(0)}));
        if (const std::string note = openEvaluationDevice(model); !note.empty()) {
            log(LogLevel::Info, note);
        }
        CANNERY_TRY_ASSIGN(LoadedRows rows, loadEvalRows(model));
        CANNERY_TRY_ASSIGN(m_slices,
                           readSlices(model.experiment, model.folder, {}, rows.rows.rowCount(),
                                      kernels::lend(model.model->model().threadPool())));
        CANNERY_TRY_ASSIGN(auto exporters, makeExporters(model.experiment.eval_spec()));
        m_model.emplace(std::move(model));
        m_rows.emplace(std::move(rows));
        m_recorder.emplace(EvaluationRecorder::Options{
            .modelDir = m_request.modelDir,
            .maxSteps = m_maxSteps,
            .exporters = std::move(exporters),
            .exportModel =
                [this](const ModelExportRequest& request) {
                    return exportCheckpoint(m_model->encoder, m_model->lowered, request,
                                            m_model->folder);
                },
            .clock = m_request.clock,
            .observer = &observer(),
            .system = m_request.system});
        m_recorder->openExports();
        return {};
    }

    TrainingObserver& observer()
    {
        return m_request.observer != nullptr ? *m_request.observer : m_nobody;
    }
    void log(LogLevel level, const std::string& sentence) { observer().logged(level, sentence); }
    void reportActivity(std::string_view activity) { observer().activityChanged(activity); }

    Result<void> reportExports()
    {
        if (std::optional<Error> failure = m_recorder->exportFailure()) {
            return tl::make_unexpected(
                (*std::move(failure)).with("the last checkpoint is evaluated"));
        }
        m_report.evaluation = m_recorder->last();
        m_report.exports = m_recorder->exports();
        m_report.warnings = m_recorder->warnings();
        return {};
    }

    /// Once nobody trains in the folder any more. Whoever trains there again does the same.
    void bringRecordsUpToDate()
    {
        const double until = m_clock.steadyTime() + kEndPatienceSeconds;
        while (m_files.isRun() && !isStopped() && m_clock.steadyTime() < until) {
            const auto records = RunRecorder::open({.folder = m_request.modelDir,
                                                    .clock = m_request.clock,
                                                    .system = m_request.system});
            if (records) {
                (*records)->takeOverRecords();
                return;
            }
            std::this_thread::sleep_for(kSignalLook);
        }
    }

    const TrainRequest& m_request;
    const Clock& m_clock;
    spec::Experiment m_experiment;
    storage::RunFiles m_files;
    TrainingObserver m_nobody;
    std::optional<std::int64_t> m_maxSteps;
    std::set<std::int64_t> m_evaluated; ///< steps
    std::int64_t m_latest = 0;          ///< step of the newest checkpoint
    std::optional<TrainingWatch> m_watch;
    std::optional<OpenedModel> m_model;
    std::optional<LoadedRows> m_rows;
    std::vector<RowGroups> m_slices;
    std::optional<EvaluationRecorder> m_recorder;
    TrainReport m_report;
};

} // namespace

Result<TrainReport> evaluateContinuously(const TrainRequest& request)
{
    return EvaluatorTask(request).run();
}

} // namespace cannery::train
