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

/// State of a queue entry. A completed training is no longer an entry: its run has the result.
enum class QueueState
{
    Waiting,
    Started, ///< a process is training it
    Failed,  ///< could not be started; stays until the user removes or starts it
};

/// "Waiting"; also the text in the store.
std::string_view name(QueueState state);

/// A training that starts when its turn comes.
struct QueueEntry
{
    std::int64_t id = 0;
    std::string experimentFile;         ///< absolute
    std::string experimentText;         ///< as of when it was queued; later edits have no effect
    std::vector<std::string> overrides; ///< as given to --set
    std::string title;                  ///< given by the user; if empty, the file's name is used
    QueueState state = QueueState::Waiting;
    std::string reason; ///< why it failed, a sentence
    double addedAt = 0; ///< seconds since 1970
    std::optional<double> startedAt;
    std::int64_t processId = 0; ///< of the training process; 0: none
    std::string processStart;   ///< of that process, see processStartTime()

    bool operator==(const QueueEntry&) const = default;
};

/// The queue of a project, stored in its run store, so that it works without the workbench. Entries
/// are trained first to last by one runner; any program may change the queue. Ids are never reused.
class QueueStore
{
public:
    /// `database` is the run store's and must outlive this object.
    explicit QueueStore(Database& database) : m_database(&database) {}

    /// Appends to the queue; sets id, state and the dependent fields.
    Result<QueueEntry> add(QueueEntry entry);
    /// In the order in which they are trained.
    Result<std::vector<QueueEntry>> list();
    /// "queue.not_found" for an unknown id.
    Result<QueueEntry> find(std::int64_t id);
    /// "queue.started" for one that is being trained: stop its run instead.
    Result<void> remove(std::int64_t id);
    /// Moves to an index among the entries, from 0; beyond the end means the end.
    Result<void> move(std::int64_t id, std::int64_t place);

    /// Tells the entries that are not being trained that their experiment file was moved.
    Result<void> moveFile(std::string_view from, std::string_view to);

    // For the runner.

    /// Claims the first waiting entry for this process; nothing if none is waiting.
    Result<std::optional<QueueEntry>> takeNext(double when);
    /// Claims this entry, waiting or failed. "queue.started" if a process already trains it.
    Result<QueueEntry> take(std::int64_t id, double when);
    /// The entry has become a run that has ended, or that continues on its own.
    Result<void> finish(std::int64_t id);
    Result<void> fail(std::int64_t id, std::string_view reason);
    /// Back to waiting, at its old index.
    Result<void> putBack(std::int64_t id);

private:
    Result<void> setState(std::int64_t id, QueueState state, std::string_view reason);
    Result<void> claim(QueueEntry& entry, double when);
    Result<void> erase(std::int64_t id);

    Database* m_database;
};

} // namespace cannery::storage
