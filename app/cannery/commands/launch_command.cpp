// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/commands/launch_command.h"

#include "app/cannery/input/experiment_input.h"
#include "app/cannery/reports/evaluation_view.h"
#include "app/cannery/training/cluster_role.h"
#include "app/cannery/training/training_launch.h"
#include "core/base/counted.h"
#include "core/base/error_json.h"
#include "core/cluster/manifests.h"
#include "core/cluster/roles.h"
#include "core/launch/background_process.h"
#include "core/launch/child_process.h"
#include "core/launch/cluster_announcer.h"
#include "core/launch/reserved_ports.h"
#include "core/launch/sleep_inhibitor.h"
#include "core/reports/report_json.h"
#include "core/reports/train.pb.h"
#include "core/spec/strategy_devices.h"
#include "core/train/records/run_name.h"
#include "kernels/device/thread_pool.h"
#include "storage/io/confinement.h"
#include "storage/io/files.h"
#include "storage/runs/run_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

namespace cannery::app {

namespace {

constexpr ErrorKind kWorkerCount{
    "command.usage.worker_count",
    "-n says how many workers train, the chief included: 1 to {}, not {}. Try 'cannery help "
    "launch'."};
constexpr ErrorKind kTwoNumbers{
    "command.usage.two_worker_counts",
    "-n says {} workers and --max says {}: give one of them; --min says how few may go on."};
constexpr ErrorKind kFewest{"command.usage.fewest_workers",
                            "--min must be from 1 to the number of workers, {}, not {}."};
constexpr ErrorKind kThisMachine{
    "command.usage.this_machine_only",
    "--detach, --min and --max are for a cluster on this machine, not for a job printed by "
    "--dry-run."};
constexpr ErrorKind kServerCount{
    "command.usage.server_count",
    "--ps says how many parameter servers there are: 0 to {}, not {}. Try 'cannery help launch'."};
constexpr ErrorKind kNotInAJob{
    "command.usage.not_in_a_job",
    "A job printed by --dry-run trains the experiment file as it is: --set, --copy and --seed "
    "belong "
    "into the file, and the platform keeps the logs in place of --log-dir."};
constexpr ErrorKind kNegativeMaxRestarts{"command.usage.negative_max_restarts",
                                         "--max-restarts must be at least 0, not {}."};

/// More on one host is a typing mistake.
constexpr std::int64_t kMostWorkers = 256;
constexpr std::int64_t kDefaultRestarts = 3;
constexpr const char* kLogFolder = "launch";
constexpr const char* kLauncherLog = "launcher.log";
/// As packaging/container/build_image.sh names it.
constexpr const char* kImage = "cannery:latest";

/// As seen from this folder, in which paths of the experiment begin.
std::string relativeInJob(const std::filesystem::path& folder, const std::string& path)
{
    const std::filesystem::path whole = std::filesystem::absolute(path).lexically_normal();
    std::string relative = whole.lexically_relative(folder).string();
    while (relative.ends_with('/')) {
        relative.pop_back();
    }
    return relative;
}

/// Of a launcher in the background, which has no terminal.
void redirectOutput(const std::string& file)
{
    // A run's folder may come from elsewhere: a link in its place is not written through.
    const int log = storage::openConfined(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (log >= 0) {
        dup2(log, STDOUT_FILENO);
        dup2(log, STDERR_FILENO);
        close(log);
    }
}

} // namespace

void LaunchCommand::declare(OptionSet& options)
{
    options.argument("FILE", m_file, "an experiment file");
    options.option("-n,--workers", "N", m_workers,
                   "the number of processes that train, the chief included");
    options.option("--min", "N", m_fewest,
                   "go on with fewer workers, N at least, if one cannot be kept alive (default: "
                   "all)");
    options.option("--max", "N", m_most, "the same as -n, beside --min");
    options.option("--ps", "M", m_parameterServers,
                   "the number of parameter servers, which keep the variables for the strategy "
                   "parameter_server (default: 0)");
    options.flag("--evaluator", m_hasEvaluator,
                 "evaluate in a process of its own, which trains nothing");
    options.option("--max-restarts", "N", m_restarts,
                   "start killed tasks again, at most N times together (default: 3)");
    options.option("--log-dir", "DIR", m_logDir,
                   "the output of each task goes to a file here (default: 'launch' in the run's "
                   "folder)");
    options.option("--model-dir", "DIR", m_modelDir,
                   "train in this folder, or continue there (default: a new run in the project)");
    options.option("--set", "PATH=VALUE", m_overrides, "override a field (repeatable)");
    options.flag("--allow-commands", m_allowsCommands, kAllowCommandsHelp);
    options.option("--copy", "OTHER", m_copy,
                   "take the experiment's text from this file; paths stay relative to FILE");
    options.threads(m_threads,
                    "threads of each task (default: this machine's, divided by the workers)");
    options.option("--seed", "N", m_seed, "the random seed (default: run_config.tf_random_seed)");
    options.choice("--dry-run", {"kubernetes", "kubeflow", "slurm"}, m_platform,
                   "start nothing; print the job for `kubectl apply -f -` or `sbatch`");
    options.option("--image", "IMAGE", m_image,
                   "the container image that a printed job runs (default: cannery:latest)");
    options.flag("--detach", m_detach,
                 "train in the background and return when the run has begun; it continues when "
                 "this terminal or the window closes");
    options.flag("--quiet", m_quiet, "print errors and warnings only");
    options.flag("--json", m_json, "print one JSON object");
}

Result<void> LaunchCommand::checkNumbers() const
{
    const std::int64_t workers = m_workers.value_or(m_most.value_or(0));
    const std::int64_t most = m_platform ? cluster::kMostTasks : kMostWorkers;
    if (workers < 1 || workers > most) {
        return fail(ErrorCode::InvalidArgument, kWorkerCount, most, workers);
    }
    if (m_workers && m_most && *m_workers != *m_most) {
        return fail(ErrorCode::InvalidArgument, kTwoNumbers, *m_workers, *m_most);
    }
    if (m_platform && (m_detach || m_fewest || m_most)) {
        return fail(ErrorCode::InvalidArgument, kThisMachine);
    }
    if (m_fewest && (*m_fewest < 1 || *m_fewest > workers)) {
        return fail(ErrorCode::InvalidArgument, kFewest, workers, *m_fewest);
    }
    const std::int64_t servers = m_parameterServers.value_or(0);
    if (servers < 0 || servers > most) {
        return fail(ErrorCode::InvalidArgument, kServerCount, most, servers);
    }
    if (m_platform && (m_copy || m_seed || m_logDir || !m_overrides.empty())) {
        return fail(ErrorCode::InvalidArgument, kNotInAJob);
    }
    if (m_restarts.value_or(0) < 0) {
        return fail(ErrorCode::InvalidArgument, kNegativeMaxRestarts, *m_restarts);
    }
    return {};
}

ExitCode LaunchCommand::run(Console& console)
{
    if (const Result<void> checked = checkNumbers(); !checked) {
        return reportFailure(console, checked.error());
    }
    console.setQuiet(m_quiet);
    if (m_platform) {
        return describe(console);
    }
    // Problems are reported here once, not by every task.
    const auto input = readTrainableExperiment(console, m_copy.value_or(m_file), m_overrides,
                                               std::filesystem::absolute(m_file).parent_path(),
                                               m_modelDir.value_or(""));
    if (!input) {
        return input.error();
    }
    if (const Result<void> checked =
            checkStrategy(input->experiment, {.workers = workerCount(), .servers = serverCount()});
        !checked) {
        return reportFailure(console, checked.error());
    }
    // After all checks, so that errors are printed where the user is.
    if (const auto code = m_detach ? goIntoBackground(console) : std::nullopt) {
        return *code;
    }
    if (m_modelDir) {
        return launch(console, *m_modelDir, input->experiment);
    }
    // Not left to the chief: it would start a new run whenever it is started again.
    const Result<std::string> folder = train::createRunFolder(input->folder.string());
    return folder ? launch(console, *folder, input->experiment)
                  : reportFailure(console, folder.error());
}

ExitCode LaunchCommand::describe(Console& console) const
{
    const auto input = readExperiment(console, m_file, {}); // it need not fit into this machine
    if (!input) {
        return input.error();
    }
    // Reported here once, not by every task.
    if (const Result<void> checked =
            checkStrategy(input->experiment, {.workers = workerCount(), .servers = serverCount()});
        !checked) {
        return reportFailure(console, checked.error());
    }
    const std::filesystem::path file = std::filesystem::absolute(m_file).lexically_normal();
    const std::string& name = input->experiment.name();
    cluster::ManifestRequest job{
        .platform = *cluster::platformOf(*m_platform),
        .name = cluster::jobNameOf(name.empty() ? file.stem().string() : name),
        .experiment = file.filename().string(),
        .image = m_image.value_or(kImage),
        .workers = workerCount(),
        .parameterServers = serverCount(),
        .hasEvaluator = m_hasEvaluator,
        .cpus = static_cast<int>(m_threads.value_or(
            std::max<std::int64_t>(1, input->experiment.run_config().threads()))),
        .hasGpus = spec::trainingPlaceOf(input->experiment.strategy()).kind ==
                   spec::TrainingPlace::Kind::TaskGpu};
    job.modelDir =
        m_modelDir ? relativeInJob(file.parent_path(), *m_modelDir) : "models/" + job.name;
    if (job.platform == cluster::Platform::Slurm) {
        // A script for sbatch makes its secret when the job starts; a manifest for pods has it in
        // it.
        job.project = file.parent_path().string();
    } else {
        job.token = launch::newJobToken();
    }
    const Result<std::string> text = cluster::renderManifests(job);
    if (!text) {
        return reportFailure(console, text.error());
    }
    console.content(*text);
    return ExitCode::Done;
}

int LaunchCommand::serverCount() const
{
    return static_cast<int>(m_parameterServers.value_or(0));
}

int LaunchCommand::workerCount() const
{
    return static_cast<int>(m_workers.value_or(m_most.value_or(1)));
}

ExitCode LaunchCommand::launch(Console& console, const std::string& folder,
                               const spec::Experiment& experiment) const
{
    launch::LocalCluster cluster{.workers = workerCount(),
                                 .parameterServers = serverCount(),
                                 .hasEvaluator = m_hasEvaluator,
                                 .program = launch::kThisProgram,
                                 .logFolder =
                                     m_logDir.value_or(storage::joinPath(folder, kLogFolder))};
    // The chief reports for all tasks, in the background as JSON.
    for (const auto& [isSet, word] :
         {std::pair(m_quiet, "--quiet"), std::pair(m_json || m_detach, "--json")}) {
        if (isSet) {
            cluster.chiefWords.emplace_back(word);
        }
    }
    if (const Result<void> made = storage::makeFolders(cluster.logFolder); !made) {
        return reportFailure(console, made.error());
    }
    std::optional<launch::ClusterAnnouncer> announcer;
    if (m_detach) {
        announcer.emplace(launch::backgroundPipe(), folder);
        redirectOutput(storage::joinPath(cluster.logFolder, kLauncherLog));
    }
    launch::ClusterSupervision supervision{
        .folder = folder,
        .maxRestarts = static_cast<int>(m_restarts.value_or(kDefaultRestarts)),
        .watcher = announcer ? &*announcer : nullptr};
    if (m_hasEvaluator) {
        // The evaluator is another process: the report of the chief lacks what it found.
        supervision.completeReport = [&](const std::string& report) {
            return completed(report, folder);
        };
    }
    const launch::SleepInhibitor inhibitor(m_file + " is being trained");
    const int fewest = static_cast<int>(m_fewest.value_or(cluster.workers));
    // One turn for each size of the cluster: it goes on with fewer workers if one is lost too
    // often.
    for (;;) {
        const int fewer =
            launch::fewerWorkers(cluster.workers, fewest, experiment.strategy().virtual_shards());
        supervision.canShrink = fewer > 0;
        cluster.words = trainWords(folder, cluster.workers);
        const launch::ClusterEnd end = runCluster(console, cluster, supervision);
        if (end.lost.empty()) {
            if (announcer) {
                announcer->ended(end.code);
            }
            return end.code;
        }
        console.diagnostic(fmt::format("warning: {} once too often; training goes on with {} from "
                                       "the last checkpoint.",
                                       end.lost, counted(fewer, "worker")));
        cluster.workers = fewer;
        supervision.continuesLog = true;
    }
}

launch::ClusterEnd LaunchCommand::runCluster(Console& console, const launch::LocalCluster& cluster,
                                             launch::ClusterSupervision supervision) const
{
    const Result<launch::ReservedPorts> ports =
        launch::ReservedPorts::reserve(launch::taskCount(cluster));
    if (!ports) {
        if (supervision.watcher != nullptr) {
            supervision.watcher->failed(errorJson(ports.error()));
        }
        return {.code = reportFailure(console, ports.error())};
    }
    supervision.tasks = launch::programsOf(cluster, ports->ports(), launch::newJobToken());
    console.note(fmt::format("{} on this machine; their output is in {}",
                             counted(std::ssize(supervision.tasks), "task"), cluster.logFolder));
    console.setMayDropLines();
    return launch::superviseCluster(console, supervision);
}

std::string LaunchCommand::completed(const std::string& report, const std::string& folder) const
{
    const storage::RunFiles files(folder);
    const auto all = files.readEvaluations();
    if (!all || all->empty()) {
        return report;
    }
    train::EvaluationResult last{.name = all->back().name, .globalStep = all->back().globalStep};
    for (const storage::MetricValue& metric : all->back().metrics) {
        last.metrics.push_back({metric.name, metric.value});
    }
    if (!m_json && !m_detach) {
        const std::string lines = fmt::format("{}", fmt::join(metricLines(last), "\n"));
        return m_quiet ? report : fmt::format("\n{}\n\n{}", lines, report);
    }
    // A report that was cut off, or says why there is none, is passed on as it is.
    reports::Trained trained;
    if (!reports::readReport(report, trained) || trained.state().empty()) {
        return report;
    }
    *trained.mutable_metrics()->mutable_metrics() = metricsReport(last.metrics);
    const auto exports = files.readExports().value_or(std::vector<storage::RunExport>());
    for (const storage::RunExport& entry : exports) {
        reports::TrainedExport& row = *trained.add_exports();
        row.set_exporter(entry.exporter);
        row.set_path(storage::joinPath(folder, entry.path));
        row.set_global_step(entry.globalStep);
    }
    return reports::reportJson(trained, 2) + "\n";
}

std::vector<std::string> LaunchCommand::trainWords(const std::string& folder, int workers) const
{
    const std::int64_t share = std::max(1, kernels::threadCount(0) / workers);
    std::vector<std::string> words{"train", m_file,      "--model-dir",
                                   folder,  "--threads", std::to_string(m_threads.value_or(share))};
    for (const std::string& setting : m_overrides) {
        words.insert(words.end(), {"--set", setting});
    }
    if (m_allowsCommands) {
        words.emplace_back("--allow-commands");
    }
    if (m_copy) {
        words.insert(words.end(), {"--copy", *m_copy});
    }
    if (m_seed) {
        words.insert(words.end(), {"--seed", std::to_string(*m_seed)});
    }
    return words;
}

} // namespace cannery::app
