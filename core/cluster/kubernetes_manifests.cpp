// SPDX-License-Identifier: Apache-2.0
#include "core/cluster/kubernetes_manifests.h"

#include "core/cluster/launcher.h"
#include "core/cluster/yaml_text.h"

#include <nlohmann/json.hpp>

namespace cannery::cluster {
namespace {

using Yaml = nlohmann::ordered_json;

constexpr const char* kFolder = "/project";
constexpr const char* kInstance = "app.kubernetes.io/instance";
/// The user and group of the image (packaging/container/Containerfile).
constexpr int kUser = 10001;
/// The chief writes its last checkpoint after SIGTERM.
constexpr int kSecondsToStop = 60;
constexpr int kMostRetries = 12;

std::string claimOf(const ManifestRequest& request)
{
    return request.project.empty() ? request.name + "-project" : request.project;
}

Yaml labelsOf(const ManifestRequest& request)
{
    return {{"app.kubernetes.io/name", "cannery"}, {kInstance, request.name}};
}

Yaml metadataOf(const ManifestRequest& request)
{
    return {{"name", request.name}, {"labels", labelsOf(request)}};
}

Yaml selectorOf(const ManifestRequest& request)
{
    return {{"matchLabels", {{kInstance, request.name}}}};
}

Yaml document(const char* version, const char* kind, const Yaml& metadata, const Yaml& spec)
{
    return {{"apiVersion", version}, {"kind", kind}, {"metadata", metadata}, {"spec", spec}};
}

Yaml claim(const ManifestRequest& request)
{
    Yaml metadata = metadataOf(request);
    metadata["name"] = claimOf(request);
    // Tasks on several nodes write into the folder.
    const Yaml spec{{"accessModes", Yaml::array({"ReadWriteMany"})},
                    {"resources", {{"requests", {{"storage", "10Gi"}}}}}};
    return document("v1", "PersistentVolumeClaim", metadata, spec);
}

std::string secretNameOf(const ManifestRequest& request)
{
    return request.name + "-token";
}

Yaml secret(const ManifestRequest& request)
{
    Yaml metadata = metadataOf(request);
    metadata["name"] = secretNameOf(request);
    return {{"apiVersion", "v1"},
            {"kind", "Secret"},
            {"metadata", metadata},
            {"stringData", {{"token", request.token}}}};
}

/// Tasks find each other before they are ready.
Yaml headlessService(const ManifestRequest& request)
{
    const Yaml port{{"name", "cluster"}, {"port", kDefaultPort}};
    // Names of pods are resolved before the pods are ready.
    const Yaml spec{{"clusterIP", "None"},
                    {"publishNotReadyAddresses", true},
                    {"selector", {{kInstance, request.name}}},
                    {"ports", Yaml::array({port})}};
    return document("v1", "Service", metadataOf(request), spec);
}

/// Only tasks of the job reach each other: gradients travel without encryption.
Yaml networkPolicy(const ManifestRequest& request)
{
    const Yaml peers{{"from", Yaml::array({Yaml{{"podSelector", selectorOf(request)}}})}};
    // Nothing else may connect.
    const Yaml spec{{"podSelector", selectorOf(request)},
                    {"policyTypes", Yaml::array({"Ingress"})},
                    {"ingress", Yaml::array({peers})}};
    return document("networking.k8s.io/v1", "NetworkPolicy", metadataOf(request), spec);
}

/// At most one pod at a time is evicted. (For pods of a Job only minAvailable, a number, has an
/// effect.)
Yaml disruptionBudget(const ManifestRequest& request)
{
    const Yaml spec{{"minAvailable", taskCountOf(request) - 1}, {"selector", selectorOf(request)}};
    return document("policy/v1", "PodDisruptionBudget", metadataOf(request), spec);
}

Yaml containerOf(const ManifestRequest& request, const char* containerName, const char* portName)
{
    Yaml requests{{"cpu", std::to_string(request.cpus)}};
    Yaml resources{{"requests", requests}};
    // Requested and limited alike: training does not grow, and an eviction would cost a restart.
    if (request.memoryMib > 0) {
        const std::string memory = fmt::format("{}Mi", request.memoryMib);
        resources["requests"]["memory"] = memory;
        resources["limits"]["memory"] = memory;
    }
    if (request.hasGpus) {
        // One for each task.
        resources["limits"]["nvidia.com/gpu"] = 1;
    }
    // The root of the file system cannot be written.
    Yaml variables = Yaml::array({Yaml{{"name", "HOME"}, {"value", "/tmp"}}});
    if (!request.token.empty()) {
        const Yaml key{{"name", secretNameOf(request)}, {"key", "token"}};
        variables.push_back({{"name", kTokenVariable}, {"valueFrom", {{"secretKeyRef", key}}}});
    }
    const std::string folder = kFolder;
    return {{"name", containerName},
            {"image", request.image},
            {"args", Yaml::array({"train", folder + "/" + request.experiment, "--model-dir",
                                  folder + "/" + request.modelDir, "--threads",
                                  // As many threads as CPUs were requested.
                                  std::to_string(request.cpus)})},
            {"env", variables},
            {"ports", Yaml::array({Yaml{{"name", portName}, {"containerPort", kDefaultPort}}})},
            {"resources", resources},
            // Training needs no rights beyond its folder.
            {"securityContext",
             {{"allowPrivilegeEscalation", false},
              {"readOnlyRootFilesystem", true},
              {"capabilities", {{"drop", Yaml::array({"ALL"})}}}}},
            {"volumeMounts", Yaml::array({Yaml{{"name", "project"}, {"mountPath", folder}},
                                          Yaml{{"name", "tmp"}, {"mountPath", "/tmp"}}})}};
}

Yaml podOf(const ManifestRequest& request, const Yaml& container)
{
    const Yaml project{{"name", "project"},
                       {"persistentVolumeClaim", {{"claimName", claimOf(request)}}}};
    const Yaml tmp{{"name", "tmp"}, {"emptyDir", Yaml::object()}};
    // Training never talks to Kubernetes.
    return {{"automountServiceAccountToken", false},
            {"terminationGracePeriodSeconds", kSecondsToStop},
            {"securityContext",
             {{"runAsNonRoot", true},
              {"runAsUser", kUser},
              {"runAsGroup", kUser},
              {"fsGroup", kUser},
              {"seccompProfile", {{"type", "RuntimeDefault"}}}}},
            {"containers", Yaml::array({container})},
            {"volumes", Yaml::array({project, tmp})}};
}

Yaml templateOf(const ManifestRequest& request, const Yaml& pod)
{
    return {{"metadata", {{"labels", labelsOf(request)}}}, {"spec", pod}};
}

/// Evictions cost no retry; exit codes that no retry can change end the job; two pods never hold
/// one index.
Yaml indexedJob(const ManifestRequest& request)
{
    constexpr const char* kContainer = "cannery";
    const int tasks = taskCountOf(request);
    Yaml container = containerOf(request, kContainer, "cluster");
    const auto set = [&](std::string_view variable, const std::string& value) {
        container["env"].push_back({{"name", variable}, {"value", value}});
    };
    // What the tasks need to find their role.
    set(kRolesVariable, rolesOf(request));
    set(kHostsVariable, fmt::format("{}-{{index}}.{}", request.name, request.name));
    set(kPortVariable, std::to_string(kDefaultPort));
    Yaml pod{{"restartPolicy", "Never"}, {"subdomain", request.name}};
    pod.update(podOf(request, container));
    // An eviction is not the task's fault.
    const Yaml evicted{
        {"action", "Ignore"},
        {"onPodConditions", Yaml::array({Yaml{{"type", "DisruptionTarget"}, {"status", "True"}}})}};
    const Yaml permanent{{"action", "FailJob"},
                         // Codes of errors that are the same after a restart.
                         {"onExitCodes",
                          {{"containerName", kContainer},
                           {"operator", "In"},
                           {"values", Yaml::array({1, 2, 3, 4, 5})}}}};
    const Yaml spec{{"completionMode", "Indexed"},
                    {"completions", tasks},
                    {"parallelism", tasks},
                    {"backoffLimit", kMostRetries},
                    // A replacement starts only when the old pod has ended.
                    {"podReplacementPolicy", "Failed"},
                    {"podFailurePolicy", {{"rules", Yaml::array({evicted, permanent})}}},
                    {"template", templateOf(request, pod)}};
    return document("batch/v1", "Job", metadataOf(request), spec);
}

/// The operator gives TF_CONFIG to a container of this name, and looks for a port of that one.
Yaml tfJob(const ManifestRequest& request)
{
    const Yaml pod = podOf(request, containerOf(request, "tensorflow", "tfjob-port"));
    Yaml replicas;
    const auto add = [&](const char* type, int count) {
        if (count > 0) {
            replicas[type] = {{"replicas", count},
                              {"restartPolicy", "ExitCode"},
                              {"template", templateOf(request, pod)}};
        }
    };
    add("Chief", 1);
    // The chief is a worker, too.
    add("Worker", request.workers - 1);
    add("PS", request.parameterServers);
    add("Evaluator", request.hasEvaluator ? 1 : 0);
    const Yaml spec{{"runPolicy", {{"backoffLimit", kMostRetries}, {"cleanPodPolicy", "Running"}}},
                    {"tfReplicaSpecs", replicas}};
    return document("kubeflow.org/v1", "TFJob", metadataOf(request), spec);
}

std::string manifestsText(const ManifestRequest& request, const std::vector<Yaml>& jobs)
{
    std::string text = "# Made by `cannery launch --dry-run`; start with `kubectl apply -f`.\n";
    std::vector<Yaml> documents;
    // A claim that exists already is not made again.
    if (request.project.empty()) {
        documents.push_back(claim(request));
    }
    if (!request.token.empty()) {
        documents.push_back(secret(request));
    }
    documents.push_back(networkPolicy(request));
    // A single task has no others to wait for.
    if (taskCountOf(request) > 1) {
        documents.push_back(disruptionBudget(request));
    }
    documents.insert(documents.end(), jobs.begin(), jobs.end());
    for (const Yaml& one : documents) {
        text += "---\n" + yamlText(one);
    }
    return text;
}

} // namespace

std::string indexedJobManifests(const ManifestRequest& request)
{
    return manifestsText(request, {headlessService(request), indexedJob(request)});
}

std::string tfJobManifests(const ManifestRequest& request)
{
    return manifestsText(request, {tfJob(request)});
}

} // namespace cannery::cluster
