// SPDX-License-Identifier: Apache-2.0
#include "tests/support/emulated_device/emulated_group.h"

#include "kernels/accelerator/bodies/element.h"

#include <algorithm>
#include <cstring>
#include <map>

using namespace cannery::kernels;

namespace cannery::tests {

namespace {

/// Groups whose members have not all come yet; a group lives as long as its members.
struct Registry
{
    std::mutex mutex;
    std::map<GroupId, std::weak_ptr<EmulatedGroup>> groups;
    std::uint64_t lastId = 0;
};

Registry& registry()
{
    static Registry all;
    return all;
}

bool isSame(const ExchangeParts& a, const ExchangeParts& b)
{
    return a.count == b.count;
}

bool isSame(const GatherParts& a, const GatherParts& b)
{
    return a.count == b.count;
}

bool isSame(const GatherSparse& a, const GatherSparse& b)
{
    return a.own.capacity == b.own.capacity && a.own.cols == b.own.cols;
}

} // namespace

GroupId EmulatedGroup::makeId()
{
    const std::scoped_lock lock(registry().mutex);
    const std::uint64_t number = ++registry().lastId;
    GroupId id{};
    std::memcpy(id.data(), &number, sizeof number);
    return id;
}

std::shared_ptr<EmulatedGroup> EmulatedGroup::join(const GroupPlace& place)
{
    std::shared_ptr<EmulatedGroup> group;
    {
        const std::scoped_lock lock(registry().mutex);
        std::weak_ptr<EmulatedGroup>& known = registry().groups[place.id];
        group = known.lock();
        if (group == nullptr) {
            group = std::make_shared<EmulatedGroup>(place.member.size);
            known = group;
        }
    }
    return group->arrive() ? group : nullptr;
}

bool EmulatedGroup::arrive()
{
    std::unique_lock lock(m_mutex);
    const std::int64_t meeting = m_meetings;
    if (++m_arrived == m_operations.size()) {
        m_arrived = 0;
        ++m_meetings;
        m_changed.notify_all();
    }
    m_changed.wait(lock, [&] { return m_isAbandoned || m_meetings != meeting; });
    return !m_isAbandoned;
}

void EmulatedGroup::abandon()
{
    const std::scoped_lock lock(m_mutex);
    m_isAbandoned = true;
    m_changed.notify_all();
}

/// copy(member, its work), once all members are there; none goes on before all have copied.
template <typename Work, typename Copy>
std::string EmulatedGroup::meetAnd(const Work& work, const Copy& copy)
{
    m_operations[static_cast<std::size_t>(work.group.rank)] = work;
    if (!arrive()) {
        return kGivenUp;
    }
    const bool isSameEverywhere = std::ranges::all_of(m_operations, [&](const Operation& other) {
        const auto* const theirs = std::get_if<Work>(&other);
        return theirs != nullptr && isSame(*theirs, work);
    });
    if (!isSameEverywhere) {
        abandon();
        return "the members of a group do different things";
    }
    for (std::size_t member = 0; member < m_operations.size(); ++member) {
        copy(static_cast<std::int64_t>(member), std::get<Work>(m_operations[member]));
    }
    return arrive() ? "" : kGivenUp;
}

std::string EmulatedGroup::meet(const ExchangeParts& work)
{
    const bodies::Part own = bodies::partOf(work.count, work.group.rank, work.group.size);
    return meetAnd(work, [&](std::int64_t member, const ExchangeParts& theirs) {
        std::copy(theirs.values + own.begin, theirs.values + own.end,
                  work.received + member * (own.end - own.begin));
    });
}

std::string EmulatedGroup::meet(const GatherParts& work)
{
    return meetAnd(work, [&](std::int64_t member, const GatherParts& theirs) {
        const bodies::Part part = bodies::partOf(work.count, member, work.group.size);
        if (member != work.group.rank) {
            std::copy(theirs.values + part.begin, theirs.values + part.end,
                      work.values + part.begin);
        }
    });
}

std::string EmulatedGroup::meet(const GatherSparse& work)
{
    const std::int64_t capacity = work.own.capacity;
    const std::int64_t count = capacity * work.own.cols;
    return meetAnd(work, [&](std::int64_t member, const GatherSparse& theirs) {
        std::copy_n(theirs.own.rows, capacity, work.rows + member * capacity);
        std::copy_n(theirs.own.values, count, work.values + member * count);
        work.counts[member] = *theirs.own.count;
    });
}

} // namespace cannery::tests
