// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <optional>
#include <string>
#include <string_view>

namespace cannery::cluster {

/// What starts the tasks of a cluster.
enum class Platform
{
    Kubernetes, ///< an Indexed Job: needs nothing but Kubernetes 1.29
    Kubeflow,   ///< a TFJob (v1) for Kubeflow's training operator
    Slurm,      ///< a script for sbatch
};

/// The platform called "kubernetes", "kubeflow" or "slurm"; none if there is no such platform.
std::optional<Platform> platformOf(std::string_view name);

/// A job to be described to a platform. Every task sees the same project folder, read and written
/// by all of them: a volume under Kubernetes, a shared folder under Slurm.
struct ManifestRequest
{
    Platform platform = Platform::Kubernetes;
    std::string name;       ///< of the job: a DNS label, such as by jobNameOf()
    std::string experiment; ///< the experiment file, relative to the project folder
    std::string modelDir;   ///< relative to the project folder
    /// Kubernetes: the PersistentVolumeClaim that holds the project; if empty, one is described.
    /// Slurm: the project's absolute path.
    std::string project;
    std::string image; ///< Kubernetes: of packaging/container
    /// Kubernetes: the job's secret (kTokenVariable), of letters and digits; if empty, any process
    /// that reaches the chief can join. Slurm: made when the job starts.
    std::string token;
    int workers = 1; ///< including the chief
    int parameterServers = 0;
    bool hasEvaluator = false;
    int cpus = 1;         ///< of each task
    int memoryMib = 0;    ///< of each task; 0 leaves it to the platform
    bool hasGpus = false; ///< each task has a GPU
};

/// The longest name of a job: a pod's host name, at most 63 characters, also has a type and an
/// index.
inline constexpr std::size_t kLongestJobName = 45;

/// A name for a job, made of any text: lower case, with a hyphen for whatever a DNS label cannot
/// have. "job" if nothing is left.
std::string jobNameOf(std::string_view text);

/// The job's roles by rank, as parseRoles() reads them: "chief:1,worker:7,ps:2,evaluator:1".
std::string rolesOf(const ManifestRequest& request);

int taskCountOf(const ManifestRequest& request);

/// The job's description: YAML documents for `kubectl apply -f -`, or a script for `sbatch`. Names
/// and paths from the request cannot break out of their place in it. Tasks are retried if they exit
/// with 128 or more (a signal, a lost peer); 1 to 5 end the job (core/base/exit_code.h).
/// "cluster.bad_job_name", "cluster.bad_image", "cluster.bad_project", "cluster.bad_project_path"
/// or "cluster.bad_job_size".
Result<std::string> renderManifests(const ManifestRequest& request);

} // namespace cannery::cluster
