// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/nvml.h"

#include <dlfcn.h>
#include <fmt/core.h>

#include <string>

namespace cannery::kernels::cuda {

// As declared in nvml.h, which is not in every CUDA Toolkit: the four functions.

struct Nvml::Memory
{
    unsigned long long total = 0;
    unsigned long long free = 0;
    unsigned long long used = 0;
};

struct Nvml::Utilization
{
    unsigned int gpu = 0; ///< percent
    unsigned int memory = 0;
};

namespace {

constexpr int kSuccess = 0;
constexpr double kPercent = 100;
constexpr unsigned int kByte = 0xFF;

/// "GPU-8f6e…": CUDA's bytes as NVML writes them.
std::string textOf(const char* kind, std::span<const char, Nvml::kUuidBytes> uuid)
{
    std::string text = kind;
    for (std::size_t i = 0; i < uuid.size(); ++i) {
        const bool beginsGroup = i == 0 || i == 4 || i == 6 || i == 8 || i == 10;
        text += fmt::format("{}{:02x}", beginsGroup ? "-" : "",
                            static_cast<unsigned int>(uuid[i]) & kByte);
    }
    return text;
}

} // namespace

template <typename Function>
bool Nvml::load(const char* name, Function& function)
{
    function = reinterpret_cast<Function>(dlsym(m_library, name));
    return function != nullptr;
}

Nvml::Nvml(const char* library) : m_library(dlopen(library, RTLD_NOW | RTLD_LOCAL))
{
    int (*initialize)() = nullptr;
    // Not there: what it reports is unknown.
    if (m_library == nullptr) {
        return;
    }
    const bool isComplete = load("nvmlInit_v2", initialize) && load("nvmlShutdown", m_shutdown) &&
                            load("nvmlDeviceGetHandleByUUID", m_find) &&
                            load("nvmlDeviceGetMemoryInfo", m_memory) &&
                            load("nvmlDeviceGetUtilizationRates", m_utilization);
    // A library without a driver cannot be initialized.
    if (!isComplete || initialize() != kSuccess) {
        dlclose(m_library);
        m_library = nullptr;
    }
}

Nvml::~Nvml()
{
    if (m_library != nullptr) {
        m_shutdown();
        dlclose(m_library);
    }
}

NvmlDevice* Nvml::find(std::span<const char, kUuidBytes> uuid) const
{
    NvmlDevice* device = nullptr;
    // A part of a GPU has an identifier of another kind.
    for (const char* const kind : {"GPU", "MIG"}) {
        if (m_library != nullptr && m_find(textOf(kind, uuid).c_str(), &device) == kSuccess) {
            return device;
        }
    }
    return nullptr;
}

std::optional<std::int64_t> Nvml::freeBytes(NvmlDevice* device) const
{
    Memory memory;
    if (device == nullptr || m_memory(device, &memory) != kSuccess) {
        return std::nullopt;
    }
    return static_cast<std::int64_t>(memory.free);
}

std::optional<double> Nvml::busy(NvmlDevice* device) const
{
    Utilization utilization;
    if (device == nullptr || m_utilization(device, &utilization) != kSuccess) {
        return std::nullopt;
    }
    return utilization.gpu / kPercent;
}

} // namespace cannery::kernels::cuda
