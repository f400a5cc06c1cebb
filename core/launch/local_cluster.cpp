// SPDX-License-Identifier: Apache-2.0
#include "core/launch/local_cluster.h"

#include "core/cluster/cluster_spec.h"
#include "core/cluster/host_port.h"
#include "core/cluster/launcher.h"
#include "core/cluster/tf_config.h"
#include "core/launch/launch_output.h"
#include "storage/io/files.h"

#include <fmt/core.h>

#include <algorithm>
#include <random>
#include <unistd.h>

namespace cannery::launch {

namespace {

constexpr const char* kLoopback = "127.0.0.1";
constexpr int kTokenWords = 4; ///< of 32 bits

std::vector<cluster::Task> tasksOf(const LocalCluster& local, const std::vector<int>& ports)
{
    std::vector<cluster::Task> tasks;
    const auto add = [&](cluster::TaskType type, int index) {
        tasks.push_back(
            {.type = type,
             .index = index,
             .address = cluster::addressText({.host = kLoopback, .port = ports.at(tasks.size())})});
    };
    add(cluster::TaskType::Chief, 0);
    // The chief counts as a worker.
    for (int i = 0; i + 1 < local.workers; ++i) {
        add(cluster::TaskType::Worker, i);
    }
    for (int i = 0; i < local.parameterServers; ++i) {
        add(cluster::TaskType::ParameterServer, i);
    }
    if (local.hasEvaluator) {
        add(cluster::TaskType::Evaluator, 0);
    }
    return tasks;
}

} // namespace

int taskCount(const LocalCluster& cluster)
{
    return cluster.workers + cluster.parameterServers + (cluster.hasEvaluator ? 1 : 0);
}

std::vector<TaskProgram> programsOf(const LocalCluster& local, const std::vector<int>& ports,
                                    const std::string& token)
{
    const std::vector<cluster::Task> tasks = tasksOf(local, ports);
    std::vector<TaskProgram> programs;
    for (const cluster::Task& task : tasks) {
        const std::string_view type = cluster::name(task.type);
        TaskProgram program{
            .name = fmt::format("{}:{}", type, task.index),
            .program = local.program,
            .words = local.words,
            .variables = {fmt::format("{}={}", cluster::kTfConfigVariable,
                                      cluster::writeTfConfig(tasks, task.type, task.index)),
                          fmt::format("{}={}", cluster::kTokenVariable, token)},
            .log = storage::joinPath(local.logFolder, fmt::format("{}-{}.log", type, task.index)),
            .isShown = task.type == cluster::TaskType::Chief};
        if (program.isShown) {
            program.words.insert(program.words.end(), local.chiefWords.begin(),
                                 local.chiefWords.end());
            // Only the chief's output goes to the terminal.
            if (isatty(STDERR_FILENO) == 1) {
                program.variables.push_back(fmt::format("{}=1", LaunchOutput::kOnTerminalVariable));
            }
        }
        programs.push_back(std::move(program));
    }
    return programs;
}

int fewerWorkers(int workers, int fewest, std::int64_t virtualShards)
{
    // Shards must be shared equally.
    for (int fewer = workers - 1; fewer >= std::max(1, fewest); --fewer) {
        if (virtualShards % fewer == 0) {
            return fewer;
        }
    }
    return 0;
}

std::string newJobToken()
{
    std::random_device random; // the system's generator
    std::string token;
    for (int i = 0; i < kTokenWords; ++i) {
        token += fmt::format("{:08x}", random());
    }
    return token;
}

} // namespace cannery::launch
