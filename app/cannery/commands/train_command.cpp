// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/commands/train_command.h"

#include "app/cannery/input/experiment_input.h"
#include "app/cannery/reports/dry_run.h"
#include "app/cannery/training/cluster_role.h"
#include "app/cannery/training/parameter_task.h"
#include "core/train/evaluation/evaluator_task.h"
#include "core/train/loop/training_control.h"
#include "storage/io/patient_file_system.h"

#include <chrono>
#include <mutex>
#include <thread>

namespace cannery::app {

namespace {

constexpr ErrorKind kNoCluster{
    "cluster.none",
    "Nothing says which task of which cluster this process is: set TF_CONFIG, or CANNERY_ROLES in "
    "an Indexed Job of Kubernetes, or start it with 'srun'; 'cannery train' trains without a "
    "cluster."};

constexpr std::chrono::seconds kTryWritingEvery(1);
constexpr std::chrono::milliseconds kLookForStopEvery(100);
constexpr std::chrono::minutes kReportFullDiskEvery(10);

/// What a chief does where a disk is full: it waits with the state in memory until there is room,
/// and reports that on standard error, as nothing else can be written. The others wait for it.
/// Setting `stop`, which may be null, ends the waiting, as a request to stop without saving does:
/// what is being written then fails. Any thread.
class DiskSpaceWait
{
public:
    DiskSpaceWait(const Console& console, const train::TrainRequest& request)
        : m_console(&console), m_stop(request.stop), m_control(request.control)
    {}

    bool wait(const Error& noRoom)
    {
        report(noRoom);
        // In short turns, so that a request to stop does not wait for a whole one.
        for (auto waited = std::chrono::milliseconds(0); waited < kTryWritingEvery;
             waited += kLookForStopEvery) {
            if (train::mustHurry(m_stop, m_control)) {
                return false;
            }
            std::this_thread::sleep_for(kLookForStopEvery);
        }
        return true;
    }

private:
    void report(const Error& noRoom)
    {
        const std::lock_guard lock(m_mutex);
        const std::chrono::steady_clock::time_point now = std::chrono::steady_clock::now();
        // Each attempt would print the same line, once a second.
        if (m_lastReport && now - *m_lastReport < kReportFullDiskEvery) {
            return;
        }
        m_lastReport = now;
        m_console->diagnostic(
            fmt::format("warning: {} The training waits, with its state in memory, and goes on as "
                        "soon as there is room.",
                        noRoom.sentence));
    }

    const Console* m_console;
    const std::atomic<bool>* m_stop;
    const train::TrainingControl* m_control;
    std::mutex m_mutex;
    std::optional<std::chrono::steady_clock::time_point> m_lastReport;
};

std::unique_ptr<storage::FileSystem> patientDisk(const Console& console,
                                                 const train::TrainRequest& request)
{
    return storage::patientFileSystem(
        // Shared, since a function object must be copyable and a mutex is not.
        [spaceWait = std::make_shared<DiskSpaceWait>(console, request)](const Error& noRoom) {
            return spaceWait->wait(noRoom);
        });
}

} // namespace

void TrainCommand::declare(OptionSet& options)
{
    options.argument("FILE", m_file, "an experiment file");
    options.option("--model-dir", "DIR", m_modelDir,
                   "train in this folder, or continue there (default: a new run in the project)");
    options.option("--set", "PATH=VALUE", m_overrides, "override a field (repeatable)");
    options.option("--copy", "OTHER", m_copy,
                   "take the experiment's text from this file; paths stay relative to FILE");
    options.threads(m_threads, "threads (default: as the experiment says)");
    options.option("--seed", "N", m_seed, "the random seed (default: run_config.tf_random_seed)");
    options.flag("--dry-run", m_isDryRun,
                 "print the experiment with every default filled in and what training would do, "
                 "and stop");
    options.flag("--allow-commands", m_allowsCommands, kAllowCommandsHelp);
    m_launch.declare(options);
    options.flag("--quiet", m_quiet, "print errors and warnings only");
    options.flag("--json", m_json, "print one JSON object");
}

ExitCode TrainCommand::run(Console& console)
{
    // Before the experiment is read, of which a parameter server needs nothing.
    if (!m_isDryRun && isParameterServer(cluster::environmentOfProcess())) {
        console.setQuiet(m_quiet);
        return serveParameters(console, cluster::environmentOfProcess(),
                               static_cast<int>(m_threads.value_or(0)));
    }
    auto input = readTrainableExperiment(console, m_copy.value_or(m_file), m_overrides,
                                         std::filesystem::absolute(m_file).parent_path(),
                                         m_modelDir.value_or(""));
    if (!input) {
        return input.error();
    }
    train::TrainRequest request{.experiment = std::move(input->experiment),
                                .experimentFile = std::filesystem::absolute(m_file).string(),
                                .modelDir = m_modelDir.value_or(""),
                                .seed = m_seed,
                                .allowsCommands = m_allowsCommands};
    if (m_isDryRun) {
        return dryRun(console, {.experiment = request.experiment,
                                .folder = input->folder.string(),
                                .modelDir = request.modelDir,
                                .seed = m_seed,
                                .allowsCommands = m_allowsCommands,
                                .json = m_json});
    }
    if (m_threads) {
        request.threads = static_cast<int>(*m_threads);
    }
    return launchTraining(
        console, m_launch, {.json = m_json, .quiet = m_quiet},
        [&](const TrainingWires& wires) { return train(console, wires, request); });
}

Result<train::TrainReport> TrainCommand::train(const Console& console, const TrainingWires& wires,
                                               train::TrainRequest& request) const
{
    wires.connect(request);
    CANNERY_TRY_ASSIGN(const ClusterRole role,
                       clusterRole(request.experiment, m_modelDir.value_or(""),
                                   cluster::environmentOfProcess(), request.stop));
    if (m_place == Place::InACluster && !role.isInCluster) {
        return fail(ErrorCode::FailedPrecondition, kNoCluster);
    }
    request.group = role.group.get();
    request.parameters = role.parameters.get();
    request.note += role.note;
    // An engine that a supervisor starts again continues the run that it began.
    request.modelDir = wires.folder.empty() ? role.modelDir : wires.folder;
    request.hasEvaluator = role.hasEvaluator;
    if (role.isEvaluator) {
        return train::evaluateContinuously(request);
    }
    std::unique_ptr<storage::FileSystem> disk;
    if (role.group != nullptr || role.parameters != nullptr) {
        disk = patientDisk(console, request);
        request.system = disk.get();
    }
    return train::trainAndEvaluate(request);
}

} // namespace cannery::app
