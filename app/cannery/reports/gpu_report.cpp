// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/reports/gpu_report.h"

#include "core/base/byte_text.h"
#include "kernels/accelerator/plugin.h"

#include <fmt/core.h>

#include <memory>

namespace cannery::app {

Result<std::vector<GpuFinding>> findGpus()
{
    CANNERY_TRY_ASSIGN(kernels::AcceleratorPlugin* const plugin, kernels::acceleratorPlugin());
    CANNERY_TRY_ASSIGN(const std::vector<kernels::AcceleratorFacts> devices, plugin->devices());
    std::vector<GpuFinding> findings;
    for (std::size_t index = 0; index < devices.size(); ++index) {
        GpuFinding& finding = findings.emplace_back();
        finding.device = fmt::format("GPU:{}", index);
        finding.facts = devices[index];
        const Result<std::unique_ptr<kernels::Accelerator>> opened =
            plugin->open(static_cast<std::int64_t>(index));
        if (opened) {
            finding.kernels = (*opened)->kernels();
        } else {
            finding.problem = opened.error();
        }
    }
    return findings;
}

std::optional<Error> groupProblem(const std::vector<GpuFinding>& gpus)
{
    if (gpus.size() < 2) {
        return std::nullopt;
    }
    const Result<kernels::AcceleratorPlugin*> plugin = kernels::acceleratorPlugin();
    const Result<kernels::GroupId> id =
        plugin ? (*plugin)->makeGroupId() : tl::make_unexpected(plugin.error());
    return id ? std::nullopt : std::optional(id.error());
}

std::string inWords(const GpuFinding& gpu)
{
    std::string words = fmt::format("{}, {}, {} free, driver {}, {}", gpu.facts.name,
                                    byteText(static_cast<double>(gpu.facts.memoryBytes)),
                                    byteText(static_cast<double>(gpu.facts.freeBytes)),
                                    gpu.facts.driver, gpu.facts.architecture);
    return gpu.problem ? fmt::format("{}; cannot be used: {}", words, gpu.problem->message())
                       : words;
}

} // namespace cannery::app
