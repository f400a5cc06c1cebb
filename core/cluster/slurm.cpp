// SPDX-License-Identifier: Apache-2.0
#include "core/cluster/slurm.h"

#include "core/cluster/host_port.h"
#include "core/cluster/node_list.h"
#include "core/cluster/roles.h"

#include <charconv>
#include <numeric>
#include <utility>

namespace cannery::cluster {
namespace {

constexpr ErrorKind kSlurmVariable{
    "cluster.slurm_variable",
    "The variable {} is \"{}\"; Slurm sets it to {} in every step. Start the tasks with srun, and "
    "do not change its variables."};
constexpr ErrorKind kSlurmRoles{
    "cluster.slurm_roles",
    "The roles \"{}\" are those of {} tasks, but Slurm started {}. Make --ntasks equal to the "
    "number of tasks."};
constexpr ErrorKind kSlurmTasks{"cluster.slurm_tasks",
                                "Slurm started {} tasks, but {} on the nodes of this step ({})."};
constexpr ErrorKind kSlurmDistribution{
    "cluster.slurm_distribution",
    "The tasks of this step are placed on nodes by \"{}\", from which their hosts cannot be "
    "computed. Use srun --distribution=block or cyclic."};
constexpr ErrorKind kSlurmOtherNode{"cluster.slurm_other_node",
                                    "Slurm's variables place task {} on node {}, but it runs on "
                                    "{}. Use srun --distribution=block."};

constexpr int kFirstPort = 10000;
constexpr int kPortsPerJob = 32;
constexpr std::uint64_t kSlots = 700;

/// A place for a task.
struct Seat
{
    std::size_t node = 0;
    int onNode = 0; ///< which task of the node
};

Result<std::uint64_t> numberOfVariable(const Environment& environment, std::string_view variable,
                                       std::string_view meaning)
{
    const std::string_view text = valueOf(environment, variable);
    std::uint64_t number = 0;
    const auto [stop, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (text.empty() || failure != std::errc() || stop != text.data() + text.size()) {
        return fail(ErrorCode::FailedPrecondition, kSlurmVariable, variable, text, meaning);
    }
    return number;
}

/// The number of a variable that Slurm sets only when it is not 0.
Result<std::uint64_t> optionalNumber(const Environment& environment, std::string_view variable,
                                     std::string_view meaning)
{
    // Not set means 0.
    if (valueOf(environment, variable).empty()) {
        return 0;
    }
    return numberOfVariable(environment, variable, meaning);
}

Result<std::vector<int>> tasksPerNode(const Environment& environment, std::size_t nodes,
                                      std::size_t tasks)
{
    constexpr std::string_view kVariable = "SLURM_STEP_TASKS_PER_NODE";
    const std::string_view text = valueOf(environment, kVariable);
    if (!text.empty()) {
        return parseTasksPerNode(text, nodes);
    }
    // Only with one task per node, or one node, does the number follow from the others.
    if (nodes == 1 || nodes == tasks) {
        return std::vector<int>(nodes, static_cast<int>(tasks / nodes));
    }
    return fail(ErrorCode::FailedPrecondition, kSlurmVariable, kVariable, text,
                "the number of tasks on each node");
}

/// By rank.
std::vector<Seat> seatsOf(const std::vector<int>& counts, bool isCyclic)
{
    std::vector<Seat> seats;
    // Node by node.
    if (!isCyclic) {
        for (std::size_t node = 0; node < counts.size(); ++node) {
            for (int onNode = 0; onNode < counts[node]; ++onNode) {
                seats.push_back({node, onNode});
            }
        }
        return seats;
    }
    // One task for each node in turn, until all nodes are full.
    for (int round = 0, added = 1; added > 0; ++round) {
        added = 0;
        for (std::size_t node = 0; node < counts.size(); ++node) {
            if (round < counts[node]) {
                seats.push_back({node, round});
                ++added;
            }
        }
    }
    return seats;
}

/// Of nodes only: what follows a colon is about sockets and cores.
Result<bool> isCyclic(const Environment& environment)
{
    const std::string_view text = valueOf(environment, "SLURM_DISTRIBUTION");
    const std::string_view nodes = text.substr(0, text.find_first_of(":,"));
    if (nodes != "cyclic" && nodes != "block" && !nodes.empty()) {
        return fail(ErrorCode::FailedPrecondition, kSlurmDistribution, text);
    }
    return nodes == "cyclic";
}

Result<int> firstPort(const Environment& environment, const AdapterOptions& options)
{
    // A port that was chosen is used as it is.
    if (options.port) {
        return *options.port;
    }
    CANNERY_TRY_ASSIGN(const std::uint64_t job,
                       numberOfVariable(environment, "SLURM_JOB_ID", "the number of the job"));
    CANNERY_TRY_ASSIGN(const std::uint64_t step,
                       optionalNumber(environment, "SLURM_STEP_ID", "the number of the step"));
    CANNERY_TRY_ASSIGN(
        const std::uint64_t restarts,
        optionalNumber(environment, "SLURM_RESTART_COUNT", "the number of restarts"));
    // Primes: neighbours in each of the three numbers are far from each other.
    constexpr std::uint64_t kStepStride = 101;
    constexpr std::uint64_t kRestartStride = 307;
    // Different jobs on one node get different ports, and so does a restart, whose old ports may
    // still be in use.
    const std::uint64_t slot =
        (job % kSlots + (step % kSlots) * kStepStride + (restarts % kSlots) * kRestartStride) %
        kSlots;
    return kFirstPort + static_cast<int>(slot) * kPortsPerJob;
}

Result<std::vector<Task>> rolesOf(const AdapterOptions& options, std::size_t tasks)
{
    // Usually one chief, and workers.
    const std::string roles =
        options.roles.empty() ? fmt::format("chief:1,worker:{}", tasks - 1) : options.roles;
    CANNERY_TRY_ASSIGN(std::vector<Task> result, parseRoles(roles));
    if (result.size() != tasks) {
        return fail(ErrorCode::InvalidArgument, kSlurmRoles, roles, result.size(), tasks);
    }
    return result;
}

/// Gives every task its address; the names of the nodes by rank are returned.
Result<std::vector<std::string>> placeTasks(const Environment& environment,
                                            const AdapterOptions& options, std::vector<Task>& tasks)
{
    constexpr std::string_view kNodeList = "SLURM_STEP_NODELIST";
    const std::string_view list = valueOf(environment, kNodeList);
    CANNERY_TRY_ASSIGN(const std::vector<std::string> nodes, parseNodeList(list));
    CANNERY_TRY_ASSIGN(const std::vector<int> counts,
                       tasksPerNode(environment, nodes.size(), tasks.size()));
    // Only the order of nodes matters for which host a task is on.
    CANNERY_TRY_ASSIGN(const bool inTurn, isCyclic(environment));
    CANNERY_TRY_ASSIGN(const int port, firstPort(environment, options));
    const std::vector<Seat> seats = seatsOf(counts, inTurn);
    if (seats.size() != tasks.size()) {
        return fail(ErrorCode::FailedPrecondition, kSlurmTasks, tasks.size(), seats.size(), list);
    }
    std::vector<std::string> hosts;
    for (std::size_t rank = 0; rank < tasks.size(); ++rank) {
        Task& task = tasks[rank];
        hosts.push_back(nodes[seats[rank].node]);
        // Tasks of one node have ports one after the other.
        task.address = addressText({hosts.back(), port + seats[rank].onNode});
        CANNERY_TRY(parseHostPort(task.address, describe(task.type, task.index)));
    }
    return hosts;
}

} // namespace

bool isSlurmStep(const Environment& environment)
{
    const std::string_view tasks = valueOf(environment, "SLURM_NTASKS");
    // A script outside of a step has some of these variables as well.
    return !valueOf(environment, "SLURM_PROCID").empty() &&
           !valueOf(environment, "SLURM_STEP_NODELIST").empty() && !tasks.empty() && tasks != "1";
}

Result<ClusterSpec> clusterOfSlurm(const Environment& environment, const AdapterOptions& options)
{
    constexpr std::string_view kTasks = "SLURM_NTASKS";
    constexpr std::string_view kRank = "SLURM_PROCID";
    CANNERY_TRY_ASSIGN(const std::uint64_t count,
                       numberOfVariable(environment, kTasks, "the number of tasks"));
    CANNERY_TRY_ASSIGN(const std::uint64_t own,
                       numberOfVariable(environment, kRank, "the number of this task"));
    if (count == 0 || count > kMostTasks) {
        return fail(ErrorCode::OutOfRange, kSlurmVariable, kTasks, count, "the number of tasks");
    }
    // A variable that was changed by hand would give two tasks one rank.
    if (own >= count) {
        return fail(ErrorCode::OutOfRange, kSlurmVariable, kRank, own, "the number of this task");
    }
    CANNERY_TRY_ASSIGN(std::vector<Task> tasks, rolesOf(options, count));
    CANNERY_TRY_ASSIGN(const std::vector<std::string> hosts,
                       placeTasks(environment, options, tasks));
    const std::string_view node = valueOf(environment, "SLURMD_NODENAME");
    // The node's own word finds out a distribution that was not foreseen.
    if (!node.empty() && node != hosts[own]) {
        return fail(ErrorCode::FailedPrecondition, kSlurmOtherNode, own, hosts[own], node);
    }
    ClusterSpec spec;
    spec.type = tasks[own].type;
    spec.index = tasks[own].index;
    CANNERY_TRY(setTasks(spec, std::move(tasks)));
    return spec;
}

} // namespace cannery::cluster
