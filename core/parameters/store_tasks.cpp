// SPDX-License-Identifier: Apache-2.0
#include "core/parameters/store_tasks.h"

#include <algorithm>

namespace cannery::parameters {

namespace {

bool hasNext(const wire::Leases& leases)
{
    return !leases.has_batches() || leases.next() < leases.batches();
}

} // namespace

StoreTasks::StoreTasks(wire::Setup& setup)
    : m_setup(setup), m_presence(static_cast<std::size_t>(setup.tasks()))
{
    setRecords(setup);
}

bool StoreTasks::enter(int rank, std::uint64_t incarnation)
{
    wire::TaskRecord& record = m_records.at(index(rank));
    Presence& presence = m_presence[index(rank)];
    // A connection that has broken may be found out about only after its successor is there:
    // conversations are counted, so that the end of the old one does not send the task away.
    presence.wasSeen = true;
    ++presence.conversations;
    if (record.incarnation() == incarnation) {
        return false;
    }
    // A new process of the task, which numbers its pushes anew. leave() of the predecessor has no
    // effect from now on.
    presence.conversations = 1;
    record.set_incarnation(incarnation);
    record.set_sequence(0);
    record.clear_begun();
    ++m_changes;
    return true;
}

bool StoreTasks::leave(int rank, std::uint64_t incarnation)
{
    Presence& presence = m_presence.at(index(rank));
    if (m_records[index(rank)].incarnation() != incarnation || presence.conversations == 0) {
        return false;
    }
    --presence.conversations;
    return true;
}

void StoreTasks::forgetPresence()
{
    std::ranges::fill(m_presence, Presence());
}

void StoreTasks::setRecords(const wire::Setup& setup)
{
    m_records.assign(m_presence.size(), {});
    for (std::size_t rank = 0; rank < m_records.size(); ++rank) {
        m_records[rank].set_rank(static_cast<int>(rank));
    }
    for (const wire::TaskRecord& record : setup.record()) {
        if (record.rank() >= 0 && record.rank() < m_setup.tasks()) {
            m_records[static_cast<std::size_t>(record.rank())] = record;
        }
    }
}

void StoreTasks::begun(int rank, std::int64_t sequence)
{
    m_records[index(rank)].set_begun(sequence);
    ++m_changes;
}

void StoreTasks::applied(int rank, const wire::Push& push, std::int64_t step)
{
    wire::TaskRecord& record = m_records[index(rank)];
    record.set_sequence(push.sequence());
    record.set_step(step);
    *record.mutable_position() = push.position();
    ++m_changes;
    if (push.has_batch()) {
        record.clear_batch();
        (void)lease(rank);
    }
}

wire::Position StoreTasks::positionOf(int rank) const
{
    const wire::TaskRecord& record = m_records.at(index(rank));
    return record.has_position() ? record.position() : m_setup.position();
}

int StoreTasks::othersOf(int rank) const
{
    int others = 0;
    for (std::size_t other = 0; other < m_presence.size(); ++other) {
        const bool isHere = m_presence[other].conversations > 0;
        others += isHere && static_cast<int>(other) != rank ? 1 : 0;
    }
    return others;
}

int StoreTasks::unseen() const
{
    return static_cast<int>(std::ranges::count(m_presence, false, &Presence::wasSeen));
}

wire::Leased StoreTasks::lease(int rank)
{
    wire::TaskRecord& record = m_records.at(index(rank));
    wire::Leases& leases = *m_setup.mutable_leases();
    if (record.has_batch()) {
        return leaseOf(rank);
    }
    if (!leases.returned().empty()) {
        record.set_batch(leases.returned(0));
        leases.mutable_returned()->erase(leases.returned().begin());
        ++m_changes;
    } else if (hasNext(leases)) {
        record.set_batch(leases.next());
        leases.set_next(leases.next() + 1);
        ++m_changes;
    }
    return leaseOf(rank);
}

void StoreTasks::giveBack(int rank)
{
    wire::TaskRecord& record = m_records.at(index(rank));
    if (record.has_batch()) {
        auto& returned = *m_setup.mutable_leases()->mutable_returned();
        returned.Add(record.batch());
        std::ranges::sort(returned);
        record.clear_batch();
        ++m_changes;
    }
}

wire::Leased StoreTasks::leaseOf(int rank) const
{
    const wire::TaskRecord& record = m_records.at(index(rank));
    const wire::Leases& leases = m_setup.leases();
    wire::Leased leased;
    if (record.has_batch()) {
        leased.set_batch(record.batch());
    }
    std::int64_t open = leases.next();
    bool isComputed = false; // by anybody
    for (const wire::TaskRecord& other : m_records) {
        if (other.has_batch()) {
            open = std::min(open, other.batch());
            isComputed = true;
        }
    }
    for (const std::int64_t batch : leases.returned()) {
        open = std::min(open, batch);
    }
    leased.set_first_open(open);
    leased.set_is_over(!isComputed && leases.returned().empty() && !hasNext(leases));
    return leased;
}

} // namespace cannery::parameters
