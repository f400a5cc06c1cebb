// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/accelerator.h"
#include "kernels/cuda/runtime.h"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>

namespace cannery::kernels::cuda {

/// One member's end of a group of devices.
struct NcclCommunicator;

/// NVIDIA's library for several GPUs, loaded when a group is asked for: one GPU needs none. Its
/// functions, of version 2.9 and later ones. Any thread.
class Nccl
{
public:
    static constexpr const char* kLibrary = "libnccl.so.2";

    explicit Nccl(const char* library = kLibrary);
    Nccl(const Nccl&) = delete;
    Nccl& operator=(const Nccl&) = delete;
    /// That of this process; never unloaded, as its threads may outlive whoever asked.
    static const Nccl& ofProcess();

    /// "Outcome::NoNccl" unless it is there.
    CallStatus loaded() const;
    CallStatus makeId(GroupId& id) const;
    /// Waits for the other members. The device is current.
    CallStatus join(const GroupPlace& place, NcclCommunicator*& communicator) const;
    CallStatus leave(NcclCommunicator* communicator) const;
    /// Whatever runs on the device ends soon; the communicator is gone.
    CallStatus abort(NcclCommunicator* communicator) const;
    /// What is queued between them runs at once.
    CallStatus beginTogether() const;
    CallStatus endTogether() const;
    CallStatus send(const void* memory, std::size_t bytes, int member,
                    NcclCommunicator* communicator, cudaStream_t stream) const;
    CallStatus receive(void* memory, std::size_t bytes, int member, NcclCommunicator* communicator,
                       cudaStream_t stream) const;
    /// all[m] = what member m has, equally much of each.
    CallStatus gather(const void* own, void* all, std::size_t bytes, NcclCommunicator* communicator,
                      cudaStream_t stream) const;

private:
    /// nccl.h's ncclUniqueId, which is passed by value.
    struct UniqueId
    {
        GroupId bytes;
    };
    template <typename Function>
    bool load(const char* name, Function& function);
    CallStatus statusOf(int answer) const;

    void* m_library = nullptr; ///< null if it is not there
    std::string m_absence;
    int (*m_makeId)(UniqueId*) = nullptr;
    int (*m_join)(NcclCommunicator**, int, UniqueId, int) = nullptr;
    int (*m_leave)(NcclCommunicator*) = nullptr;
    int (*m_abort)(NcclCommunicator*) = nullptr;
    int (*m_begin)() = nullptr;
    int (*m_end)() = nullptr;
    int (*m_send)(const void*, std::size_t, int, int, NcclCommunicator*, cudaStream_t) = nullptr;
    int (*m_receive)(void*, std::size_t, int, int, NcclCommunicator*, cudaStream_t) = nullptr;
    int (*m_gather)(const void*, void*, std::size_t, int, NcclCommunicator*,
                    cudaStream_t) = nullptr;
    const char* (*m_textOf)(int) = nullptr;
};

} // namespace cannery::kernels::cuda
