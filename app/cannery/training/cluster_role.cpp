// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/training/cluster_role.h"

#include "app/cannery/training/parameter_task.h"
#include "app/version.h"
#include "core/cluster/launcher.h"
#include "core/spec/spec_resolver.h"

#include <fmt/ranges.h>

#include <chrono>

namespace cannery::app {

namespace {

constexpr ErrorKind kOneMachine{
    "cluster.strategy_of_one_machine",
    "The cluster has {0} workers, but the strategy {1} trains on one machine: set strategy {{ "
    "multi_worker_mirrored {{}} }}."};
constexpr ErrorKind kSecondEvaluator{
    "cluster.second_evaluator",
    "TF_CONFIG says that this process is evaluator {}, but a cluster has one evaluator, with index "
    "0."};
constexpr ErrorKind kUnusedServers{
    "cluster.unused_servers",
    "The cluster has {} ps tasks, but the strategy {} does not use them: set strategy {{ "
    "parameter_server {{}} }}, or leave them out of the cluster."};
constexpr ErrorKind kNoServers{
    "cluster.no_servers",
    "The strategy parameter_server keeps the variables of {} workers in ps tasks, but the cluster "
    "has none: add one or more, or set strategy {{ multi_worker_mirrored {{}} }}."};
constexpr ErrorKind kDynamic{
    "cluster.dynamic_workers",
    "Dynamic workers know only themselves, but here every task needs the addresses of all: switch "
    "off enableDynamicWorker."};

/// TensorFlow parses any index of an evaluator, and trains and evaluates with 0 alone.
Result<void> checkEvaluator(const cluster::ClusterSpec& cluster)
{
    if (cluster.index != 0) {
        return fail(ErrorCode::InvalidArgument, kSecondEvaluator, cluster.index);
    }
    return {};
}

} // namespace

Result<void> checkStrategy(const spec::Experiment& experiment, const TaskCounts& tasks)
{
    const spec::Experiment resolved = spec::resolve(experiment);
    const strategies::StrategyRow& strategy = strategies::strategyOf(resolved);
    const bool isSet = experiment.strategy().kind_case() != spec::Strategy::KIND_NOT_SET;
    if (tasks.servers > 0 && isSet && !strategy.hasServers) {
        return fail(ErrorCode::InvalidArgument, kUnusedServers, tasks.servers, strategy.name);
    }
    if (tasks.servers == 0 && tasks.workers > 1 && strategy.hasServers) {
        return fail(ErrorCode::InvalidArgument, kNoServers, tasks.workers);
    }
    if (tasks.servers == 0 && tasks.workers > 1 && !strategy.spansProcesses) {
        return fail(ErrorCode::InvalidArgument, kOneMachine, tasks.workers, strategy.name);
    }
    if (tasks.servers == 0) {
        CANNERY_TRY(strategies::shardingOf(resolved, {.rank = 0, .count = tasks.workers}));
    }
    return {};
}

Result<ClusterRole> clusterRole(const spec::Experiment& experiment, const std::string& modelDir,
                                const cluster::Environment& environment,
                                const std::atomic<bool>* stop)
{
    ClusterRole role{.modelDir = modelDir};
    CANNERY_TRY_ASSIGN(std::optional<cluster::ClusterSpec> cluster,
                       cluster::clusterOfEnvironment(environment));
    if (!cluster) {
        return role;
    }
    CANNERY_TRY_ASSIGN(role.modelDir, cluster::modelDirOf(*cluster, modelDir));
    role.note = fmt::format("{}", fmt::join(cluster->warnings, " "));
    role.isInCluster = !cluster->tasks.empty() || cluster->type == cluster::TaskType::Evaluator;
    role.hasEvaluator = cluster->hasEvaluator;
    role.isEvaluator = cluster->type == cluster::TaskType::Evaluator;
    if (role.isEvaluator) {
        CANNERY_TRY(checkEvaluator(*cluster));
        return role;
    }
    const spec::Experiment resolved = spec::resolve(experiment);
    CANNERY_TRY(checkStrategy(experiment, {.workers = cluster->workerCount(),
                                           .servers = cluster->parameterServerCount()}));
    // Tasks that TF_CONFIG does not list may come and go, as enableDynamicWorker allows.
    if (cluster->isSparse) {
        return fail(ErrorCode::InvalidArgument, kDynamic);
    }
    if (cluster->isAlone()) {
        return role;
    }
    // Without a strategy, TensorFlow uses them too.
    if (cluster->parameterServerCount() > 0) {
        role.parameters = parameterClient(
            *cluster, resolved.strategy().parameter_server(),
            std::string(cluster::valueOf(environment, cluster::kTokenVariable)),
            std::chrono::seconds(resolved.run_config().session_creation_timeout_secs()), stop);
        return role;
    }
    const double silence =
        resolved.strategy().multi_worker_mirrored().communication_options().timeout_seconds();
    role.group = std::make_unique<strategies::WorkerGroup>(strategies::WorkerGroup::Options{
        .cluster = *std::move(cluster),
        .token = std::string(cluster::valueOf(environment, cluster::kTokenVariable)),
        .version = versionWithCommit(),
        .sums = strategies::sumOptionsOf(resolved.strategy()),
        .silenceSeconds = silence,
        .startSeconds = static_cast<double>(resolved.run_config().session_creation_timeout_secs()),
        .stop = stop});
    return role;
}

} // namespace cannery::app
