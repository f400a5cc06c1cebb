// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/accelerator.h"

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace cannery::tests {

/// A group of emulated devices of one process: its members meet at a barrier and copy from each
/// other's memory. Any thread.
class EmulatedGroup
{
public:
    /// What meet() says when somebody has given the group up.
    static constexpr const char* kGivenUp = "another member of the group has failed";

    explicit EmulatedGroup(std::int64_t size) : m_operations(static_cast<std::size_t>(size)) {}

    static kernels::GroupId makeId();
    /// Waits until all members have come. Null: somebody has given the group up.
    static std::shared_ptr<EmulatedGroup> join(const kernels::GroupPlace& place);

    /// Runs an operation that meets those of the others. An empty sentence, or why it has not run:
    /// the members do different things, or somebody has given the group up.
    std::string meet(const kernels::ExchangeParts& work);
    std::string meet(const kernels::GatherParts& work);
    std::string meet(const kernels::GatherSparse& work);
    /// Whoever waits, now or later, waits no more.
    void abandon();

private:
    /// Waits for all members. False: the group is given up.
    bool arrive();
    template <typename Work, typename Copy>
    std::string meetAnd(const Work& work, const Copy& copy);

    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::size_t m_arrived = 0;
    std::int64_t m_meetings = 0;
    bool m_isAbandoned = false;
    std::vector<kernels::Operation> m_operations; ///< by member: what it is about to do
};

} // namespace cannery::tests
