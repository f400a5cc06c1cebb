// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/real_driver.h"

#include "kernels/cuda/cuda_status.h"
#include "kernels/cuda/nccl.h"
#include "kernels/cuda/real_runtime.h"

#include <cuda_runtime_api.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

namespace cannery::kernels::cuda {

namespace {

constexpr std::array kArchitectures{CANNERY_CUDA_ARCHITECTURES};

/// 13020 is CUDA 13.2.
std::string versionText(int version)
{
    constexpr int kMajor = 1000;
    constexpr int kMinor = 10;
    return fmt::format("{}.{}", version / kMajor, version % kMajor / kMinor);
}

/// 0 without a driver.
int driverVersion()
{
    int version = 0;
    return cudaDriverGetVersion(&version) == cudaSuccess ? version : 0;
}

/// The runtime's answer is the same for a driver that is too old and for none.
CallStatus countDevices(int& count)
{
    CallStatus status = statusOf(cudaGetDeviceCount(&count));
    if (status.outcome == Outcome::DriverTooOld) {
        // Version 0 means that there is no driver.
        if (const int version = driverVersion(); version == 0) {
            status.outcome = Outcome::NoDevice;
        } else if (version < CUDART_VERSION) {
            status.reason = fmt::format("it is for CUDA {}", versionText(version));
        }
    }
    return status;
}

/// Why a device that is unavailable is so.
CallStatus unavailable(int device)
{
    int mode = cudaComputeModeDefault;
    const CallStatus read = statusOf(cudaDeviceGetAttribute(&mode, cudaDevAttrComputeMode, device));
    // Waiting for another program would be in vain.
    if (read.ok() && mode == cudaComputeModeProhibited) {
        return {Outcome::Failed,
                "its compute mode is Prohibited, which nvidia-smi --compute-mode changes"};
    }
    return {Outcome::Unavailable, "end that program, or choose another device"};
}

} // namespace

RealDriver::RealDriver()
    : m_name("CUDA " + versionText(CUDART_VERSION)), m_oldest(std::ranges::min(kArchitectures)),
      m_oldestArchitecture(fmt::format("sm_{}", m_oldest))
{}

CallStatus RealDriver::list(std::vector<DeviceEntry>& devices)
{
    int count = 0;
    if (CallStatus status = countDevices(count); !status.ok()) {
        return status;
    }
    const std::string driver = versionText(driverVersion());
    for (int index = 0; index < count; ++index) {
        if (CallStatus status = describe(index, driver, devices.emplace_back()); !status.ok()) {
            return status;
        }
    }
    return {};
}

CallStatus RealDriver::describe(int index, const std::string& driver, DeviceEntry& entry) const
{
    constexpr int kMajor = 10;
    cudaDeviceProp properties{};
    if (CallStatus status = statusOf(cudaGetDeviceProperties(&properties, index)); !status.ok()) {
        return status;
    }
    const int architecture = properties.major * kMajor + properties.minor;
    entry.isSupported = architecture >= m_oldest;
    entry.facts = {.name = properties.name,
                   .driver = driver,
                   .architecture = fmt::format("sm_{}", architecture),
                   .memoryBytes = static_cast<std::int64_t>(properties.totalGlobalMem)};
    if (const auto known = m_nvml.freeBytes(m_nvml.find(properties.uuid.bytes))) {
        entry.facts.freeBytes = *known;
        return {};
    }
    std::size_t freeSize = 0;
    std::size_t allSize = 0;
    // A device that cannot be opened has no memory for us.
    if (statusOf(cudaSetDevice(index)).ok() && statusOf(cudaMemGetInfo(&freeSize, &allSize)).ok()) {
        entry.facts.freeBytes = static_cast<std::int64_t>(freeSize);
    }
    return {};
}

CallStatus RealDriver::makeGroupId(GroupId& id)
{
    const Nccl& nccl = Nccl::ofProcess();
    CallStatus status = nccl.loaded();
    return status.ok() ? nccl.makeId(id) : status;
}

CallStatus RealDriver::open(std::int64_t index, std::unique_ptr<Runtime>& runtime)
{
    const int device = static_cast<int>(index);
    cudaDeviceProp properties{};
    if (CallStatus status = statusOf(cudaGetDeviceProperties(&properties, device)); !status.ok()) {
        return status;
    }
    cudaError_t answer = cudaSetDevice(device);
    if (answer == cudaSuccess) {
        answer = cudaFree(nullptr); // the device is opened by the first call that needs it
    }
    std::unique_ptr<OperationRunner> runner;
    if (answer == cudaSuccess) {
        answer = OperationRunner::create(device, runner);
    }
    if (CallStatus status = statusOf(answer); !status.ok()) {
        return status.outcome == Outcome::Unavailable ? unavailable(device) : status;
    }
    runtime = std::make_unique<RealRuntime>(device, std::move(runner), m_nvml,
                                            m_nvml.find(properties.uuid.bytes));
    return {};
}

} // namespace cannery::kernels::cuda
