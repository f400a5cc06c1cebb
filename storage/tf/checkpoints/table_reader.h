// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace cannery::storage {

/// One row of a sorted string table.
struct TableRow
{
    std::string key;
    std::string value;

    bool operator==(const TableRow&) const = default;
};

/// Maximum number of rows of a table: variables of a checkpoint.
inline constexpr std::size_t kMaxTableRows = std::size_t{1} << 20U;
/// Maximum bytes of all rows in memory: keys share prefixes in the file, and blocks are compressed.
inline constexpr std::size_t kMaxTableBytes = std::size_t{160} << 20U;

/// Reads a whole sorted string table (LevelDB's format, with blocks plain or compressed by Snappy)
/// from its bytes. Every checksum is verified, and nothing is allocated that the bytes cannot hold.
/// `name` is used in errors: DataLoss, or ResourceExhausted beyond a limit above. Rows are in the
/// order of their keys, strictly ascending.
///
///   table   = data block*, metaindex block, index block, footer
///   block   = entries, restart offsets (uint32 each), their number (uint32)
///   trailer = type (0 plain, 1 Snappy), masked crc32c of block and type; after each block
///   entry   = varint shared, varint unshared, varint value size, rest of key, value
///   footer  = metaindex handle, index handle, zeros up to 40 bytes, magic (8 bytes)
///   handle  = varint offset, varint size
Result<std::vector<TableRow>> readTable(std::string_view bytes, const std::string& name);

} // namespace cannery::storage
