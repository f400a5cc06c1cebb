// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/io/atomic_write.h"
#include "storage/io/file_system.h"

#include "core/parameters/parameters.pb.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cannery::parameters {

/// The files of one parameter server: a snapshot of its store, and a log of what has happened
/// since.
///
///     ps-<i>.snapshot   "CANNPS2\n" record(number of its log) record(piece)... record(Changed)
///     ps-<i>.<n>.log    record(Entered, Left, Pushed or Changed)...
///     record            size (8 bytes), CRC32C of the bytes (4), the bytes
///
/// Numbers are little-endian. The pieces of a snapshot are the contents of the store, in order; its
/// changes are what happened while these were copied. A record of a log that was being written when
/// the process was killed, or is damaged, is ignored, with what follows. One thread.
class Journal
{
public:
    /// An event of a log.
    struct Event
    {
        enum class Kind : std::uint32_t
        {
            Entered,
            Left,
            Pushed,
            Changed,  ///< some rows, to these values
            Leased,   ///< a batch
            Returned, ///< a batch
        };
        Kind kind = Kind::Pushed;
        std::int32_t rank = 0;
        std::uint64_t incarnation = 0;
        wire::Push push;
        wire::Changes changes;
        std::vector<std::byte> payload; ///< of the push or the changes
    };
    struct Content
    {
        std::vector<std::byte> contents;
        Event changes; ///< of the contents; with the setup
        std::vector<Event> events;
        std::uint64_t ignoredBytes = 0; ///< at the end of the log
    };

    /// In this folder, which is made when the first snapshot is written.
    Journal(std::string folder, int server, storage::FileSystem& system);

    /// What a killed process left behind; nullopt without a snapshot. Fails if it is damaged.
    Result<std::optional<Content>> load();

    /// A new snapshot: its contents in pieces of any size, then changes of them. It replaces the
    /// old one with commit(), on the disk, and the log begins anew; after a failure the old one
    /// stays.
    Result<void> begin();
    Result<void> add(std::span<const std::byte> piece);
    Result<void> commit(const Event& changes);
    /// Of the snapshot that was last committed.
    std::uint64_t snapshotSize() const { return m_snapshotSize; }

    /// After a commit(); safe from a killed process when it returns, and from a power failure after
    /// the next sync().
    Result<void> append(const Event& event);
    Result<void> sync();
    std::uint64_t logSize() const { return m_log == nullptr ? 0 : m_log->size(); }

    /// Removes all of it.
    void remove();

private:
    std::string snapshotPath() const;
    std::string logPath(std::uint64_t number) const;

    std::string m_folder;
    int m_server;
    storage::FileSystem& m_system;
    std::uint64_t m_number = 0; ///< of the log
    std::unique_ptr<storage::WritableFile> m_log;
    bool m_isSynced = true;
    std::optional<storage::AtomicFile> m_snapshot; ///< being written
    std::uint64_t m_snapshotSize = 0;
};

} // namespace cannery::parameters
