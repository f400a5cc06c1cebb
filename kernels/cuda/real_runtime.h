// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/cuda/nccl_member.h"
#include "kernels/cuda/nvml.h"
#include "kernels/cuda/operation_runner.h"
#include "kernels/cuda/runtime.h"

#include <cuda_runtime_api.h>

#include <memory>

namespace cannery::kernels::cuda {

/// CUDA itself. Every call chooses the device first, so that several can be open in one thread.
class RealRuntime : public Runtime
{
public:
    /// The device is current. `nvml` outlives the runtime; `nvmlDevice` may be null.
    RealRuntime(int device, std::unique_ptr<OperationRunner> runner, const Nvml& nvml,
                NvmlDevice* nvmlDevice);

    CallStatus allocate(std::int64_t bytes, std::byte*& memory) override;
    CallStatus free(std::byte* memory) override;
    CallStatus allocatePinned(std::int64_t bytes, std::byte*& memory) override;
    CallStatus freePinned(std::byte* memory) override;
    CallStatus readMemory(std::int64_t& freeBytes, std::int64_t& allBytes) override;
    std::optional<double> busy() override { return m_nvml.busy(m_nvmlDevice); }

    CallStatus createStream(Stream& stream) override;
    CallStatus destroy(Stream stream) override;
    CallStatus synchronize(Stream stream) override;
    CallStatus zero(std::byte* device, std::int64_t bytes, Stream stream) override;
    CallStatus upload(std::byte* device, const void* host, std::int64_t bytes,
                      Stream stream) override;
    CallStatus download(void* host, const std::byte* device, std::int64_t bytes,
                        Stream stream) override;

    CallStatus createEvent(bool timed, Event& event) override;
    CallStatus destroy(Event event) override;
    CallStatus record(Event event, Stream stream) override;
    CallStatus wait(Stream stream, Event event) override;
    CallStatus synchronize(Event event) override;
    CallStatus elapsed(Event begin, Event end, std::int64_t& nanoseconds) override;

    CallStatus prepare(const Operation& operation, std::int64_t& workspaceBytes,
                       std::string& refusal) override;
    CallStatus run(const Operation& operation, Stream stream, std::byte* workspace) override;
    std::vector<AcceleratorKernel> kernels() const override { return m_runner->kernels(); }

    CallStatus join(const GroupPlace& place) override;
    CallStatus leave() override;
    void abandon() override;

    CallStatus beginCapture(Stream stream) override;
    CallStatus endCapture(Stream stream, CapturedGraph& graph) override;
    CallStatus destroy(CapturedGraph graph) override;
    CallStatus instantiate(CapturedGraph graph, Executable& executable) override;
    CallStatus upload(Executable executable, Stream stream) override;
    CallStatus launch(Executable executable, Stream stream) override;
    CallStatus destroy(Executable executable) override;

private:
    /// Calls on the device.
    template <typename Call>
    CallStatus on(const Call& call) const;
    /// The same for calls that return more.
    template <typename Call>
    CallStatus inGroup(const Call& call) const;

    int m_device = 0;
    std::unique_ptr<OperationRunner> m_runner;
    std::unique_ptr<NcclMember> m_member; ///< null if in no group
    const Nvml& m_nvml;
    NvmlDevice* m_nvmlDevice = nullptr;
};

} // namespace cannery::kernels::cuda
