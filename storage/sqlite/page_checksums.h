// SPDX-License-Identifier: Apache-2.0
#pragma once

struct sqlite3;

namespace cannery::storage {

/// The bytes at the end of every page that hold its checksum; they stand in the file's header too,
/// so that any other SQLite program passes over them.
inline constexpr int kPageChecksumBytes = 8;

/// The name of a way to the disk under which SQLite's pages carry checksums, registered by the
/// first call; from any thread.
///
/// What a database with room for them (kPageChecksumBytes reserved) writes to its main file ends
/// with "CRC" and a version, and the CRC32C of its place and its content; what is read is held
/// against that, and a page that does not agree is SQLITE_IOERR_DATA. In memory and in the
/// write-ahead log, which has checksums of its own, the bytes are zeros. A page that another
/// program brought from the log to the file ends with zeros too: nobody can tell it from a damaged
/// or a forged one, so it counts as damaged.
const char* pageChecksumVfs();

/// This connection gets damaged pages as they stand.
void believeDamagedPages(sqlite3* database);

} // namespace cannery::storage
