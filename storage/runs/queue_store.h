// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::storage {

class Database;

/// Where an entry of the queue stands. One that has been trained to its end is no entry any more:
/// its run says the rest.
enum class QueueState
{
    Waiting,
    Started, ///< a process trains it now
    Failed,  ///< it could not be started; stays until a person removes or starts it
};

/// "Waiting"; also the text in the store.
std::string_view name(QueueState state);

/// What somebody wants trained as soon as its turn comes.
struct QueueEntry
{
    std::int64_t id = 0;
    std::string experimentFile;         ///< absolute
    std::string experimentText;         ///< as it was when it was queued: edits come too late
    std::vector<std::string> overrides; ///< as of --set
    std::string title;                  ///< what a person calls it; empty: the file's name serves
    QueueState state = QueueState::Waiting;
    std::string reason; ///< why it failed, a sentence
    double addedAt = 0; ///< seconds since 1970
    std::optional<double> startedAt;
    std::int64_t processId = 0; ///< that trains it; 0: nobody
    std::string processStart;   ///< of that process, see processStartTime()

    bool operator==(const QueueEntry&) const = default;
};

/// The queue of a project, in its run store, so that it works without any window. Entries are
/// trained first to last by one runner; any program may change the queue. Ids are never used again.
class QueueStore
{
public:
    /// `database` is the run store's and must outlive this.
    explicit QueueStore(Database& database) : m_database(&database) {}

    /// At the end of the queue; id, state and what hangs on them are set here.
    Result<QueueEntry> add(QueueEntry entry);
    /// In the order in which they are trained.
    Result<std::vector<QueueEntry>> list();
    /// "queue.not_found" for an id that is not there.
    Result<QueueEntry> find(std::int64_t id);
    /// "queue.started" for one that is being trained: its run can be stopped instead.
    Result<void> remove(std::int64_t id);
    /// To a place among the entries, counted from 0; beyond the end means the end.
    Result<void> move(std::int64_t id, std::int64_t place);

    // For the runner.

    /// Claims the first waiting entry for this process; nothing when none waits.
    Result<std::optional<QueueEntry>> takeNext(double when);
    /// Claims this entry, waiting or failed. "queue.started" when somebody trains it already.
    Result<QueueEntry> take(std::int64_t id, double when);
    /// The entry has become a run that has ended, or goes on by itself.
    Result<void> finish(std::int64_t id);
    Result<void> fail(std::int64_t id, std::string_view reason);
    /// Waits again, at its old place.
    Result<void> putBack(std::int64_t id);

private:
    Result<void> setState(std::int64_t id, QueueState state, std::string_view reason);
    Result<void> claim(QueueEntry& entry, double when);
    Result<void> erase(std::int64_t id);

    Database* m_database;
};

} // namespace cannery::storage
