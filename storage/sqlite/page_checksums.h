// SPDX-License-Identifier: Apache-2.0
#pragma once

struct sqlite3;

namespace cannery::storage {

/// The number of bytes at the end of every page that hold its checksum; also stored in the file's
/// header, so any other SQLite program skips them.
inline constexpr int kPageChecksumBytes = 8;

/// The name of a VFS under which SQLite's pages carry checksums, registered by the first call; any
/// thread.
///
/// Pages that a database with space for them (kPageChecksumBytes reserved) writes to its main file
/// end with "CRC", a version, and the CRC32C of page number and content; pages read are checked,
/// and a mismatch is SQLITE_IOERR_DATA. In memory and in the write-ahead log, which has its own
/// checksums, the bytes are zeros. A page that another program copied from the log to the file also
/// ends with zeros: it is indistinguishable from a damaged or forged one, so it counts as damaged.
const char* pageChecksumVfs();

/// Makes this connection return damaged pages as they are.
void believeDamagedPages(sqlite3* database);

} // namespace cannery::storage
