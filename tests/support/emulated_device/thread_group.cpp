// SPDX-License-Identifier: Apache-2.0
#include "tests/support/emulated_device/thread_group.h"

#include <cstring>
#include <map>
#include <utility>

using namespace cannery::kernels;

namespace cannery::tests {

namespace {

/// Groups whose members have not all come yet; a group lives as long as its members.
struct Registry
{
    std::mutex mutex;
    std::map<GroupId, std::weak_ptr<ThreadGroup>> groups;
    std::uint64_t lastId = 0;
};

Registry& registry()
{
    static Registry all;
    return all;
}

} // namespace

GroupId ThreadGroup::makeId()
{
    const std::scoped_lock lock(registry().mutex);
    const std::uint64_t number = ++registry().lastId;
    GroupId id{};
    std::memcpy(id.data(), &number, sizeof number);
    return id;
}

std::shared_ptr<EmulatedGroup> ThreadGroup::join(const GroupPlace& place)
{
    std::shared_ptr<ThreadGroup> group;
    {
        const std::scoped_lock lock(registry().mutex);
        std::weak_ptr<ThreadGroup>& known = registry().groups[place.id];
        group = known.lock();
        if (group == nullptr) {
            group = std::make_shared<ThreadGroup>(place.member.size);
            known = group;
        }
    }
    return group->arrive() ? group : nullptr;
}

bool ThreadGroup::arrive()
{
    std::unique_lock lock(m_mutex);
    const std::int64_t meeting = m_meetings;
    if (++m_arrived == m_told.size()) {
        m_arrived = 0;
        ++m_meetings;
        m_changed.notify_all();
    }
    m_changed.wait(lock, [&] { return m_isAbandoned || m_meetings != meeting; });
    return !m_isAbandoned;
}

/// None goes on before all have read.
bool ThreadGroup::gather(GroupRank member, Bytes own, std::vector<Bytes>& all)
{
    m_told[static_cast<std::size_t>(member.rank)] = std::move(own);
    if (!arrive()) {
        return false;
    }
    all = m_told;
    return arrive();
}

void ThreadGroup::abandon()
{
    const std::scoped_lock lock(m_mutex);
    m_isAbandoned = true;
    m_changed.notify_all();
}

} // namespace cannery::tests
