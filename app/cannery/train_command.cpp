// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/train_command.h"

#include "app/cannery/cluster_role.h"
#include "app/cannery/experiment_input.h"
#include "app/cannery/parameter_task.h"
#include "core/train/evaluator_task.h"

namespace cannery::app {

namespace {

constexpr ErrorKind kNoCluster{
    "cluster.none",
    "Nothing says which task of which cluster this process is: set TF_CONFIG, or CANNERY_ROLES in "
    "an Indexed Job of Kubernetes, or start it with 'srun'; 'cannery train' trains without a "
    "cluster."};

} // namespace

void TrainCommand::declare(OptionSet& options)
{
    options.argument("FILE", m_file, "an experiment file");
    options.option("--model-dir", "DIR", m_modelDir,
                   "train in this folder, or continue there (default: a new run in the project)");
    options.option("--set", "PATH=VALUE", m_overrides, "override a field (repeatable)");
    options.option("--copy", "OTHER", m_copy,
                   "take the experiment's text from this file; paths stay relative to FILE");
    options.option("--threads", "N", m_threads, "threads (default: as the experiment says)");
    options.option("--seed", "N", m_seed, "the random seed (default: run_config.tf_random_seed)");
    m_launch.declare(options);
    options.flag("--quiet", m_quiet, "print errors and warnings only");
    options.flag("--json", m_json, "print one JSON object");
}

ExitCode TrainCommand::run(Console& console)
{
    if (isParameterServer(cluster::environmentOfProcess())) {
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
                                .seed = m_seed};
    if (m_threads) {
        request.threads = static_cast<int>(*m_threads);
    }
    return launchTraining(console, m_launch, {.json = m_json, .quiet = m_quiet},
                          [&](const TrainingWires& wires) { return train(wires, request); });
}

Result<train::TrainReport> TrainCommand::train(const TrainingWires& wires,
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
    request.modelDir = wires.folder.empty() ? role.modelDir : wires.folder;
    request.hasEvaluator = role.hasEvaluator;
    if (role.isEvaluator) {
        return train::evaluateContinuously(request);
    }
    return train::trainAndEvaluate(request);
}

} // namespace cannery::app
