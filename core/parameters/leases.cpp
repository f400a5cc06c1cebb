// SPDX-License-Identifier: Apache-2.0
#include "core/parameters/parameter_store.h"

#include <algorithm>

namespace cannery::parameters {

namespace {

bool hasNext(const wire::Leases& leases)
{
    return !leases.has_batches() || leases.next() < leases.batches();
}

} // namespace

wire::Leased ParameterStore::lease(int rank)
{
    wire::TaskRecord& record = m_records.at(static_cast<std::size_t>(rank));
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

void ParameterStore::giveBack(int rank)
{
    wire::TaskRecord& record = m_records.at(static_cast<std::size_t>(rank));
    if (record.has_batch()) {
        auto& returned = *m_setup.mutable_leases()->mutable_returned();
        returned.Add(record.batch());
        std::ranges::sort(returned);
        record.clear_batch();
        ++m_changes;
    }
}

wire::Leased ParameterStore::leaseOf(int rank) const
{
    const wire::TaskRecord& record = m_records.at(static_cast<std::size_t>(rank));
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
