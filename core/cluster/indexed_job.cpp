// SPDX-License-Identifier: Apache-2.0
#include "core/cluster/indexed_job.h"

#include "core/cluster/host_port.h"
#include "core/cluster/roles.h"

#include <charconv>
#include <utility>

namespace cannery::cluster {
namespace {

constexpr ErrorKind kBadCompletionIndex{"cluster.bad_completion_index",
                                        "JOB_COMPLETION_INDEX is \"{}\", but the roles \"{}\" have "
                                        "indices from 0 to {}. Make the job's "
                                        "completions equal to the number of tasks."};
constexpr ErrorKind kBadHostPattern{
    "cluster.bad_host_pattern",
    "The hosts of this job are given as \"{}\". Write the name of a pod with {{index}} in place of "
    "its number, such as mnist-{{index}}.mnist."};

constexpr std::string_view kIndexVariable = "JOB_COMPLETION_INDEX";
constexpr std::string_view kPlaceholder = "{index}";

} // namespace

bool isIndexedJob(const Environment& environment)
{
    return !valueOf(environment, kIndexVariable).empty();
}

Result<ClusterSpec> clusterOfIndexedJob(const Environment& environment,
                                        const AdapterOptions& options)
{
    CANNERY_TRY_ASSIGN(std::vector<Task> tasks, parseRoles(options.roles));
    const std::string_view text = valueOf(environment, kIndexVariable);
    // Kubernetes numbers the pods of a job; roles are dealt out in this order.
    std::size_t own = 0;
    const auto [stop, failure] = std::from_chars(text.data(), text.data() + text.size(), own);
    if (failure != std::errc() || stop != text.data() + text.size() || own >= tasks.size()) {
        return fail(ErrorCode::OutOfRange, kBadCompletionIndex, text, options.roles,
                    tasks.size() - 1);
    }
    const std::size_t placeholder = options.hosts.find(kPlaceholder);
    if (placeholder == std::string::npos) {
        return fail(ErrorCode::InvalidArgument, kBadHostPattern, options.hosts);
    }
    for (std::size_t rank = 0; rank < tasks.size(); ++rank) {
        std::string host = options.hosts;
        host.replace(placeholder, kPlaceholder.size(), std::to_string(rank));
        // A pod's name has its number, which is its rank here.
        Task& task = tasks[rank];
        task.address = addressText({host, options.port.value_or(kDefaultPort)});
        // Checked now, as an unusable name would look like a network failure later.
        CANNERY_TRY(parseHostPort(task.address, describe(task.type, task.index)));
    }
    ClusterSpec spec;
    spec.type = tasks[own].type;
    spec.index = tasks[own].index;
    CANNERY_TRY(setTasks(spec, std::move(tasks)));
    return spec;
}

} // namespace cannery::cluster
