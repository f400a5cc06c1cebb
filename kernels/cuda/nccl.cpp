// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/nccl.h"

#include <dlfcn.h>

namespace cannery::kernels::cuda {

namespace {

// What nccl.h, which is not in every CUDA Toolkit, says of the functions that are called.
constexpr int kNcclSuccess = 0;
constexpr int kNcclCudaError = 1;
constexpr int kBytes = 0; ///< ncclInt8

} // namespace

template <typename Function>
bool Nccl::load(const char* name, Function& function)
{
    function = reinterpret_cast<Function>(dlsym(m_library, name));
    return function != nullptr;
}

Nccl::Nccl(const char* library) : m_library(dlopen(library, RTLD_NOW | RTLD_LOCAL))
{
    const auto linkerMessage = [] {
        const char* const reason = dlerror();
        return std::string(reason == nullptr ? "no reason is known" : reason);
    };
    if (m_library == nullptr) {
        m_absence = linkerMessage();
        return;
    }
    // All or nothing: a library of another version is as good as none.
    const bool isComplete = load("ncclGetUniqueId", m_makeId) && load("ncclCommInitRank", m_join) &&
                            load("ncclCommDestroy", m_leave) && load("ncclCommAbort", m_abort) &&
                            load("ncclGroupStart", m_begin) && load("ncclGroupEnd", m_end) &&
                            load("ncclSend", m_send) && load("ncclRecv", m_receive) &&
                            load("ncclAllGather", m_gather) && load("ncclGetErrorString", m_textOf);
    if (!isComplete) {
        // Before dlclose, which may clear the message that names the missing function.
        m_absence = linkerMessage();
        dlclose(m_library);
        m_library = nullptr;
    }
}

const Nccl& Nccl::ofProcess()
{
    // Never unloaded, as communicators may outlive every object.
    static const Nccl* const kLoaded = new Nccl();
    return *kLoaded;
}

CallStatus Nccl::loaded() const
{
    return m_library != nullptr ? CallStatus() : CallStatus{Outcome::NoNccl, m_absence};
}

CallStatus Nccl::statusOf(int answer) const
{
    if (answer == kNcclSuccess) {
        return {};
    }
    // NCCL's own text does not name the cause.
    const cudaError_t cause = answer == kNcclCudaError ? cudaPeekAtLastError() : cudaSuccess;
    std::string reason = m_textOf(answer);
    if (cause != cudaSuccess) {
        reason += std::string(": ") + cudaGetErrorString(cause);
    }
    return {Outcome::Failed, reason};
}

CallStatus Nccl::makeId(GroupId& id) const
{
    UniqueId made;
    CallStatus status = statusOf(m_makeId(&made));
    id = made.bytes;
    return status;
}

CallStatus Nccl::join(const GroupPlace& place, NcclCommunicator*& communicator) const
{
    return statusOf(m_join(&communicator, static_cast<int>(place.member.size), {place.id},
                           static_cast<int>(place.member.rank)));
}

CallStatus Nccl::leave(NcclCommunicator* communicator) const
{
    return statusOf(m_leave(communicator));
}

CallStatus Nccl::abort(NcclCommunicator* communicator) const
{
    return statusOf(m_abort(communicator));
}

CallStatus Nccl::beginTogether() const
{
    return statusOf(m_begin());
}

CallStatus Nccl::endTogether() const
{
    return statusOf(m_end());
}

CallStatus Nccl::send(const void* memory, std::size_t bytes, int member,
                      NcclCommunicator* communicator, cudaStream_t stream) const
{
    return statusOf(m_send(memory, bytes, kBytes, member, communicator, stream));
}

CallStatus Nccl::receive(void* memory, std::size_t bytes, int member,
                         NcclCommunicator* communicator, cudaStream_t stream) const
{
    return statusOf(m_receive(memory, bytes, kBytes, member, communicator, stream));
}

CallStatus Nccl::gather(const void* own, void* all, std::size_t bytes,
                        NcclCommunicator* communicator, cudaStream_t stream) const
{
    return statusOf(m_gather(own, all, bytes, kBytes, communicator, stream));
}

} // namespace cannery::kernels::cuda
