// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/coordinator/types.h"
#include "core/parameters/journal.h"
#include "core/parameters/parameter_store.h"

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
    /// Waits for the round that the push belongs to; Waiting: it is over.
    PushOutcome push(int rank, std::uint64_t incarnation, wire::Push push,
                     std::vector<std::byte> payload, const IsOver& isOver);

    /// Whether the chief is connected.
    bool hasChief() const;
    void end(const coordinator::JobEnd& end);
    std::optional<coordinator::JobEnd> ended() const;

    /// How often to call saveSnapshot(); 0: not at all, as every change is logged.
    double snapshotSeconds() const;
    /// If anything has changed since the last time.
    void saveSnapshot();
    void removeFiles();

private:
    /// With m_mutex locked:
    bool isDurable() const;
    void log(const Journal::Event& event);
    void replay(ParameterStore& store, std::vector<Journal::Event> events);
    void writeSnapshot(const wire::Setup& setup, std::span<const std::byte> contents);
    void warn(const Error& error);

    const Options m_options;
    mutable std::mutex m_mutex; ///< guards everything but m_journal
    std::condition_variable m_changed;
    std::optional<coordinator::MemberIdentity> m_chief;
    std::vector<std::unique_ptr<ParameterStore>> m_stores; ///< the last one counts
    bool m_isOpen = false;
    std::optional<coordinator::JobEnd> m_end;
    std::int64_t m_savedChanges = -1;
    bool m_hasWarned = false;
    std::mutex m_journalMutex; ///< locked after m_mutex
    std::unique_ptr<Journal> m_journal;
};

} // namespace cannery::parameters
