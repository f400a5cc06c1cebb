// SPDX-License-Identifier: Apache-2.0
#include "core/cluster/cluster_spec.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

namespace cannery::cluster {
namespace {

constexpr ErrorKind kDuplicateAddress{
    "cluster.duplicate_address",
    "Both {} and {} have the address {}. Give every task of the cluster an address of its own."};
constexpr ErrorKind kOtherModelDir{
    "cluster.other_model_dir",
    "The experiment's model_dir is {}, but TF_CONFIG says {}. Make them equal, or leave one out."};

constexpr std::array kNames{
    std::pair{TaskType::Chief, std::string_view("chief")},
    std::pair{TaskType::Worker, std::string_view("worker")},
    std::pair{TaskType::ParameterServer, std::string_view("ps")},
    std::pair{TaskType::Evaluator, std::string_view("evaluator")},
};
constexpr std::string_view kOldNameOfChief = "master";

/// How many indices the tasks of this type span: dynamic workers leave gaps.
int span(const std::vector<Task>& tasks, TaskType type)
{
    int result = 0;
    for (const Task& task : tasks) {
        if (task.type == type) {
            result = std::max(result, task.index + 1);
        }
    }
    return result;
}

std::string addressOf(const std::vector<Task>& tasks, TaskType type, int index)
{
    const auto found = std::find_if(tasks.begin(), tasks.end(), [&](const Task& task) {
        return task.type == type && task.index == index;
    });
    return found == tasks.end() ? std::string() : found->address;
}

Result<void> checkAddressesDiffer(const std::vector<Task>& tasks)
{
    // By its address: two tasks with one would be one.
    std::map<std::string_view, const Task*> known;
    for (const Task& task : tasks) {
        const auto [at, isNew] = known.emplace(task.address, &task);
        if (!isNew) {
            return fail(ErrorCode::InvalidArgument, kDuplicateAddress,
                        describe(at->second->type, at->second->index),
                        describe(task.type, task.index), task.address);
        }
    }
    return {};
}

} // namespace

std::string_view name(TaskType type)
{
    return kNames[static_cast<std::size_t>(type)].second;
}

std::optional<TaskType> taskTypeOf(std::string_view name)
{
    // "master" is what TF_CONFIG called the chief of old.
    if (name == kOldNameOfChief) {
        return TaskType::Chief;
    }
    for (const auto& [type, known] : kNames) {
        if (name == known) {
            return type;
        }
    }
    return std::nullopt;
}

std::string describe(TaskType type, int index)
{
    return fmt::format("{} {}", name(type), index);
}

bool ClusterSpec::isAlone() const
{
    // A single task has nobody to talk to.
    return type != TaskType::Evaluator && tasks.size() <= 1 && !isSparse;
}

int ClusterSpec::rank() const
{
    switch (type) {
    case TaskType::Chief:
        return 0;
    case TaskType::Worker:
        // Tasks are numbered by type: chief, workers, parameter servers.
        return span(tasks, TaskType::Chief) + index;
    case TaskType::ParameterServer:
        return span(tasks, TaskType::Chief) + span(tasks, TaskType::Worker) + index;
    case TaskType::Evaluator:
        break;
    }
    return -1;
}

int ClusterSpec::workerCount() const
{
    if (type != TaskType::Evaluator && tasks.empty()) {
        return 1;
    }
    return static_cast<int>(tasks.size()) - parameterServerCount();
}

int ClusterSpec::parameterServerCount() const
{
    return static_cast<int>(std::count_if(tasks.begin(), tasks.end(), [](const Task& task) {
        return task.type == TaskType::ParameterServer;
    }));
}

bool ClusterSpec::isChief() const
{
    // Without a chief, the first worker is one.
    return type == TaskType::Chief ||
           (type == TaskType::Worker && index == 0 && span(tasks, TaskType::Chief) == 0);
}

std::string ClusterSpec::chiefAddress() const
{
    const bool hasChief = span(tasks, TaskType::Chief) != 0;
    return addressOf(tasks, hasChief ? TaskType::Chief : TaskType::Worker, 0);
}

std::string ClusterSpec::ownAddress() const
{
    return addressOf(tasks, type, index);
}

void sortByRank(std::vector<Task>& tasks)
{
    std::sort(tasks.begin(), tasks.end(), [](const Task& a, const Task& b) {
        return std::tie(a.type, a.index) < std::tie(b.type, b.index);
    });
}

Result<void> setTasks(ClusterSpec& spec, std::vector<Task> tasks)
{
    const auto evaluators =
        std::erase_if(tasks, [](const Task& task) { return task.type == TaskType::Evaluator; });
    spec.hasEvaluator = spec.type == TaskType::Evaluator || evaluators > 0;
    // Evaluators take part in no communication, so their address does not matter.
    CANNERY_TRY(checkAddressesDiffer(tasks));
    sortByRank(tasks);
    // An evaluator only watches the folder.
    if (spec.type == TaskType::Evaluator) {
        tasks.clear();
    }
    spec.tasks = std::move(tasks);
    return {};
}

Result<std::string> modelDirOf(const ClusterSpec& spec, std::string_view given)
{
    if (given.empty()) {
        return spec.modelDir;
    }
    // Two folders would be two trainings.
    if (!spec.modelDir.empty() && spec.modelDir != given) {
        return fail(ErrorCode::InvalidArgument, kOtherModelDir, given, spec.modelDir);
    }
    return std::string(given);
}

} // namespace cannery::cluster
