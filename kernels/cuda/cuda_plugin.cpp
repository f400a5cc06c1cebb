// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/cuda_plugin.h"

#include "kernels/accelerator/errors.h"
#include "kernels/cuda/cuda_accelerator.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>

namespace cannery::kernels::cuda {

namespace {

constexpr const char* kVisibleVariable = "CUDA_VISIBLE_DEVICES";

/// "CUDA 13.0", and what hides GPUs from it, if anything does.
std::string nameAndLimits(const Driver& driver)
{
    const char* const visible = std::getenv(kVisibleVariable);
    return visible == nullptr
               ? std::string(driver.name())
               : fmt::format("{} with {}=\"{}\"", driver.name(), kVisibleVariable, visible);
}

std::string countOf(std::size_t devices)
{
    return devices == 1 ? "one GPU" : fmt::format("{} GPUs", devices);
}

} // namespace

Result<std::vector<DeviceEntry>> CudaPlugin::list() const
{
    std::vector<DeviceEntry> devices;
    const CallStatus status = m_driver->list(devices);
    if (status.outcome == Outcome::DriverTooOld) {
        return fail(ErrorCode::FailedPrecondition, kDriverTooOld, name(), status.reason);
    }
    // No error for CUDA, but nothing to use either.
    if (status.outcome == Outcome::NoDevice || (status.ok() && devices.empty())) {
        return fail(ErrorCode::NotFound, kNoGpuFound, nameAndLimits(*m_driver));
    }
    if (!status.ok()) {
        return fail(ErrorCode::Unavailable, kGpusNotListed, name(), status.reason);
    }
    return devices;
}

Result<std::vector<AcceleratorFacts>> CudaPlugin::devices()
{
    CANNERY_TRY_ASSIGN(const std::vector<DeviceEntry> devices, list());
    std::vector<AcceleratorFacts> facts;
    std::ranges::transform(devices, std::back_inserter(facts), &DeviceEntry::facts);
    return facts;
}

Result<std::unique_ptr<Accelerator>> CudaPlugin::open(std::int64_t index)
{
    CANNERY_TRY_ASSIGN(const std::vector<DeviceEntry> devices, list());
    if (index < 0 || index >= static_cast<std::int64_t>(devices.size())) {
        return fail(ErrorCode::NotFound, kNoSuchGpu, index, countOf(devices.size()));
    }
    const DeviceEntry& entry = devices[static_cast<std::size_t>(index)];
    // Refused here, as its kernels would fail to load.
    if (!entry.isSupported) {
        return fail(ErrorCode::FailedPrecondition, kGpuTooOld, index, entry.facts.name,
                    entry.facts.architecture, m_driver->oldestArchitecture());
    }
    std::unique_ptr<Runtime> runtime;
    const CallStatus status = m_driver->open(index, runtime);
    // Another program may have it for itself.
    if (status.outcome == Outcome::Unavailable) {
        return fail(ErrorCode::Unavailable, kGpuBusy, index, entry.facts.name, status.reason);
    }
    if (status.outcome == Outcome::OutOfMemory) {
        return fail(ErrorCode::ResourceExhausted, kGpuFull, index, entry.facts.name);
    }
    if (!status.ok()) {
        return fail(ErrorCode::Unavailable, kGpuNotOpened, index, entry.facts.name, status.reason);
    }
    return CudaAccelerator::create(std::move(runtime), index, entry.facts);
}

Result<GroupId> CudaPlugin::makeGroupId()
{
    GroupId id{};
    const CallStatus status = m_driver->makeGroupId(id);
    if (status.outcome == Outcome::NoNccl) {
        return fail(ErrorCode::FailedPrecondition, kNoNccl, status.reason);
    }
    if (!status.ok()) {
        return fail(ErrorCode::Unavailable, kNotJoined, name(), status.reason);
    }
    return id;
}

} // namespace cannery::kernels::cuda
