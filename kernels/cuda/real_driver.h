// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/cuda/nvml.h"
#include "kernels/cuda/runtime.h"

#include <string>

namespace cannery::kernels::cuda {

/// CUDA itself. list() opens no device where NVML reports how much memory is free.
class RealDriver : public Driver
{
public:
    RealDriver();

    std::string_view name() const override { return m_name; }
    std::string_view oldestArchitecture() const override { return m_oldestArchitecture; }
    CallStatus list(std::vector<DeviceEntry>& devices) override;
    CallStatus makeGroupId(GroupId& id) override;
    CallStatus open(std::int64_t index, std::unique_ptr<Runtime>& runtime) override;

private:
    CallStatus describe(int index, const std::string& driver, DeviceEntry& entry) const;

    std::string m_name;
    int m_oldest = 0; ///< 80
    std::string m_oldestArchitecture;
    Nvml m_nvml;
};

} // namespace cannery::kernels::cuda
