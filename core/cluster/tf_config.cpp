// SPDX-License-Identifier: Apache-2.0
#include "core/cluster/tf_config.h"

#include "core/cluster/host_port.h"
#include "core/cluster/tf_config_json.h"

#include <algorithm>
#include <utility>

namespace cannery::cluster {
namespace {

constexpr ErrorKind kUnknownJob{
    "cluster.unknown_job",
    "The cluster in TF_CONFIG lists tasks of type \"{}\". The types are chief, worker, ps and "
    "evaluator, and master in place of chief in older files."};
constexpr ErrorKind kChiefAndMaster{
    "cluster.chief_and_master",
    "The cluster in TF_CONFIG has both a chief and a master, which are two names of the same task. "
    "Keep one."};
constexpr ErrorKind kTwoChiefs{
    "cluster.two_chiefs",
    "The cluster in TF_CONFIG must have exactly one {}, with index 0, but lists {} (the last has "
    "index {}). List the others under worker."};
constexpr ErrorKind kNobodyTrains{
    "cluster.nobody_trains",
    "The cluster in TF_CONFIG has neither a chief nor a worker, so no task would train."};
constexpr ErrorKind kNoTaskType{
    "cluster.no_task_type",
    "TF_CONFIG has a cluster but does not say which task of it this process is: the type of the "
    "task is missing. Add \"task\": {{\"type\": \"worker\", \"index\": 0}}."};
constexpr ErrorKind kNoTaskIndex{
    "cluster.no_task_index",
    "TF_CONFIG has a cluster but no index in \"task\". Add \"index\", counted from 0 among the "
    "tasks of type {}."};
constexpr ErrorKind kUnknownTaskType{
    "cluster.unknown_task_type",
    "TF_CONFIG says that this process is a task of type \"{}\". The types are chief, worker, ps "
    "and evaluator."};
constexpr ErrorKind kTaskNotInCluster{
    "cluster.task_not_in_cluster",
    "TF_CONFIG says that this process is {} {}, but its cluster has no tasks of that type."};
constexpr ErrorKind kIndexOutOfRange{
    "cluster.index_out_of_range",
    "TF_CONFIG says that this process is {} {}, which its cluster does not list: the last one is "
    "{} {}."};
constexpr ErrorKind kTaskWithoutCluster{
    "cluster.task_without_cluster",
    "TF_CONFIG says that this process is {} {}, but has no cluster. Without one, the only task is "
    "worker 0."};
constexpr ErrorKind kEvaluatorWithMaster{
    "cluster.evaluator_with_master",
    "TF_CONFIG says that this process is an evaluator, which a cluster with a master cannot have. "
    "Call the master chief."};
constexpr ErrorKind kEmptyModelDir{
    "cluster.empty_model_dir",
    "The \"model_dir\" in TF_CONFIG is empty. Name a folder, or leave it out."};

constexpr std::string_view kMaster = "master";
constexpr std::string_view kGrpc = "grpc";

/// A chief list may be empty: such a cluster has none.
bool hasJob(const TfConfigText& text, std::string_view job)
{
    const auto found = text.jobs.find(std::string(job));
    return found != text.jobs.end() && !found->second.empty();
}

Result<void> checkChiefs(const TfConfigText& text)
{
    // Two names of one task.
    if (hasJob(text, "chief") && hasJob(text, kMaster)) {
        return fail(ErrorCode::InvalidArgument, kChiefAndMaster);
    }
    for (const std::string_view job : {name(TaskType::Chief), kMaster}) {
        if (!hasJob(text, job)) {
            continue;
        }
        // A chief list is like those of others, but has one entry.
        const JobAddresses& chiefs = text.jobs.at(std::string(job));
        if (chiefs.size() > 1 || chiefs.begin()->first != 0) {
            return fail(ErrorCode::InvalidArgument, kTwoChiefs, job, chiefs.size(),
                        chiefs.rbegin()->first);
        }
    }
    return {};
}

/// The tasks of the cluster, evaluators included.
Result<std::vector<Task>> tasksOf(const TfConfigText& text)
{
    std::vector<Task> tasks;
    for (const auto& [job, addresses] : text.jobs) {
        const std::optional<TaskType> type = taskTypeOf(job);
        if (!type) {
            return fail(ErrorCode::InvalidArgument, kUnknownJob, job);
        }
        // Addresses are checked now: a wrong one would look like a network failure later.
        for (const auto& [index, address] : addresses) {
            CANNERY_TRY(parseHostPort(address, describe(*type, index)));
            tasks.push_back({*type, index, address});
        }
    }
    return tasks;
}

/// Kubeflow lists a parameter server of a job with dynamic workers alone, whatever its index.
void placeLoneParameterServer(const ClusterSpec& spec, std::vector<Task>& tasks)
{
    if (spec.isSparse && spec.type == TaskType::ParameterServer && tasks.size() == 1 &&
        tasks.front().type == TaskType::ParameterServer) {
        tasks.front().index = spec.index;
    }
}

/// Which task this process is; the cluster is known to be there.
Result<void> readOwnTask(const TfConfigText& text, ClusterSpec& spec)
{
    if (text.taskType.empty()) {
        return fail(ErrorCode::InvalidArgument, kNoTaskType);
    }
    const std::optional<TaskType> type = taskTypeOf(text.taskType);
    if (!type) {
        return fail(ErrorCode::InvalidArgument, kUnknownTaskType, text.taskType);
    }
    // TensorFlow demands an index, too.
    if (!text.taskIndex) {
        return fail(ErrorCode::InvalidArgument, kNoTaskIndex, text.taskType);
    }
    spec.type = *type;
    spec.index = *text.taskIndex;
    if (spec.type == TaskType::Evaluator && spec.chiefIsMaster) {
        return fail(ErrorCode::InvalidArgument, kEvaluatorWithMaster);
    }
    // A worker that is not listed is reported with the last index.
    if (spec.type == TaskType::Chief && !hasJob(text, text.taskType)) {
        return fail(ErrorCode::InvalidArgument, kTaskNotInCluster, text.taskType, spec.index);
    }
    return {};
}

/// There is no upper bound for evaluators, as in TensorFlow: they are no members of the cluster.
Result<void> checkOwnTask(const ClusterSpec& spec, const std::vector<Task>& tasks)
{
    if (spec.type == TaskType::Evaluator) {
        return {};
    }
    int last = -1;
    for (const Task& task : tasks) {
        if (task.type == spec.type && task.index == spec.index) {
            return {};
        }
        // For the sentence, which names the last one.
        last = task.type == spec.type ? std::max(last, task.index) : last;
    }
    if (last < 0) {
        return fail(ErrorCode::InvalidArgument, kTaskNotInCluster, name(spec.type), spec.index);
    }
    return fail(ErrorCode::OutOfRange, kIndexOutOfRange, name(spec.type), spec.index,
                name(spec.type), last);
}

Result<void> readMembers(const TfConfigText& text, ClusterSpec& spec)
{
    CANNERY_TRY(checkChiefs(text));
    CANNERY_TRY_ASSIGN(std::vector<Task> tasks, tasksOf(text));
    spec.chiefIsMaster = hasJob(text, kMaster);
    spec.isSparse = text.isSparse;
    CANNERY_TRY(readOwnTask(text, spec));
    placeLoneParameterServer(spec, tasks);
    CANNERY_TRY(checkOwnTask(spec, tasks));
    const bool someoneTrains = std::any_of(tasks.begin(), tasks.end(), [](const Task& task) {
        return task.type == TaskType::Chief || task.type == TaskType::Worker;
    });
    // A dynamic worker sees itself alone.
    if (!someoneTrains && !spec.isSparse) {
        return fail(ErrorCode::InvalidArgument, kNobodyTrains);
    }
    return setTasks(spec, std::move(tasks));
}

/// Without a cluster.
Result<void> checkLocalTask(const TfConfigText& text)
{
    // Without a word, a single task is worker 0.
    const std::string type =
        text.taskType.empty() ? std::string(name(TaskType::Worker)) : text.taskType;
    const int index = text.taskIndex.value_or(0);
    if (type != name(TaskType::Worker) || index != 0) {
        return fail(ErrorCode::InvalidArgument, kTaskWithoutCluster, type, index);
    }
    return {};
}

std::vector<std::string> warningsOf(const TfConfigText& text)
{
    std::vector<std::string> warnings;
    for (const std::string& key : text.ignoredKeys) {
        warnings.push_back(fmt::format("\"{}\" in TF_CONFIG has no effect here.", key));
    }
    // TensorFlow's other layers have no equal here.
    if (!text.rpcLayer.empty() && text.rpcLayer != kGrpc) {
        warnings.push_back(fmt::format(
            "\"rpc_layer\" in TF_CONFIG is {}; tasks talk gRPC to each other all the same.",
            text.rpcLayer));
    }
    return warnings;
}

} // namespace

Result<std::optional<ClusterSpec>> readTfConfig(std::string_view json)
{
    // An empty variable is as good as none.
    if (json.find_first_not_of(" \t\r\n") == std::string_view::npos) {
        return std::nullopt;
    }
    CANNERY_TRY_ASSIGN(const TfConfigText text, parseTfConfigText(json));
    if (text.modelDir && text.modelDir->empty()) {
        return fail(ErrorCode::InvalidArgument, kEmptyModelDir);
    }
    ClusterSpec spec;
    spec.modelDir = text.modelDir.value_or("");
    spec.warnings = warningsOf(text);
    if (text.jobs.empty()) {
        CANNERY_TRY(checkLocalTask(text));
    } else {
        CANNERY_TRY(readMembers(text, spec));
    }
    return spec;
}

Result<std::optional<ClusterSpec>> readTfConfig(const Environment& environment)
{
    return readTfConfig(valueOf(environment, kTfConfigVariable));
}

std::string writeTfConfig(std::vector<Task> tasks, TaskType type, int index)
{
    // By rank, so that indices are places in the lists.
    sortByRank(tasks);
    std::map<std::string, std::vector<std::string>> jobs;
    for (Task& task : tasks) {
        jobs[std::string(name(task.type))].push_back(std::move(task.address));
    }
    return tfConfigJson(jobs, name(type), index);
}

} // namespace cannery::cluster
