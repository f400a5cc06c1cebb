// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/commands/doctor_command.h"

#include "app/cannery/reports/gpu_report.h"
#include "app/cannery/reports/kernel_report.h"
#include "app/version.h"
#include "core/base/counted.h"
#include "core/base/json_text.h"
#include "kernels/device/cpu_level.h"
#include "kernels/device/thread_pool.h"

#include <fmt/core.h>
#include <google/protobuf/stubs/common.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>

namespace cannery::app {

namespace {

struct Finding
{
    std::string key;
    std::string text;
};

std::string processorName()
{
    std::ifstream stream("/proc/cpuinfo");
    std::string line;
    while (std::getline(stream, line)) {
        if (line.starts_with("model name")) {
            const std::size_t colon = line.find(':');
            return colon == std::string::npos ? line : line.substr(colon + 2);
        }
    }
    return "unknown";
}

std::string cores()
{
    return fmt::format("{}; training uses {}", std::thread::hardware_concurrency(),
                       counted(kernels::threadCount(0), "thread"));
}

std::string memory()
{
    std::ifstream stream("/proc/meminfo");
    std::string label;
    std::int64_t kilobytes = 0;
    std::string unit;
    std::int64_t total = 0;
    std::int64_t available = 0;
    // Ends at the first line without a unit. Both of these come before it.
    while (stream >> label >> kilobytes >> unit) {
        total = label == "MemTotal:" ? kilobytes : total;
        available = label == "MemAvailable:" ? kilobytes : available;
    }
    return fmt::format("{:.1f} GiB, {:.1f} GiB available", static_cast<double>(total) / 1048576.0,
                       static_cast<double>(available) / 1048576.0);
}

std::string disk()
{
    std::error_code code;
    const auto space = std::filesystem::space(std::filesystem::current_path(code), code);
    if (code) {
        return "unknown: " + code.message();
    }
    return fmt::format("{:.1f} GiB free in the current folder",
                       static_cast<double>(space.available) / (1024.0 * 1024.0 * 1024.0));
}

using Gpus = Result<std::vector<GpuFinding>>;

/// A line for each GPU, or why there is none.
std::vector<Finding> gpuLines(const Gpus& gpus)
{
    if (!gpus) {
        return {{"gpu", gpus.error().message()}};
    }
    std::vector<Finding> lines;
    for (const GpuFinding& gpu : *gpus) {
        lines.push_back({gpu.device, inWords(gpu)});
    }
    if (const std::optional<Error> problem = groupProblem(*gpus)) {
        lines.push_back({"gpus", problem->message()});
    }
    return lines;
}

std::vector<Finding> findings()
{
    return {
        {"version", versionWithCommit()},
        {"processor", processorName()},
        {"level", cpuLevelInWords()},
        {"cores", cores()},
        {"memory", memory()},
        {"disk", disk()},
        // Of the headers that this program was compiled with.
        {"protobuf", google::protobuf::internal::VersionString(GOOGLE_PROTOBUF_VERSION)},
    };
}

nlohmann::ordered_json gpusAsJson(const std::vector<GpuFinding>& gpus)
{
    auto list = nlohmann::ordered_json::array();
    for (const GpuFinding& gpu : gpus) {
        auto kernels = nlohmann::ordered_json::array();
        for (const kernels::AcceleratorKernel& kernel : gpu.kernels) {
            kernels.push_back({{"operation", std::string(kernel.operation)},
                               {"kernel", std::string(kernel.implementation)}});
        }
        list.push_back({{"device", gpu.device},
                        {"name", gpu.facts.name},
                        {"driver", gpu.facts.driver},
                        {"architecture", gpu.facts.architecture},
                        {"memory_bytes", gpu.facts.memoryBytes},
                        {"free_bytes", gpu.facts.freeBytes},
                        {"problem", gpu.problem ? nlohmann::ordered_json(gpu.problem->message())
                                                : nlohmann::ordered_json(nullptr)},
                        {"kernels", kernels}});
    }
    return list;
}

nlohmann::ordered_json kernelsAsJson(const std::vector<KernelChoice>& choices)
{
    auto list = nlohmann::ordered_json::array();
    for (const KernelChoice& choice : choices) {
        auto passedOver = nlohmann::ordered_json::array();
        for (const auto& [kernel, reason] : choice.passedOver) {
            passedOver.push_back({{"kernel", kernel}, {"reason", reason}});
        }
        list.push_back({{"operation", choice.operation},
                        {"problem", choice.problem},
                        {"kernel", choice.kernel},
                        {"passed_over", passedOver}});
    }
    return list;
}

void printJson(Console& console)
{
    nlohmann::ordered_json json;
    for (const Finding& finding : findings()) {
        json[finding.key] = finding.text;
    }
    // Both, as CANNERY_CPU_LEVEL can limit what is used to less than the processor has.
    json["level_in_use"] = kernels::name(kernels::cpuLevel());
    json["level_of_processor"] = kernels::name(kernels::machineCpuLevel());
    json["threads"] = kernels::threadCount(0);
    json["kernels"] = kernelsAsJson(kernelChoices());
    const Gpus gpus = findGpus();
    json["gpus"] = gpusAsJson(gpus.value_or(std::vector<GpuFinding>()));
    json["no_gpu"] =
        gpus ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(gpus.error().message());
    // Without a GPU there is no group that could have a problem.
    const std::optional<Error> problem = groupProblem(gpus.value_or(std::vector<GpuFinding>()));
    json["no_group"] = problem ? nlohmann::ordered_json(problem->message()) : nullptr;
    console.document(jsonText(json, 2));
}

void printKernels(const Console& console, const GpuFinding& gpu)
{
    if (gpu.kernels.empty()) {
        return;
    }
    console.result("");
    console.result(fmt::format("Kernels used on {}:", gpu.device));
    for (const kernels::AcceleratorKernel& kernel : gpu.kernels) {
        console.result(fmt::format("  {:<18} {}", kernel.operation, kernel.implementation));
    }
}

void printText(Console& console)
{
    for (const Finding& finding : findings()) {
        console.result(fmt::format("{:<10} {}", finding.key, finding.text));
    }
    const Gpus gpus = findGpus();
    for (const Finding& line : gpuLines(gpus)) {
        console.result(fmt::format("{:<10} {}", line.key, line.text));
    }
    console.result("");
    console.result("Kernels used on this machine (the first suitable one of each list):");
    for (const KernelChoice& choice : kernelChoices()) {
        console.result(
            fmt::format("  {:<18} {:<14} {}", choice.operation, choice.kernel, choice.problem));
        for (const auto& [kernel, reason] : choice.passedOver) {
            console.result(fmt::format("  {:<18} not {}: {}", "", kernel, reason));
        }
    }
    for (const GpuFinding& gpu : gpus.value_or(std::vector<GpuFinding>())) {
        printKernels(console, gpu);
    }
}

} // namespace

void DoctorCommand::declare(OptionSet& options)
{
    options.flag("--json", m_json, "print one JSON object");
}

ExitCode DoctorCommand::run(Console& console)
{
    if (m_json) {
        printJson(console);
    } else {
        printText(console);
    }
    return ExitCode::Done;
}

} // namespace cannery::app
