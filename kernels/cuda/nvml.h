// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace cannery::kernels::cuda {

/// A GPU, or a part of one (MIG).
struct NvmlDevice;

/// The driver's management library, which knows how GPUs are used without opening them. Where it is
/// missing, nothing is known. Any thread.
class Nvml
{
public:
    static constexpr const char* kLibrary = "libnvidia-ml.so.1";
    static constexpr std::size_t kUuidBytes = 16;

    explicit Nvml(const char* library = kLibrary);
    ~Nvml();
    Nvml(const Nvml&) = delete;
    Nvml& operator=(const Nvml&) = delete;

    /// Null if it is not known.
    NvmlDevice* find(std::span<const char, kUuidBytes> uuid) const;
    /// The device may be null.
    std::optional<std::int64_t> freeBytes(NvmlDevice* device) const;
    /// Fraction of the last moments in which it computed.
    std::optional<double> busy(NvmlDevice* device) const;

private:
    struct Memory;
    struct Utilization;
    template <typename Function>
    bool load(const char* name, Function& function);

    void* m_library = nullptr; ///< null if it is not there
    int (*m_shutdown)() = nullptr;
    int (*m_find)(const char*, NvmlDevice**) = nullptr;
    int (*m_memory)(NvmlDevice*, Memory*) = nullptr;
    int (*m_utilization)(NvmlDevice*, Utilization*) = nullptr;
};

} // namespace cannery::kernels::cuda
