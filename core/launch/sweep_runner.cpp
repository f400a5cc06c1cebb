// SPDX-License-Identifier: Apache-2.0
#include "core/launch/sweep_runner.h"

#include "core/base/clock.h"
#include "core/base/exit_code.h"
#include "core/base/fingerprint.h"
#include "core/launch/child_process.h"
#include "core/launch/experiment_copy.h"
#include "core/launch/sweep_metric.h"
#include "core/spec/metric_direction.h"
#include "core/spec/spec_validator.h"
#include "core/spec/text/spec_override.h"
#include "core/spec/text/text_format.h"
#include "core/sweep/fold_statistics.h"
#include "core/sweep/search_catalog.h"
#include "kernels/device/thread_pool.h"
#include "storage/io/files.h"
#include "storage/runs/annotation_store.h"
#include "storage/runs/run_files.h"
#include "storage/runs/run_lock.h"
#include "storage/runs/run_name.h"
#include "storage/runs/run_store.h"
#include "storage/runs/sweep_store.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

namespace cannery::launch {

namespace {

constexpr ErrorKind kNotEvaluated{
    "sweep.not_evaluated",
    "The training of {} has ended without an evaluation; see its train.log."};

/// How often an hour a killed training is restarted from its last checkpoint.
constexpr const char* kRestartsPerHour = "3";
constexpr auto kLookForOwnerEvery = std::chrono::milliseconds(200);
constexpr double kWorst = std::numeric_limits<double>::infinity();

std::string trialNote(const sweep::Job& job)
{
    return fmt::format("trial {}: {}", job.key.trial + 1, fmt::join(job.overrides, ", "));
}

/// Whether the job can be trained, and its runs compared.
Result<void> checkJob(const spec::Experiment& experiment, const sweep::Job& job,
                      const std::string& folder)
{
    CANNERY_TRY_ASSIGN(const spec::Experiment one, experimentOf(experiment, job));
    if (Result<void> checked = checkSweepMetric(one, experiment.sweep().metric(), folder);
        !checked) {
        return tl::make_unexpected(std::move(checked).error().with(trialNote(job)));
    }
    return {};
}

/// Runs the trainings of some jobs, each on a thread that waits for its process.
class Trainings
{
public:
    struct Ending
    {
        sweep::JobKey key;
        Result<ChildOutcome> outcome;
    };

    explicit Trainings(const std::atomic<bool>& stop) : m_stop(stop) {}
    ~Trainings()
    {
        for (auto& [key, training] : m_running) {
            training.thread.join();
        }
    }
    Trainings(const Trainings&) = delete;
    Trainings& operator=(const Trainings&) = delete;

    std::size_t count() const { return m_running.size(); }
    bool isRunning(const sweep::JobKey& key) const { return m_running.contains(key); }

    void start(const sweep::JobKey& key, ExperimentCopy copy, std::vector<std::string> words,
               std::string folder)
    {
        auto [place, isNew] = m_running.try_emplace(key, std::move(copy));
        place->second.thread =
            std::thread([this, key, words = std::move(words), folder = std::move(folder)] {
                Result<ChildOutcome> outcome = train(words, folder);
                const std::lock_guard lock(m_mutex);
                m_endings.push_back({key, std::move(outcome)});
                m_hasEnded.notify_one();
            });
    }

    /// Waits for one to end.
    Ending wait()
    {
        std::unique_lock lock(m_mutex);
        m_hasEnded.wait(lock, [&] { return !m_endings.empty(); });
        Ending ending = std::move(m_endings.front());
        m_endings.pop_front();
        lock.unlock();
        const auto found = m_running.find(ending.key);
        found->second.thread.join();
        m_running.erase(found);
        return ending;
    }

private:
    struct Training
    {
        explicit Training(ExperimentCopy read) : copy(std::move(read)) {}

        ExperimentCopy copy;
        std::thread thread;
    };

    /// A sweep that was killed may have left trainings behind, which end by themselves.
    Result<ChildOutcome> train(const std::vector<std::string>& words,
                               const std::string& folder) const
    {
        while (true) {
            while (storage::RunLock::owner(folder) && !m_stop.load()) {
                std::this_thread::sleep_for(kLookForOwnerEvery);
            }
            if (m_stop.load()) {
                return ChildOutcome{.status = {.code = static_cast<int>(ExitCode::Terminated)}};
            }
            Result<ChildOutcome> outcome = runSelf(words, m_stop);
            if (!outcome || outcome->status.exitedWith(ExitCode::Done) ||
                failureOf(*outcome).id != "run.locked") {
                return outcome;
            }
        }
    }

    const std::atomic<bool>& m_stop;
    std::map<sweep::JobKey, Training> m_running;
    std::mutex m_mutex;
    std::condition_variable m_hasEnded;
    std::deque<Ending> m_endings;
};

class SweepRunner
{
public:
    SweepRunner(const SweepRequest& request, sweep::Search& search, storage::RunStore& store,
                std::string sweepName)
        : m_request(request), m_search(search), m_store(store), m_sweeps(store.database()),
          m_name(std::move(sweepName)), m_folder(storage::parentFolder(request.experimentFile)),
          m_shares(sharesOf(request.experiment, search.trials(),
                            kernels::threadCount(request.experiment.run_config().threads()))),
          m_checked(search.jobs().size()), m_trainings(request.stop)
    {}

    Result<void> run()
    {
        CANNERY_TRY_ASSIGN(const std::vector<storage::SweepTrial> known, m_sweeps.trials(m_name));
        for (const storage::SweepTrial& trial : known) {
            m_known[{trial.trial, trial.rung}] = trial;
        }
        std::optional<Error> failure;
        while (true) {
            Result<void> done = decide();
            if (done && !failure && !m_request.stop.load()) {
                done = startJobs();
            }
            if (!done && !failure) {
                failure = done.error();
            }
            if (m_trainings.count() == 0) {
                break;
            }
            if (Result<void> taken = take(m_trainings.wait()); !taken && !failure) {
                failure = taken.error();
            }
        }
        return failure ? Result<void>(tl::make_unexpected(*failure)) : Result<void>();
    }

    SweepOutcome outcome() const
    {
        SweepOutcome outcome{.sweep = m_name, .isComplete = true};
        for (const sweep::Job& job : m_search.jobs()) {
            const auto found = m_results.find(job.key);
            if (found != m_results.end()) {
                outcome.results.push_back(found->second);
            } else {
                outcome.isComplete = false;
            }
        }
        return outcome;
    }

private:
    std::string runOf(const sweep::JobKey& key) const
    {
        return fmt::format("{}-{:03}", m_name, key.trial + 1);
    }

    /// Lets the search decide until it needs a score that there is not.
    Result<void> decide()
    {
        bool hasNews = true;
        while (hasNews) {
            hasNews = false;
            m_search.advance(m_scores);
            CANNERY_TRY(checkNewJobs());
            for (const sweep::Job& job : m_search.jobs()) {
                const auto known = m_known.find(job.key);
                if (known == m_known.end() || m_scores.contains(job.key) ||
                    known->second.state == storage::TrialState::Started) {
                    continue;
                }
                CANNERY_TRY_ASSIGN(const std::optional<TrialResult> result,
                                   resultOf(job, known->second.state));
                if (!result) { // its run was deleted
                    m_known.erase(known);
                    continue;
                }
                m_scores[job.key] = result->score;
                m_results.emplace(job.key, *result);
                CANNERY_TRY(storeFolds(job.group));
                hasNews = true;
            }
        }
        return {};
    }

    /// What the trials of a group have found together, once all have ended.
    Result<void> storeFolds(std::int64_t group)
    {
        const std::int64_t folds = m_request.experiment.sweep().k_fold().folds();
        if (!m_request.experiment.sweep().has_k_fold()) {
            return {};
        }
        std::vector<const TrialResult*> ended;
        std::vector<std::map<std::string, double>> metrics;
        for (const auto& [key, result] : m_results) {
            if (result.job.group == group) {
                ended.push_back(&result);
            }
        }
        if (std::ssize(ended) < folds) {
            return {};
        }
        storage::FoldResult found{
            .sweep = m_name, .firstTrial = ended.front()->job.key.trial, .folds = folds};
        for (const TrialResult* result : ended) {
            if (result->hasDiverged()) {
                ++found.diverged;
            } else {
                metrics.push_back(result->metricsByName());
            }
        }
        for (const sweep::MetricSpread& spread : sweep::spreadOf(metrics)) {
            found.metrics.push_back({spread.metric, spread.mean, spread.deviation});
        }
        return m_sweeps.putFolds(found);
    }

    Result<void> checkNewJobs()
    {
        const std::vector<sweep::Job>& jobs = m_search.jobs();
        for (; m_checked < jobs.size(); ++m_checked) {
            CANNERY_TRY(checkJob(m_request.experiment, jobs[m_checked], m_folder));
        }
        return {};
    }

    Result<void> startJobs()
    {
        for (const sweep::Job& job : m_search.jobs()) {
            if (static_cast<std::int64_t>(m_trainings.count()) >= m_shares.runs) {
                return {};
            }
            if (!m_scores.contains(job.key) && !m_trainings.isRunning(job.key)) {
                CANNERY_TRY(start(job));
            }
        }
        return {};
    }

    Result<void> start(const sweep::Job& job)
    {
        const std::string run = runOf(job.key);
        CANNERY_TRY_ASSIGN(const spec::Experiment experiment,
                           experimentOf(m_request.experiment, job));
        CANNERY_TRY_ASSIGN(
            ExperimentCopy copy,
            ExperimentCopy::write(m_request.experimentFile, spec::printExperiment(experiment)));
        CANNERY_TRY(put(job, storage::TrialState::Started));
        CANNERY_TRY(storage::AnnotationStore(m_store.database()).addTag(run, m_name));
        const std::string folder = m_store.folderOf(run);
        std::vector<std::string> words{"train",       m_request.experimentFile,
                                       "--copy",      copy.file(),
                                       "--model-dir", folder,
                                       "--threads",   fmt::format("{}", m_shares.threads),
                                       "--restarts",  kRestartsPerHour,
                                       "--json",      "--quiet"};
        m_trainings.start(job.key, std::move(copy), std::move(words), folder);
        return {};
    }

    Result<void> put(const sweep::Job& job, storage::TrialState state)
    {
        storage::SweepTrial trial{.sweep = m_name,
                                  .trial = job.key.trial,
                                  .rung = job.key.rung,
                                  .run = runOf(job.key),
                                  .overrides = job.overrides,
                                  .state = state};
        CANNERY_TRY(m_sweeps.put(trial));
        m_known[job.key] = std::move(trial);
        return {};
    }

    Result<void> take(Trainings::Ending ending)
    {
        CANNERY_TRY_ASSIGN(const ChildOutcome outcome, std::move(ending.outcome));
        const std::vector<sweep::Job>& jobs = m_search.jobs();
        const sweep::Job& job = *std::find_if(
            jobs.begin(), jobs.end(), [&](const sweep::Job& one) { return one.key == ending.key; });
        const bool isDone = outcome.status.exitedWith(ExitCode::Done);
        if (!isDone && !outcome.status.exitedWith(ExitCode::NanLoss)) {
            if (m_request.stop.load()) {
                return {}; // it has saved, and goes on next time
            }
            return tl::make_unexpected(failureOf(outcome).with(trialNote(job)));
        }
        const storage::TrialState state =
            isDone ? storage::TrialState::Done : storage::TrialState::Diverged;
        CANNERY_TRY_ASSIGN(const std::optional<TrialResult> result, resultOf(job, state));
        if (!result) {
            return fail(ErrorCode::FailedPrecondition, kNotEvaluated, runOf(job.key));
        }
        CANNERY_TRY(put(job, state));
        const auto known = static_cast<double>(m_scores.size() + 1);
        const auto all = std::max<std::int64_t>(m_search.trials(), std::ssize(jobs));
        m_request.ended(*result, known / static_cast<double>(all));
        return {};
    }

    /// What the records of the job's run say; nothing without an evaluation.
    Result<std::optional<TrialResult>> resultOf(const sweep::Job& job, storage::TrialState state)
    {
        TrialResult result{.job = job, .run = runOf(job.key), .score = kWorst};
        const storage::RunFiles files(m_store.folderOf(result.run));
        if (state == storage::TrialState::Diverged) {
            return std::optional(result);
        }
        CANNERY_TRY_ASSIGN(const std::vector<storage::RunEvaluation> evaluations,
                           files.readEvaluations());
        const storage::RunEvaluation* last = nullptr;
        for (const storage::RunEvaluation& evaluation : evaluations) {
            const bool isOfJob = !job.maxSteps || evaluation.globalStep <= *job.maxSteps;
            if (isOfJob && evaluation.name == m_request.experiment.eval_spec().name()) {
                last = &evaluation;
            }
        }
        if (last == nullptr) {
            return std::nullopt;
        }
        result.globalStep = last->globalStep;
        result.metrics = last->metrics;
        CANNERY_TRY_ASSIGN(const double value, metricOf(result));
        if (!std::isnan(value)) {
            const bool prefersMore =
                spec::prefersMore(m_request.experiment, m_request.experiment.sweep());
            result.score = prefersMore ? -value : value;
        }
        return std::optional(result);
    }

    Result<double> metricOf(const TrialResult& result) const
    {
        const std::string& metric = m_request.experiment.sweep().metric();
        std::vector<std::string> names;
        for (const storage::MetricValue& value : result.metrics) {
            if (value.name == metric) {
                return value.value;
            }
            names.push_back(value.name);
        }
        return tl::make_unexpected(noSuchMetric(metric, names).with(result.run));
    }

    const SweepRequest& m_request;
    sweep::Search& m_search;
    storage::RunStore& m_store;
    storage::SweepStore m_sweeps;
    std::string m_name;
    std::string m_folder; ///< of the project
    SweepShares m_shares;
    std::map<sweep::JobKey, storage::SweepTrial> m_known;
    std::map<sweep::JobKey, TrialResult> m_results;
    sweep::Scores m_scores;
    std::size_t m_checked; ///< jobs whose experiments were checked
    Trainings m_trainings;
};

} // namespace

std::map<std::string, double> TrialResult::metricsByName() const
{
    std::map<std::string, double> values;
    for (const storage::MetricValue& metric : metrics) {
        values[metric.name] = metric.value;
    }
    return values;
}

Result<spec::Experiment> experimentOf(const spec::Experiment& experiment, const sweep::Job& job)
{
    spec::Experiment one = experiment;
    one.clear_sweep();
    for (const std::string& override : job.overrides) {
        if (Result<void> applied = spec::applyOverride(one, override); !applied) {
            return tl::make_unexpected(std::move(applied).error().with(trialNote(job)));
        }
    }
    if (job.maxSteps) {
        one.mutable_train_spec()->set_max_steps(*job.maxSteps);
    }
    for (spec::Problem& problem : spec::validate(one)) {
        if (problem.severity == spec::Severity::Error) {
            return tl::make_unexpected(std::move(problem.error).with(trialNote(job)));
        }
    }
    return one;
}

Result<void> checkJobs(const spec::Experiment& experiment, const sweep::Search& search,
                       const std::string& folder)
{
    for (const sweep::Job& job : search.jobs()) {
        CANNERY_TRY(checkJob(experiment, job, folder));
    }
    return {};
}

SweepShares sharesOf(const spec::Experiment& experiment, std::int64_t trials, int cores)
{
    const std::int64_t wanted = experiment.sweep().parallel_runs();
    const std::int64_t runs =
        wanted > 0 ? wanted : std::min<std::int64_t>(cores, sweep::kUsualParallelRuns);
    SweepShares shares{.runs =
                           std::clamp<std::int64_t>(runs, 1, std::max<std::int64_t>(1, trials))};
    shares.threads = std::max<std::int64_t>(1, cores / shares.runs);
    return shares;
}

Result<SweepOutcome> runSweep(const SweepRequest& request, sweep::Search& search)
{
    const std::string project = storage::parentFolder(request.experimentFile);
    search.advance({});
    CANNERY_TRY(checkJobs(request.experiment, search, project)); // before anything is written
    CANNERY_TRY_ASSIGN(storage::RunStore store, storage::RunStore::open(project));
    const std::string identity =
        fmt::format("{:016x}", fingerprint64(sweep::sweepIdentity(request.experiment)));
    CANNERY_TRY_ASSIGN(const storage::SweepInfo sweep,
                       storage::SweepStore(store.database())
                           .findOrAdd(request.experimentFile, identity,
                                      storage::joinPath(project, storage::kRunsFolder),
                                      systemClock().wallTime()));
    CANNERY_TRY(storage::checkRunName(sweep.name)); // someone else's store may hold any
    SweepRunner runner(request, search, store, sweep.name);
    CANNERY_TRY(runner.run());
    return runner.outcome();
}

} // namespace cannery::launch
