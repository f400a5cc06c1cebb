// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/training/parameter_task.h"

#include "app/cannery/console/command.h"
#include "app/version.h"
#include "core/base/interruption.h"
#include "core/cluster/host_port.h"
#include "core/cluster/launcher.h"
#include "core/launch/stop_signals.h"
#include "core/parameters/parameter_server.h"
#include "kernels/device/thread_pool.h"

#include <algorithm>
#include <csignal>
#include <random>

namespace cannery::app {

namespace {

constexpr ErrorKind kFailed{"parameters.chief_failed",
                            "The chief, whose variables were here, could not go on: {}"};

std::vector<std::string> trainingTasks(const cluster::ClusterSpec& cluster)
{
    std::vector<std::string> names;
    for (const cluster::Task& task : cluster.tasks) {
        if (task.type != cluster::TaskType::ParameterServer) {
            names.push_back(fmt::format("{}:{}", cluster::name(task.type), task.index));
        }
    }
    return names;
}

std::vector<std::string> serverAddresses(const cluster::ClusterSpec& cluster)
{
    std::vector<std::string> addresses;
    for (const cluster::Task& task : cluster.tasks) {
        if (task.type == cluster::TaskType::ParameterServer) {
            addresses.push_back(task.address);
        }
    }
    return addresses;
}

} // namespace

bool isParameterServer(const cluster::Environment& environment)
{
    const auto cluster = cluster::clusterOfEnvironment(environment);
    return cluster && *cluster && (*cluster)->type == cluster::TaskType::ParameterServer;
}

ExitCode serveParameters(Console& console, const cluster::Environment& environment, int threads)
{
    console.setMayDropLines();
    // isParameterServer() has read it without an error.
    const cluster::ClusterSpec cluster = **cluster::clusterOfEnvironment(environment);
    const launch::StopSignals signals;
    const auto server = parameters::ParameterServer::start(
        {.address = cluster.ownAddress(),
         .index = cluster.index,
         .tasks = trainingTasks(cluster),
         .token = std::string(cluster::valueOf(environment, cluster::kTokenVariable)),
         .version = versionWithCommit(),
         .threads = kernels::threadCount(threads),
         .onNote =
             [&](const coordinator::Note& note) {
                 console.diagnostic("warning: " + note.sentence);
             },
         .stop = &signals.flag()});
    if (!server) {
        return reportFailure(console, server.error());
    }
    console.note(fmt::format("ps:{} keeps its share of the variables at {}", cluster.index,
                             cluster.ownAddress()));
    const Result<coordinator::JobEnd> end = (*server)->run();
    if (!end) {
        return end.error().id == kInterruptedId ? signals.exitCode()
                                                : reportFailure(console, end.error());
    }
    switch (end->outcome) {
    case coordinator::Outcome::Done:
        console.note("the chief has ended the training");
        return ExitCode::Done;
    case coordinator::Outcome::Stopping:
        return signals.exitCode();
    case coordinator::Outcome::Failed:
        break;
    }
    return reportFailure(console, error(ErrorCode::Aborted, kFailed, end->reason));
}

std::unique_ptr<parameters::ParameterClient>
parameterClient(const cluster::ClusterSpec& cluster, const spec::ParameterServerStrategy& strategy,
                const std::string& token, std::chrono::milliseconds startWait,
                const std::atomic<bool>* stop)
{
    // A task that was started again must not be taken for the one before it.
    std::random_device random;
    const auto address = cluster::parseHostPort(cluster.ownAddress(), "this task");
    return std::make_unique<parameters::ParameterClient>(parameters::ParameterClient::Options{
        .servers = serverAddresses(cluster),
        .tasks = cluster.workerCount(),
        .identity = {.task = fmt::format("{}:{}", cluster::name(cluster.type), cluster.index),
                     .rank = cluster.rank(),
                     .incarnation = static_cast<std::uint64_t>(random()) << 32U | random(),
                     .version = versionWithCommit(),
                     .host = address ? address->host : cluster.ownAddress(),
                     .token = token},
        .strategy = strategy,
        .stop = stop,
        .startWait = startWait});
}

} // namespace cannery::app
