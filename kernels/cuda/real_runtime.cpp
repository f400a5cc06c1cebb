// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/real_runtime.h"

#include "kernels/cuda/cuda_status.h"

#include <bit>
#include <cmath>
#include <utility>

namespace cannery::kernels::cuda {

namespace {

constexpr double kNanosecondsPerMillisecond = 1e6;

std::size_t size(std::int64_t bytes)
{
    return static_cast<std::size_t>(bytes);
}

template <typename Handle>
Handle handle(const void* pointer)
{
    return static_cast<Handle>(reinterpret_cast<std::uintptr_t>(pointer));
}

cudaStream_t native(Stream stream)
{
    return std::bit_cast<cudaStream_t>(static_cast<std::uintptr_t>(stream));
}

cudaEvent_t native(Event event)
{
    return std::bit_cast<cudaEvent_t>(static_cast<std::uintptr_t>(event));
}

cudaGraph_t native(CapturedGraph graph)
{
    return std::bit_cast<cudaGraph_t>(static_cast<std::uintptr_t>(graph));
}

cudaGraphExec_t native(Executable executable)
{
    return std::bit_cast<cudaGraphExec_t>(static_cast<std::uintptr_t>(executable));
}

} // namespace

RealRuntime::RealRuntime(int device, std::unique_ptr<OperationRunner> runner, const Nvml& nvml,
                         NvmlDevice* nvmlDevice)
    : m_device(device), m_runner(std::move(runner)), m_nvml(nvml), m_nvmlDevice(nvmlDevice)
{}

// CUDA's current device is one of the calling thread, and any thread may call.
template <typename Call>
CallStatus RealRuntime::on(const Call& call) const
{
    const cudaError_t chosen = cudaSetDevice(m_device);
    return statusOf(chosen == cudaSuccess ? call() : chosen);
}

template <typename Call>
CallStatus RealRuntime::inGroup(const Call& call) const
{
    CallStatus status = statusOf(cudaSetDevice(m_device));
    // A device that has left its group, or was in none.
    if (status.ok() && m_member == nullptr) {
        return {Outcome::Failed, "the device is in no group"};
    }
    return status.ok() ? call() : status;
}

CallStatus RealRuntime::allocate(std::int64_t bytes, std::byte*& memory)
{
    return on([&] { return cudaMalloc(reinterpret_cast<void**>(&memory), size(bytes)); });
}

CallStatus RealRuntime::free(std::byte* memory)
{
    return on([&] { return cudaFree(memory); });
}

CallStatus RealRuntime::allocatePinned(std::int64_t bytes, std::byte*& memory)
{
    return on([&] {
        return cudaHostAlloc(reinterpret_cast<void**>(&memory), size(bytes), cudaHostAllocDefault);
    });
}

CallStatus RealRuntime::freePinned(std::byte* memory)
{
    return on([&] { return cudaFreeHost(memory); });
}

CallStatus RealRuntime::readMemory(std::int64_t& freeBytes, std::int64_t& allBytes)
{
    std::size_t freeSize = 0;
    std::size_t allSize = 0;
    CallStatus status = on([&] { return cudaMemGetInfo(&freeSize, &allSize); });
    if (status.ok()) {
        freeBytes = static_cast<std::int64_t>(freeSize);
        allBytes = static_cast<std::int64_t>(allSize);
    }
    return status;
}

CallStatus RealRuntime::createStream(Stream& stream)
{
    cudaStream_t created = nullptr;
    // Non-blocking: the stream does not wait for the default stream, nor that one for it.
    CallStatus status =
        on([&] { return cudaStreamCreateWithFlags(&created, cudaStreamNonBlocking); });
    stream = handle<Stream>(created);
    return status;
}

CallStatus RealRuntime::destroy(Stream stream)
{
    return on([&] { return cudaStreamDestroy(native(stream)); });
}

CallStatus RealRuntime::synchronize(Stream stream)
{
    return on([&] { return cudaStreamSynchronize(native(stream)); });
}

CallStatus RealRuntime::zero(std::byte* device, std::int64_t bytes, Stream stream)
{
    return on([&] { return cudaMemsetAsync(device, 0, size(bytes), native(stream)); });
}

CallStatus RealRuntime::upload(std::byte* device, const void* host, std::int64_t bytes,
                               Stream stream)
{
    return on([&] {
        return cudaMemcpyAsync(device, host, size(bytes), cudaMemcpyHostToDevice, native(stream));
    });
}

CallStatus RealRuntime::download(void* host, const std::byte* device, std::int64_t bytes,
                                 Stream stream)
{
    return on([&] {
        return cudaMemcpyAsync(host, device, size(bytes), cudaMemcpyDeviceToHost, native(stream));
    });
}

CallStatus RealRuntime::createEvent(bool timed, Event& event)
{
    cudaEvent_t created = nullptr;
    // An event that takes no time costs less to record and to wait for.
    const unsigned int flags = timed ? cudaEventDefault : cudaEventDisableTiming;
    CallStatus status = on([&] { return cudaEventCreateWithFlags(&created, flags); });
    event = handle<Event>(created);
    return status;
}

CallStatus RealRuntime::destroy(Event event)
{
    return on([&] { return cudaEventDestroy(native(event)); });
}

CallStatus RealRuntime::record(Event event, Stream stream)
{
    return on([&] { return cudaEventRecord(native(event), native(stream)); });
}

CallStatus RealRuntime::wait(Stream stream, Event event)
{
    return on([&] { return cudaStreamWaitEvent(native(stream), native(event), 0); });
}

CallStatus RealRuntime::synchronize(Event event)
{
    return on([&] { return cudaEventSynchronize(native(event)); });
}

CallStatus RealRuntime::elapsed(Event begin, Event end, std::int64_t& nanoseconds)
{
    float milliseconds = 0;
    CallStatus status =
        on([&] { return cudaEventElapsedTime(&milliseconds, native(begin), native(end)); });
    // CUDA measures in milliseconds.
    nanoseconds = std::llround(milliseconds * kNanosecondsPerMillisecond);
    return status;
}

CallStatus RealRuntime::prepare(const Operation& operation, std::int64_t& workspaceBytes,
                                std::string& refusal)
{
    return on([&] {
        refusal = m_runner->prepare(operation, workspaceBytes);
        return cudaSuccess;
    });
}

CallStatus RealRuntime::run(const Operation& operation, Stream stream, std::byte* workspace)
{
    return std::visit(
        [&](const auto& work) {
            // Work that meets other devices goes to the group.
            if constexpr (kMeetsOthers<std::remove_cvref_t<decltype(work)>>) {
                return inGroup([&] { return m_member->run(work, native(stream)); });
            } else {
                return on([&] { return m_runner->run(operation, native(stream), workspace); });
            }
        },
        operation);
}

CallStatus RealRuntime::join(const GroupPlace& place)
{
    const CallStatus status = statusOf(cudaSetDevice(m_device));
    return status.ok() ? NcclMember::join(Nccl::ofProcess(), place, m_member) : status;
}

CallStatus RealRuntime::leave()
{
    return inGroup([&] { return m_member->leave(); });
}

void RealRuntime::abandon()
{
    // A failure to choose the device is one of what is given up.
    static_cast<void>(inGroup([&] {
        m_member->abandon();
        return CallStatus();
    }));
}

CallStatus RealRuntime::beginCapture(Stream stream)
{
    // Kernels may be loaded when they are first queued, which the other modes forbid.
    return on([&] { return cudaStreamBeginCapture(native(stream), cudaStreamCaptureModeRelaxed); });
}

CallStatus RealRuntime::endCapture(Stream stream, CapturedGraph& graph)
{
    cudaGraph_t captured = nullptr;
    CallStatus status = on([&] { return cudaStreamEndCapture(native(stream), &captured); });
    graph = handle<CapturedGraph>(captured);
    return status;
}

CallStatus RealRuntime::destroy(CapturedGraph graph)
{
    return on([&] { return cudaGraphDestroy(native(graph)); });
}

CallStatus RealRuntime::instantiate(CapturedGraph graph, Executable& executable)
{
    cudaGraphExec_t created = nullptr;
    CallStatus status = on([&] { return cudaGraphInstantiate(&created, native(graph), 0); });
    executable = handle<Executable>(created);
    return status;
}

CallStatus RealRuntime::upload(Executable executable, Stream stream)
{
    return on([&] { return cudaGraphUpload(native(executable), native(stream)); });
}

CallStatus RealRuntime::launch(Executable executable, Stream stream)
{
    return on([&] { return cudaGraphLaunch(native(executable), native(stream)); });
}

CallStatus RealRuntime::destroy(Executable executable)
{
    return on([&] { return cudaGraphExecDestroy(native(executable)); });
}

} // namespace cannery::kernels::cuda
