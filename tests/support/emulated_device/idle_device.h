// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/accelerator.h"

namespace cannery::tests {

/// A device that does nothing, at once: what a training takes on it is what the host does. Losses
/// are 0, and the state stays as it is on the host.
class IdleDevice : public kernels::Accelerator
{
public:
    explicit IdleDevice(const kernels::AcceleratorFacts& facts) : m_facts(facts) {}

    const kernels::AcceleratorFacts& facts() const override { return m_facts; }
    kernels::AcceleratorUse use() override { return {}; }
    std::vector<kernels::AcceleratorKernel> kernels() const override { return {}; }
    Result<std::unique_ptr<kernels::AcceleratorMemory>> allocate(std::int64_t bytes) override;
    Result<std::unique_ptr<kernels::AcceleratorMemory>> allocatePinned(std::int64_t bytes) override;
    void upload(kernels::Queue, std::byte*, const void*, std::int64_t) override {}
    void download(kernels::Queue, void*, const std::byte*, std::int64_t) override {}
    Result<std::unique_ptr<kernels::AcceleratorGraph>>
    prepare(std::span<const kernels::Operation> operations) override;
    void launch(kernels::AcceleratorGraph&) override {}
    Result<std::vector<kernels::OperationTime>> launchTimed(kernels::AcceleratorGraph&) override
    {
        return std::vector<kernels::OperationTime>();
    }
    Result<void> join(const kernels::GroupPlace&) override { return {}; }
    void abandonGroup() override {}
    kernels::QueueMark mark(kernels::Queue) override { return 0; }
    void wait(kernels::Queue, kernels::QueueMark) override {}
    Result<void> wait(kernels::QueueMark) override { return {}; }
    Result<void> synchronize() override { return {}; }

private:
    kernels::AcceleratorFacts m_facts;
};

} // namespace cannery::tests
