// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
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
///     ps-<i>.snapshot   "CANNPS1\n" record(Setup) record(contents) number of its log
///     ps-<i>.<n>.log    record(event)...
///     record            size (8 bytes), CRC32C of the bytes (4), the bytes
///
/// Numbers are little-endian. A record that was being written when the process was killed is
/// ignored, with what follows. One thread.
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
            Pushed
        };
        Kind kind = Kind::Pushed;
        std::int32_t rank = 0;
        std::uint64_t incarnation = 0;
        wire::Push push;
        std::vector<std::byte> payload;
    };
    struct Content
    {
        wire::Setup setup;
        std::vector<std::byte> contents;
        std::vector<Event> events;
    };

    /// In this folder, which is made when the first snapshot is written.
    Journal(std::string folder, int server, storage::FileSystem& system);

    /// What a killed process left behind; nullopt without a snapshot. Fails if it is damaged.
    Result<std::optional<Content>> load();
    /// Replaces the snapshot; the log begins anew.
    Result<void> save(const wire::Setup& setup, std::span<const std::byte> contents);
    /// After a save().
    Result<void> append(const Event& event);
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
};

} // namespace cannery::parameters
