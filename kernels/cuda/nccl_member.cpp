// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/nccl_member.h"

#include "kernels/accelerator/bodies/element.h"

#include <utility>

namespace cannery::kernels::cuda {

namespace {

template <typename T>
std::size_t bytesOf(std::int64_t count)
{
    return static_cast<std::size_t>(count) * sizeof(T);
}

std::int64_t lengthOf(bodies::Part part)
{
    return part.end - part.begin;
}

} // namespace

CallStatus NcclMember::join(const Nccl& nccl, const GroupPlace& place,
                            std::unique_ptr<NcclMember>& member)
{
    CallStatus status = nccl.loaded();
    NcclCommunicator* communicator = nullptr;
    if (status.ok()) {
        status = nccl.join(place, communicator);
    }
    if (status.ok()) {
        member.reset(new NcclMember(nccl, communicator));
    }
    return status;
}

/// queue(communicator) queues what runs at once.
template <typename Queue>
CallStatus NcclMember::together(const Queue& queue) const
{
    NcclCommunicator* const communicator = m_communicator;
    // Given up by another thread.
    if (communicator == nullptr) {
        return {Outcome::Failed, "the group has been given up"};
    }
    CallStatus status = m_nccl.beginTogether();
    if (!status.ok()) {
        return status;
    }
    status = queue(communicator);
    // The group must be ended even if queueing has failed.
    const CallStatus ended = m_nccl.endTogether();
    return status.ok() ? ended : status;
}

CallStatus NcclMember::run(const ExchangeParts& work, cudaStream_t stream) const
{
    const auto size = static_cast<int>(work.group.size);
    const std::int64_t own = lengthOf(bodies::partOf(work.count, work.group.rank, size));
    return together([&](NcclCommunicator* communicator) {
        CallStatus status;
        for (int member = 0; member < size && status.ok(); ++member) {
            const bodies::Part part = bodies::partOf(work.count, member, size);
            status = m_nccl.send(work.values + part.begin, bytesOf<float>(lengthOf(part)), member,
                                 communicator, stream);
            if (status.ok()) {
                status = m_nccl.receive(work.received + member * own, bytesOf<float>(own), member,
                                        communicator, stream);
            }
        }
        return status;
    });
}

CallStatus NcclMember::run(const GatherParts& work, cudaStream_t stream) const
{
    const auto size = static_cast<int>(work.group.size);
    const bodies::Part own = bodies::partOf(work.count, work.group.rank, size);
    return together([&](NcclCommunicator* communicator) {
        CallStatus status;
        for (int member = 0; member < size && status.ok(); ++member) {
            // The own part is there already.
            if (member == work.group.rank) {
                continue;
            }
            const bodies::Part part = bodies::partOf(work.count, member, size);
            status = m_nccl.send(work.values + own.begin, bytesOf<float>(lengthOf(own)), member,
                                 communicator, stream);
            if (status.ok()) {
                status = m_nccl.receive(work.values + part.begin, bytesOf<float>(lengthOf(part)),
                                        member, communicator, stream);
            }
        }
        return status;
    });
}

CallStatus NcclMember::run(const GatherSparse& work, cudaStream_t stream) const
{
    const std::int64_t capacity = work.own.capacity;
    return together([&](NcclCommunicator* communicator) {
        CallStatus status = m_nccl.gather(work.own.rows, work.rows, bytesOf<std::int32_t>(capacity),
                                          communicator, stream);
        if (status.ok()) {
            status = m_nccl.gather(work.own.values, work.values,
                                   bytesOf<float>(capacity * work.own.cols), communicator, stream);
        }
        if (status.ok()) {
            status = m_nccl.gather(work.own.count, work.counts, bytesOf<std::int64_t>(1),
                                   communicator, stream);
        }
        return status;
    });
}

CallStatus NcclMember::leave()
{
    // Exchanged, so that only one thread leaves.
    NcclCommunicator* const communicator = m_communicator.exchange(nullptr);
    return communicator == nullptr ? CallStatus() : m_nccl.leave(communicator);
}

void NcclMember::abandon()
{
    if (NcclCommunicator* const communicator = m_communicator.exchange(nullptr);
        communicator != nullptr) {
        // What has failed already is reported elsewhere.
        static_cast<void>(m_nccl.abort(communicator));
    }
}

} // namespace cannery::kernels::cuda
