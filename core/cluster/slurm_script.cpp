// SPDX-License-Identifier: Apache-2.0
#include "core/cluster/slurm_script.h"

#include "core/cluster/launcher.h"

namespace cannery::cluster {
namespace {

constexpr int kMostRequeues = 12;

/// For all that Slurm does to a job: 60 seconds suffice for the last checkpoint.
constexpr std::string_view kHead = R"(#!/bin/bash
# Made by `cannery launch --dry-run slurm`; start with `sbatch`.
#SBATCH --job-name={name}
#SBATCH --output={name}-%j.log
#SBATCH --open-mode=append
#SBATCH --ntasks={tasks}
#SBATCH --cpus-per-task={cpus}
{memory}{gpus}#SBATCH --requeue
#SBATCH --signal=TERM@60
)";

/// A lost task does not end the others: they go on without it.
constexpr std::string_view kBody = R"sh(
cd {project} || exit 2
export {rolesVariable}={roles}
{tokenVariable}="$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')" || exit 1
export {tokenVariable}
status=0
srun --ntasks={tasks} --cpus-per-task={cpus} --distribution=block --kill-on-bad-exit=0 --wait=0 \
  cannery train {experiment} --model-dir {modelDir} --threads {cpus} || status=$?

# 128 or more is a signal or a lost peer: the job continues from its last checkpoint.
if [ "$status" -ge 128 ] && [ "${{SLURM_RESTART_COUNT:-0}}" -lt {requeues} ]; then
  scontrol requeue "$SLURM_JOB_ID"
fi
exit "$status"
)sh";

std::string memoryLine(const ManifestRequest& request)
{
    // Without a line Slurm's default holds.
    if (request.memoryMib == 0) {
        return {};
    }
    // Slurm counts per CPU; rounded up.
    const int perCpu = (request.memoryMib + request.cpus - 1) / request.cpus;
    return fmt::format("#SBATCH --mem-per-cpu={}M\n", perCpu);
}

} // namespace

std::string shellWord(std::string_view text)
{
    std::string word = "'";
    for (const char character : text) {
        // In quotation marks only the mark itself is special.
        word += character == '\'' ? std::string("'\\''") : std::string(1, character);
    }
    return word + "'";
}

std::string slurmScript(const ManifestRequest& request)
{
    using fmt::arg;
    const int tasks = taskCountOf(request);
    return fmt::format(kHead, arg("name", request.name), arg("tasks", tasks),
                       arg("cpus", request.cpus), arg("memory", memoryLine(request)),
                       arg("gpus", request.hasGpus ? "#SBATCH --gpus-per-task=1\n" : "")) +
           fmt::format(
               kBody, arg("project", shellWord(request.project)),
               arg("rolesVariable", kRolesVariable), arg("tokenVariable", kTokenVariable),
               arg("roles", shellWord(rolesOf(request))), arg("tasks", tasks),
               // With "./" a name that begins with a hyphen is not taken for an option.
               arg("cpus", request.cpus), arg("experiment", shellWord("./" + request.experiment)),
               arg("modelDir", shellWord("./" + request.modelDir)), arg("requeues", kMostRequeues));
}

} // namespace cannery::cluster
