// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/errors.h"
#include "tests/support/emulated_device/emulated_device.h"

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace cannery::tests {

/// A machine with so many emulated GPUs, for what chooses among them.
class EmulatedMachine : public kernels::AcceleratorPlugin
{
public:
    explicit EmulatedMachine(std::int64_t gpus) : m_gpus(gpus) {}

    std::string_view name() const override { return "emulated"; }
    Result<std::vector<kernels::AcceleratorFacts>> devices() override
    {
        if (m_gpus == 0) {
            return fail(ErrorCode::NotFound, kernels::kNoGpuFound, name());
        }
        return std::vector<kernels::AcceleratorFacts>(static_cast<std::size_t>(m_gpus),
                                                      EmulatedDevice::factsOf({}));
    }
    Result<std::unique_ptr<kernels::Accelerator>> open(std::int64_t index) override
    {
        CANNERY_TRY(devices());
        if (index >= m_gpus) {
            return fail(ErrorCode::NotFound, kernels::kNoSuchGpu, index, m_gpus);
        }
        return std::make_unique<EmulatedDevice>(EmulatedOptions(), index);
    }
    Result<kernels::GroupId> makeGroupId() override { return EmulatedGroup::makeId(); }

private:
    std::int64_t m_gpus;
};

} // namespace cannery::tests
