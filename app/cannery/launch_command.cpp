// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/launch_command.h"

#include "app/cannery/cluster_supervisor.h"
#include "app/cannery/counted.h"
#include "app/cannery/experiment_input.h"
#include "app/cannery/local_cluster.h"
#include "app/cannery/reserved_ports.h"
#include "app/cannery/sleep_inhibitor.h"
#include "core/cluster/manifests.h"
#include "core/cluster/roles.h"
#include "core/train/engine_name.h"
#include "core/train/run_name.h"
#include "storage/io/files.h"

#include <fmt/core.h>

#include <algorithm>

namespace cannery::app {

namespace {

constexpr ErrorKind kWorkerCount{
    "command.usage.worker_count",
    "-n says how many workers train, the chief included: 1 to {}, not {}. Try 'cannery help "
    "launch'."};
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
constexpr const char* kThisProgram = "/proc/self/exe";
constexpr const char* kLogFolder = "launch";
/// As packaging/container/build_image.sh names it.
constexpr const char* kImage = "cannery:latest";

/// As seen from this folder, in which paths of the experiment begin.
std::string relativeTo(const std::filesystem::path& folder, const std::string& path)
{
    const std::filesystem::path whole = std::filesystem::absolute(path).lexically_normal();
    std::string relative = whole.lexically_relative(folder).string();
    while (relative.ends_with('/')) {
        relative.pop_back();
    }
    return relative;
}

} // namespace

void LaunchCommand::declare(OptionSet& options)
{
    options.argument("FILE", m_file, "an experiment file");
    options.option("-n,--workers", "N", m_workers,
                   "the number of processes that train, the chief included");
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
    options.option("--copy", "OTHER", m_copy,
                   "take the experiment's text from this file; paths stay relative to FILE");
    options.option("--threads", "N", m_threads,
                   "threads of each task (default: this machine's, divided by the workers)");
    options.option("--seed", "N", m_seed, "the random seed (default: run_config.tf_random_seed)");
    options.choice("--dry-run", {"kubernetes", "kubeflow", "slurm"}, m_platform,
                   "start nothing; print the job for `kubectl apply -f -` or `sbatch`");
    options.option("--image", "IMAGE", m_image,
                   "the container image that a printed job runs (default: cannery:latest)");
    options.flag("--quiet", m_quiet, "print errors and warnings only");
    options.flag("--json", m_json, "print one JSON object");
}

Result<void> LaunchCommand::checkNumbers() const
{
    const std::int64_t workers = m_workers.value_or(0);
    const std::int64_t most = m_platform ? cluster::kMostTasks : kMostWorkers;
    if (workers < 1 || workers > most) {
        return fail(ErrorCode::InvalidArgument, kWorkerCount, most, workers);
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
    if (m_modelDir) {
        return launch(console, *m_modelDir);
    }
    // Not left to the chief: it would start a new run whenever it is started again.
    const Result<std::string> folder = train::createRunFolder(input->folder.string());
    return folder ? launch(console, *folder) : reportFailure(console, folder.error());
}

ExitCode LaunchCommand::describe(Console& console) const
{
    const auto input = readExperiment(console, m_file, {}); // it need not fit into this machine
    if (!input) {
        return input.error();
    }
    const std::filesystem::path file = std::filesystem::absolute(m_file).lexically_normal();
    const std::string& name = input->experiment.name();
    cluster::ManifestRequest job{
        .platform = *cluster::platformOf(*m_platform),
        .name = cluster::jobNameOf(name.empty() ? file.stem().string() : name),
        .experiment = file.filename().string(),
        .image = m_image.value_or(kImage),
        .workers = static_cast<int>(*m_workers),
        .hasEvaluator = m_hasEvaluator,
        .cpus = static_cast<int>(m_threads.value_or(
            std::max<std::int64_t>(1, input->experiment.run_config().threads())))};
    job.modelDir = m_modelDir ? relativeTo(file.parent_path(), *m_modelDir) : "models/" + job.name;
    if (job.platform == cluster::Platform::Slurm) {
        job.project = file.parent_path().string();
    } else {
        job.token = newJobToken();
    }
    const Result<std::string> text = cluster::renderManifests(job);
    if (!text) {
        return reportFailure(console, text.error());
    }
    console.content(*text);
    return ExitCode::Done;
}

ExitCode LaunchCommand::launch(Console& console, const std::string& folder) const
{
    LocalCluster cluster{.workers = static_cast<int>(*m_workers),
                         .hasEvaluator = m_hasEvaluator,
                         .program = kThisProgram,
                         .words = trainWords(folder),
                         .logFolder = m_logDir.value_or(storage::joinPath(folder, kLogFolder))};
    for (const auto& [isSet, word] : {std::pair(m_quiet, "--quiet"), std::pair(m_json, "--json")}) {
        if (isSet) {
            cluster.chiefWords.emplace_back(word);
        }
    }
    if (const Result<void> made = storage::makeFolders(cluster.logFolder); !made) {
        return reportFailure(console, made.error());
    }
    const Result<ReservedPorts> ports = ReservedPorts::reserve(taskCount(cluster));
    if (!ports) {
        return reportFailure(console, ports.error());
    }
    const ClusterSupervision supervision{
        .tasks = programsOf(cluster, ports->ports(), newJobToken()),
        .folder = folder,
        .maxRestarts = static_cast<int>(m_restarts.value_or(kDefaultRestarts))};
    console.note(fmt::format("{} on this machine; their output is in {}",
                             counted(std::ssize(supervision.tasks), "task"), cluster.logFolder));
    const SleepInhibitor inhibitor(m_file + " is being trained");
    return superviseCluster(console, supervision);
}

std::vector<std::string> LaunchCommand::trainWords(const std::string& folder) const
{
    const std::int64_t share = std::max<std::int64_t>(1, train::threadCount(0) / *m_workers);
    std::vector<std::string> words{"train", m_file,      "--model-dir",
                                   folder,  "--threads", std::to_string(m_threads.value_or(share))};
    for (const std::string& setting : m_overrides) {
        words.insert(words.end(), {"--set", setting});
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
