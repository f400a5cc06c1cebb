// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/coordinator/types.h"
#include "core/parameters/journal.h"
#include "core/parameters/parameter_store.h"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace cannery::parameters {

/// A parameter server's store with its files, shared by the conversations with all tasks. Any
/// thread; what waits asks `isOver` ten times a second whether it still should.
class ServedShare
{
public:
    struct Options
    {
        int server = 0;
        int threads = 1;
        coordinator::MemberIdentity own; ///< token and version
        std::vector<std::string> tasks;  ///< by rank
        std::chrono::milliseconds longestWait{};
        std::function<void(const coordinator::Note&)> onNote;
        storage::FileSystem* system = nullptr;
        /// A task that is away for longer does not keep others from its batch.
        std::chrono::milliseconds longestAbsence = std::chrono::seconds(10);
        /// A durable log longer than this, and than the snapshot, is replaced by a new snapshot.
        std::uint64_t longestLog = std::uint64_t{256} << 20U;
    };
    using IsOver = std::function<bool()>;

    explicit ServedShare(Options options);

    /// Why a process may not take part; nothing if it may. The chief's experiment is the one that
    /// counts.
    std::optional<Error> objectionTo(const coordinator::MemberIdentity& candidate);
    /// Waits until the chief has filled the store and opened it. False: it did not come in time, or
    /// it is over.
    bool awaitSetup(const IsOver& isOver);
    /// The chief has saved what it filled the store with, and begins: others may.
    void open();
    /// Null until it is filled. Stays in place; its values may be read under mutex().
    ParameterStore* store();
    std::mutex& mutex() { return m_mutex; }
    int threads() const { return m_options.threads; }

    /// Continues from the snapshot of the setup's session; false if there is none.
    Result<bool> resume(const wire::Setup& setup);
    /// Takes a store that was made from the chief's message and filled.
    void install(std::unique_ptr<ParameterStore> store);

    wire::Welcome enter(int rank, std::uint64_t incarnation);
    void leave(int rank, std::uint64_t incarnation);
    /// Waits for the round that the push belongs to; Waiting: it is over. Leaves the memory of the
    /// payload to the caller, for the next one, unless the push waited.
    PushOutcome push(int rank, std::uint64_t incarnation, wire::Push push,
                     std::vector<std::byte>& payload, const IsOver& isOver);

    /// The batch that a task is to compute. If none are left but those of tasks that have been away
    /// for long, these. Nothing: another process has replaced the task's.
    std::optional<wire::Leased> lease(int rank, std::uint64_t incarnation);
    wire::Leased leaseOf(int rank) const;
    /// By a task that ends without having computed it.
    void giveBack(int rank, std::uint64_t incarnation);

    /// Whether the chief is connected.
    bool hasChief() const;
    void end(const coordinator::JobEnd& end);
    std::optional<coordinator::JobEnd> ended() const;

    /// How often to call saveChanges(); 0: not at all, as every change is logged.
    double snapshotSeconds() const;
    /// Writes the rows that have changed since the last time, or a new snapshot once these are more
    /// than the last one. Others work meanwhile. One thread.
    void saveChanges();
    void removeFiles();

private:
    using Clock = std::chrono::steady_clock;

    /// With m_mutex locked:
    bool isDurable() const;
    void log(const Journal::Event& event);
    void takeBack(int rank);
    /// With both locked:
    Result<std::unique_ptr<ParameterStore>> load(const wire::Setup& setup);
    void take(std::unique_ptr<ParameterStore> store);
    void writeSnapshot();
    void logPresence();
    Result<void> trySnapshot();
    /// With m_journalMutex locked: of what was written.
    void check(const Result<void>& written);
    /// With none locked:
    void syncLog();
    Result<void> copySnapshot(int filling);
    Result<void> write(int filling, const std::function<Result<void>(Journal& journal)>& how);
    void note(const Error& error);

    const Options m_options;
    mutable std::mutex m_mutex; ///< guards everything that is not the journal's
    std::condition_variable m_changed;
    std::optional<coordinator::MemberIdentity> m_chief;
    std::vector<std::unique_ptr<ParameterStore>> m_stores; ///< the last one counts
    int m_fillings =
        0; ///< counts stores and journals; changed with both mutexes locked, as they are
    bool m_isOpen = false;
    std::optional<coordinator::JobEnd> m_end;
    std::int64_t m_savedChanges = -1;
    std::vector<Clock::time_point> m_lastHere; ///< by rank; of those that are not
    std::mutex m_journalMutex;                 ///< locked after m_mutex; guards the members below
    std::unique_ptr<Journal> m_journal;
    bool m_needsSnapshot = false; ///< something is missing in the log
    Clock::time_point m_nextTry;  ///< of a durable one
    bool m_hasWarned = false;
};

} // namespace cannery::parameters
