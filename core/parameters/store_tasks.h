// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/parameters/parameters.pb.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cannery::parameters {

/// The tasks that train with a parameter store: which of them are here, what each has done, and
/// which batches they compute. One call at a time.
class StoreTasks
{
public:
    /// `setup`: says how many there are and where the input begins, and keeps the leases; it
    /// outlives this.
    explicit StoreTasks(wire::Setup& setup);

    struct Presence
    {
        bool wasSeen = false;
        int conversations = 0; ///< an old one may end after a new one has begun
        bool isGone() const { return wasSeen && conversations == 0; }
    };
    /// A process of a task is here. True: it replaces an earlier one, and begins anew.
    bool enter(int rank, std::uint64_t incarnation);
    /// It has gone. False: it had been replaced.
    bool leave(int rank, std::uint64_t incarnation);
    /// Nobody is here yet: after a restart of the server.
    void forgetPresence();
    std::span<const Presence> presence() const { return m_presence; }
    bool isHere(int rank) const { return m_presence.at(index(rank)).conversations > 0; }
    /// How many tasks besides this one are here, and have not come yet.
    int othersOf(int rank) const;
    int unseen() const;

    const wire::TaskRecord& recordOf(int rank) const { return m_records.at(index(rank)); }
    std::span<const wire::TaskRecord> records() const { return m_records; }
    /// Where a task's input continues.
    wire::Position positionOf(int rank) const;
    /// As a description of the store says.
    void setRecords(const wire::Setup& setup);
    /// The first half of this push was applied.
    void begun(int rank, std::int64_t sequence);
    /// All of it was, as this step. Its batch is done, and the task has the next one.
    void applied(int rank, const wire::Push& push, std::int64_t step);

    /// Gives a task a batch, unless it has one: the first that was given back, or the next.
    wire::Leased lease(int rank);
    /// Takes it away from a task that will not compute it.
    void giveBack(int rank);
    wire::Leased leaseOf(int rank) const;

    /// Counts changes of all of this, and so of the values.
    std::int64_t changes() const { return m_changes; }

private:
    static std::size_t index(int rank) { return static_cast<std::size_t>(rank); }

    wire::Setup& m_setup;
    std::vector<Presence> m_presence;        ///< by rank
    std::vector<wire::TaskRecord> m_records; ///< by rank
    std::int64_t m_changes = 0;
};

} // namespace cannery::parameters
