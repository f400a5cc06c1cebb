// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/operations.h"
#include "kernels/cuda/nccl.h"

#include <atomic>
#include <cstdint>
#include <memory>

namespace cannery::kernels::cuda {

/// A device in a group: queues the operations that meet those of the other members. Only bytes are
/// moved, so that no bit of a result depends on the ways that NCCL chooses. One thread at a time,
/// but for abandon(); the device is current in every call.
class NcclMember
{
public:
    /// Waits for the other members. The library outlives the member.
    static CallStatus join(const Nccl& nccl, const GroupPlace& place,
                           std::unique_ptr<NcclMember>& member);

    /// One of kMeetsOthers. It can be captured.
    CallStatus run(const ExchangeParts& work, cudaStream_t stream) const;
    CallStatus run(const GatherParts& work, cudaStream_t stream) const;
    CallStatus run(const GatherSparse& work, cudaStream_t stream) const;

    /// No graph has such operations any more.
    CallStatus leave();
    /// Any thread.
    void abandon();

private:
    NcclMember(const Nccl& nccl, NcclCommunicator* communicator)
        : m_nccl(nccl), m_communicator(communicator)
    {}
    template <typename Queue>
    CallStatus together(const Queue& queue) const;

    const Nccl& m_nccl;
    std::atomic<NcclCommunicator*> m_communicator; ///< null once it has left, or given up
};

} // namespace cannery::kernels::cuda
