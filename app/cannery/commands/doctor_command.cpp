// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/commands/doctor_command.h"

#include "app/cannery/reports/gpu_report.h"
#include "app/cannery/reports/kernel_report.h"
#include "app/version.h"
#include "core/base/counted.h"
#include "core/reports/machine.pb.h"
#include "core/reports/report_json.h"
#include "kernels/device/cpu_level.h"
#include "kernels/device/thread_pool.h"

#include <fmt/core.h>
#include <google/protobuf/stubs/common.h>

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

void addGpu(const GpuFinding& gpu, reports::Gpu& row)
{
    row.set_device(gpu.device);
    row.set_name(gpu.facts.name);
    row.set_driver(gpu.facts.driver);
    row.set_architecture(gpu.facts.architecture);
    row.set_memory_bytes(gpu.facts.memoryBytes);
    row.set_free_bytes(gpu.facts.freeBytes);
    if (gpu.problem) {
        row.set_problem(gpu.problem->message());
    }
    for (const kernels::AcceleratorKernel& kernel : gpu.kernels) {
        reports::GpuKernel& used = *row.add_kernels();
        used.set_operation(std::string(kernel.operation));
        used.set_kernel(std::string(kernel.implementation));
    }
}

void addKernel(const KernelChoice& choice, reports::KernelChoice& row)
{
    row.set_operation(choice.operation);
    row.set_problem(choice.problem);
    row.set_kernel(choice.kernel);
    for (const auto& [kernel, reason] : choice.passedOver) {
        reports::PassedOverKernel& passedOver = *row.add_passed_over();
        passedOver.set_kernel(kernel);
        passedOver.set_reason(reason);
    }
}

/// Without its kernels and GPUs.
reports::Machine machineReport()
{
    reports::Machine report;
    report.set_version(versionWithCommit());
    report.set_processor(processorName());
    report.set_level(cpuLevelInWords());
    report.set_cores(cores());
    report.set_memory(memory());
    report.set_disk(disk());
    // Of the headers that this program was compiled with.
    report.set_protobuf(google::protobuf::internal::VersionString(GOOGLE_PROTOBUF_VERSION));
    // Both, as CANNERY_CPU_LEVEL can limit what is used to less than the processor has.
    report.set_level_in_use(std::string(kernels::name(kernels::cpuLevel())));
    report.set_level_of_processor(std::string(kernels::name(kernels::machineCpuLevel())));
    report.set_threads(kernels::threadCount(0));
    return report;
}

void printJson(Console& console)
{
    reports::Machine report = machineReport();
    for (const KernelChoice& choice : kernelChoices()) {
        addKernel(choice, *report.add_kernels());
    }
    const Gpus gpus = findGpus();
    // Without a GPU there is no group that could have a problem.
    const std::vector<GpuFinding> found = gpus.value_or(std::vector<GpuFinding>());
    for (const GpuFinding& gpu : found) {
        addGpu(gpu, *report.add_gpus());
    }
    if (!gpus) {
        report.set_no_gpu(gpus.error().message());
    }
    if (const std::optional<Error> problem = groupProblem(found)) {
        report.set_no_group(problem->message());
    }
    console.document(reports::reportJson(report, 2));
}

std::vector<Finding> findings()
{
    const reports::Machine machine = machineReport();
    return {{"version", machine.version()},  {"processor", machine.processor()},
            {"level", machine.level()},      {"cores", machine.cores()},
            {"memory", machine.memory()},    {"disk", machine.disk()},
            {"protobuf", machine.protobuf()}};
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
