// SPDX-License-Identifier: Apache-2.0
#include "core/base/check.h"
#include "kernels/accelerator/errors.h"
#include "kernels/accelerator/plugin.h"
#include "tests/support/emulated_device/emulated_device.h"
#include "tests/support/emulated_device/idle_device.h"

#include <cstdlib>
#include <string>

namespace cannery::tests {

namespace {

std::int64_t numberIn(const char* variable, std::int64_t otherwise)
{
    const char* const text = std::getenv(variable);
    return text == nullptr ? otherwise : std::stoll(text);
}

std::string textIn(const char* variable)
{
    const char* const text = std::getenv(variable);
    return text == nullptr ? "" : text;
}

/// A machine with emulated devices.
class EmulatedPlugin : public kernels::AcceleratorPlugin
{
public:
    std::string_view name() const override { return "the emulation"; }

    Result<std::vector<kernels::AcceleratorFacts>> devices() override
    {
        if (m_options.oldDriver) {
            return fail(ErrorCode::FailedPrecondition, kernels::kDriverTooOld, name(),
                        "it has version 0.9");
        }
        if (m_options.devices == 0) {
            return fail(ErrorCode::NotFound, kernels::kNoGpuFound, name());
        }
        return std::vector<kernels::AcceleratorFacts>(static_cast<std::size_t>(m_options.devices),
                                                      EmulatedDevice::factsOf(m_options));
    }

    Result<std::unique_ptr<kernels::Accelerator>> open(std::int64_t index) override
    {
        CANNERY_TRY_ASSIGN(const std::vector<kernels::AcceleratorFacts> all, devices());
        if (index >= m_options.devices) {
            return fail(ErrorCode::NotFound, kernels::kNoSuchGpu, index,
                        m_options.devices == 1 ? "one GPU" : fmt::format("{} GPUs", all.size()));
        }
        if (m_options.busy) {
            return fail(ErrorCode::Unavailable, kernels::kGpuBusy, index, all.front().name,
                        "end that program, or choose another device");
        }
        if (m_options.idle) {
            return std::make_unique<IdleDevice>(all.front());
        }
        return std::make_unique<EmulatedDevice>(m_options, index);
    }

    Result<kernels::GroupId> makeGroupId() override
    {
        if (m_options.noNccl) {
            return fail(ErrorCode::FailedPrecondition, kernels::kNoNccl, "it is not there");
        }
        return m_options.groups.empty() ? EmulatedGroup::makeId()
                                        : EmulatedGroup::makeId(m_options.groups);
    }

private:
    EmulatedOptions m_options = EmulatedOptions::ofEnvironment();
};

} // namespace

EmulatedOptions EmulatedOptions::ofEnvironment()
{
    const EmulatedOptions usual;
    return {.devices = numberIn("CANNERY_EMULATED_DEVICES", usual.devices),
            .memoryBytes = numberIn("CANNERY_EMULATED_MEMORY", usual.memoryBytes),
            .failAllocation = numberIn("CANNERY_EMULATED_FAIL_ALLOCATION", 0),
            .loseAtLaunch = numberIn("CANNERY_EMULATED_LOSE_AT_LAUNCH", 0),
            .busy = numberIn("CANNERY_EMULATED_BUSY", 0) != 0,
            .oldDriver = numberIn("CANNERY_EMULATED_OLD_DRIVER", 0) != 0,
            .noNccl = numberIn("CANNERY_EMULATED_NO_NCCL", 0) != 0,
            .idle = numberIn("CANNERY_EMULATED_IDLE", 0) != 0,
            .groups = textIn("CANNERY_EMULATED_GROUPS")};
}

} // namespace cannery::tests

extern "C" __attribute__((visibility("default")))
const cannery::kernels::PluginDescription canneryAcceleratorPlugin;
const cannery::kernels::PluginDescription canneryAcceleratorPlugin{
    .build = cannery::kernels::pluginBuild(), .make = []() -> cannery::kernels::AcceleratorPlugin* {
        return new cannery::tests::EmulatedPlugin;
    }};
