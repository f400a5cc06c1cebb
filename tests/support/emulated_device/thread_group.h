// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/emulated_device/emulated_group.h"

#include <condition_variable>
#include <mutex>

namespace cannery::tests {

/// A group of devices of one process, which meet at a barrier.
class ThreadGroup : public EmulatedGroup
{
public:
    explicit ThreadGroup(std::int64_t size) : m_told(static_cast<std::size_t>(size)) {}

    static kernels::GroupId makeId();
    static std::shared_ptr<EmulatedGroup> join(const kernels::GroupPlace& place);
    void abandon() override;

protected:
    bool gather(kernels::GroupRank member, Bytes own, std::vector<Bytes>& all) override;

private:
    /// Waits for all members. False: the group is given up.
    bool arrive();

    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::size_t m_arrived = 0;
    std::int64_t m_meetings = 0;
    bool m_isAbandoned = false;
    std::vector<Bytes> m_told; ///< by member
};

} // namespace cannery::tests
