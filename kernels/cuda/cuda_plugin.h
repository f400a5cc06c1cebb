// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/accelerator.h"
#include "kernels/cuda/runtime.h"

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace cannery::kernels::cuda {

/// The GPUs that CUDA shows. CUDA_VISIBLE_DEVICES chooses and orders them, as for every program.
class CudaPlugin : public AcceleratorPlugin
{
public:
    explicit CudaPlugin(std::unique_ptr<Driver> driver) : m_driver(std::move(driver)) {}

    std::string_view name() const override { return m_driver->name(); }
    Result<std::vector<AcceleratorFacts>> devices() override;
    Result<std::unique_ptr<Accelerator>> open(std::int64_t index) override;
    Result<GroupId> makeGroupId() override;

private:
    Result<std::vector<DeviceEntry>> list() const;

    std::unique_ptr<Driver> m_driver;
};

} // namespace cannery::kernels::cuda
