// SPDX-License-Identifier: Apache-2.0
#include "core/cluster/launcher.h"

#include "core/cluster/host_port.h"
#include "core/cluster/indexed_job.h"
#include "core/cluster/slurm.h"
#include "core/cluster/tf_config.h"

#include <charconv>

namespace cannery::cluster {
namespace {

constexpr ErrorKind kRolesWithoutLauncher{
    "cluster.roles_without_launcher",
    "The roles \"{}\" are given, but neither JOB_COMPLETION_INDEX (an Indexed Job of Kubernetes) "
    "nor SLURM_PROCID (a step of Slurm) says which of them this process has."};
constexpr ErrorKind kBadPortOption{
    "cluster.bad_port_option", "CANNERY_PORT is \"{}\", which is not a number from 1 to 65535."};

/// The options, completed by variables.
Result<AdapterOptions> completed(AdapterOptions options, const Environment& environment)
{
    // Options of the command line win over variables.
    if (options.roles.empty()) {
        options.roles = valueOf(environment, kRolesVariable);
    }
    if (options.hosts.empty()) {
        options.hosts = valueOf(environment, kHostsVariable);
    }
    const std::string_view port = valueOf(environment, kPortVariable);
    if (!options.port && !port.empty()) {
        int number = 0;
        const char* end = port.data() + port.size();
        const auto [stop, failure] = std::from_chars(port.data(), end, number);
        if (failure != std::errc() || stop != end || number < 1 || number > kHighestPort) {
            return fail(ErrorCode::InvalidArgument, kBadPortOption, port);
        }
        options.port = number;
    }
    return options;
}

} // namespace

Result<std::optional<ClusterSpec>> clusterOfEnvironment(const Environment& environment,
                                                        const AdapterOptions& options)
{
    CANNERY_TRY_ASSIGN(std::optional<ClusterSpec> spec, readTfConfig(environment));
    if (spec) {
        // The variable counts in addition, as TF_CONFIG may not name an evaluator.
        spec->hasEvaluator = spec->hasEvaluator || valueOf(environment, kEvaluatorVariable) == "1";
        return spec;
    }
    CANNERY_TRY_ASSIGN(const AdapterOptions complete, completed(options, environment));
    // An indexed job without roles is not a cluster: its tasks run alone.
    if (isIndexedJob(environment) && !complete.roles.empty()) {
        return clusterOfIndexedJob(environment, complete);
    }
    if (isSlurmStep(environment)) {
        return clusterOfSlurm(environment, complete);
    }
    // The roles were meant for a launcher that has not started this process.
    if (!complete.roles.empty()) {
        return fail(ErrorCode::FailedPrecondition, kRolesWithoutLauncher, complete.roles);
    }
    return std::nullopt;
}

} // namespace cannery::cluster
