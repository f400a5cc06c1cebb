// SPDX-License-Identifier: Apache-2.0
#include "core/cluster/manifests.h"

#include "core/base/folder_name.h"
#include "core/base/utf8.h"
#include "core/cluster/kubernetes_manifests.h"
#include "core/cluster/roles.h"
#include "core/cluster/slurm_script.h"

#include <algorithm>
#include <array>
#include <utility>

namespace cannery::cluster {
namespace {

constexpr ErrorKind kBadJobName{"cluster.bad_job_name",
                                "\"{}\" cannot be the name of a job: Kubernetes accepts lower-case "
                                "letters, digits and hyphens, "
                                "beginning with a letter and not ending with a hyphen, here at "
                                "most {} of them. \"{}\" would do."};
constexpr ErrorKind kBadImage{
    "cluster.bad_image",
    "\"{}\" is not the name of a container image. It looks like registry.example/cannery:1.0."};
constexpr ErrorKind kBadProject{"cluster.bad_project",
                                "\"{}\" cannot be the project of the job: it must be {}."};
constexpr ErrorKind kBadProjectPath{
    "cluster.bad_project_path",
    "The {} of a job is a path below the project folder, which every task sees; \"{}\" is not."};
constexpr ErrorKind kBadToken{"cluster.bad_token",
                              "The secret of a job may have letters and digits only."};
constexpr ErrorKind kBadJobSize{
    "cluster.bad_job_size",
    "A job has at least one worker, and between 1 and {} tasks in all, each with at least one CPU; "
    "not {} workers, {} parameter servers and {} CPUs."};

constexpr std::array kPlatforms{
    std::pair{std::string_view("kubernetes"), Platform::Kubernetes},
    std::pair{std::string_view("kubeflow"), Platform::Kubeflow},
    std::pair{std::string_view("slurm"), Platform::Slurm},
};

bool isLowerOrDigit(char character)
{
    return (character >= 'a' && character <= 'z') || (character >= '0' && character <= '9');
}

/// A DNS label that begins with a letter (RFC 1035), as services need.
bool isJobName(std::string_view name)
{
    return !name.empty() && name.size() <= kLongestJobName && name.front() >= 'a' &&
           name.front() <= 'z' && name.back() != '-' &&
           std::all_of(name.begin(), name.end(), [](char character) {
               return isLowerOrDigit(character) || character == '-';
           });
}

/// A DNS subdomain, as names of most objects of Kubernetes (RFC 1123).
bool isObjectName(std::string_view name)
{
    constexpr std::size_t kLongest = 253;
    return !name.empty() && name.size() <= kLongest && isLowerOrDigit(name.front()) &&
           isLowerOrDigit(name.back()) && std::all_of(name.begin(), name.end(), [](char character) {
               return isLowerOrDigit(character) || character == '-' || character == '.';
           });
}

bool isAlphanumeric(char character)
{
    return isLowerOrDigit(character) || (character >= 'A' && character <= 'Z');
}

bool isImage(std::string_view image)
{
    constexpr std::string_view kMarks = "-._/:@";
    return !image.empty() && isAlphanumeric(image.front()) && isAlphanumeric(image.back()) &&
           std::all_of(image.begin(), image.end(), [&](char character) {
               return isAlphanumeric(character) || kMarks.find(character) != std::string_view::npos;
           });
}

/// Neither absolute nor with a way out; every part is a name.
/// Each part is checked as a name, so ".." is none.
bool isPathBelow(std::string_view path)
{
    for (bool isMore = true; isMore;) {
        const std::string_view part = path.substr(0, path.find('/'));
        isMore = part.size() < path.size();
        path.remove_prefix(part.size() + (isMore ? 1 : 0));
        if (!isFolderName(part)) {
            return false;
        }
    }
    return true;
}

bool isAbsolutePath(std::string_view path)
{
    return path.starts_with('/') && isUtf8(path) &&
           std::none_of(path.begin(), path.end(), isControlCharacter);
}

Result<void> checkProject(const ManifestRequest& request)
{
    if (request.platform == Platform::Slurm) {
        // Slurm knows nothing of claims: nodes share a folder.
        if (!isAbsolutePath(request.project)) {
            return fail(ErrorCode::InvalidArgument, kBadProject, request.project,
                        "the absolute path of a folder that every node sees");
        }
    } else if (!request.project.empty() && !isObjectName(request.project)) {
        return fail(ErrorCode::InvalidArgument, kBadProject, request.project,
                    "the name of a PersistentVolumeClaim: lower-case letters, digits, hyphens and "
                    "dots");
    }
    // Tasks see the project in another place than this machine does.
    if (!isPathBelow(request.experiment)) {
        return fail(ErrorCode::InvalidArgument, kBadProjectPath, "experiment", request.experiment);
    }
    if (!isPathBelow(request.modelDir)) {
        return fail(ErrorCode::InvalidArgument, kBadProjectPath, "model_dir", request.modelDir);
    }
    return {};
}

Result<void> check(const ManifestRequest& request)
{
    if (!isJobName(request.name)) {
        return fail(ErrorCode::InvalidArgument, kBadJobName, request.name, kLongestJobName,
                    jobNameOf(request.name));
    }
    if (request.platform != Platform::Slurm && !isImage(request.image)) {
        return fail(ErrorCode::InvalidArgument, kBadImage, request.image);
    }
    CANNERY_TRY(checkProject(request));
    // It becomes part of a script without quotation marks.
    if (!std::all_of(request.token.begin(), request.token.end(), isAlphanumeric)) {
        return fail(ErrorCode::InvalidArgument, kBadToken);
    }
    // Each number first, so that their sum cannot overflow.
    const bool isCountable = request.workers >= 1 && request.workers <= kMostTasks &&
                             request.parameterServers >= 0 &&
                             request.parameterServers <= kMostTasks;
    if (!isCountable || taskCountOf(request) > kMostTasks || request.cpus < 1 ||
        request.memoryMib < 0) {
        return fail(ErrorCode::InvalidArgument, kBadJobSize, kMostTasks, request.workers,
                    request.parameterServers, request.cpus);
    }
    return {};
}

} // namespace

std::optional<Platform> platformOf(std::string_view name)
{
    for (const auto& [known, platform] : kPlatforms) {
        if (name == known) {
            return platform;
        }
    }
    return std::nullopt;
}

std::string jobNameOf(std::string_view text)
{
    std::string name;
    for (char character : text) {
        if (character >= 'A' && character <= 'Z') {
            character = static_cast<char>(character - 'A' + 'a');
        }
        const bool isUsable = isLowerOrDigit(character);
        // Anything else becomes a hyphen, but never two of them.
        if (isUsable || (!name.empty() && name.back() != '-')) {
            name.push_back(isUsable ? character : '-');
        }
    }
    // A name begins with a letter.
    if (!name.empty() && name.front() >= '0' && name.front() <= '9') {
        name.insert(0, "job-");
    }
    name.resize(std::min(name.size(), kLongestJobName));
    // Cutting may have left a hyphen at the end.
    while (name.ends_with('-')) {
        name.pop_back();
    }
    return name.empty() ? "job" : name;
}

/// The chief is one of the workers.
std::string rolesOf(const ManifestRequest& request)
{
    std::string roles = "chief:1";
    const auto add = [&](TaskType type, int count) {
        roles += count > 0 ? fmt::format(",{}:{}", name(type), count) : "";
    };
    add(TaskType::Worker, request.workers - 1);
    add(TaskType::ParameterServer, request.parameterServers);
    add(TaskType::Evaluator, request.hasEvaluator ? 1 : 0);
    return roles;
}

int taskCountOf(const ManifestRequest& request)
{
    return request.workers + request.parameterServers + (request.hasEvaluator ? 1 : 0);
}

Result<std::string> renderManifests(const ManifestRequest& request)
{
    CANNERY_TRY(check(request));
    switch (request.platform) {
    case Platform::Kubernetes:
        return indexedJobManifests(request);
    case Platform::Kubeflow:
        return tfJobManifests(request);
    case Platform::Slurm:
        break;
    }
    return slurmScript(request);
}

} // namespace cannery::cluster
