// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Malicious files, piece by piece, with valid checksums where a wrong one would hide the rest.
namespace cannery::tests {

/// A block of a sorted string table with these entries, unchanged, and one restart point.
std::string tableBlock(std::string_view entries);
/// One entry: number of bytes shared with the previous key, then the rest of the key, then the
/// value.
std::string tableEntry(std::uint64_t shared, std::string_view key, std::string_view value);
/// A table of blocks with this compression (0 plain, 1 Snappy); the index names each block by this
/// key.
std::string tableOf(const std::vector<std::string>& blocks, std::string_view lastKey = "\xff",
                    char packing = 0);
/// This many bytes as a Snappy stream.
std::string snappyOf(std::uint64_t bytes);
/// gzip of a text followed by this many zero bytes.
std::string gzipOf(std::string_view begin, std::uint64_t zeros);

/// The frame of a record that states a length, with a valid checksum of it.
std::string recordHeader(std::uint64_t length);

/// A field of a message.
std::string field(int number, std::string_view bytes);
std::string field(int number, std::uint64_t value);
/// The same text this many times.
std::string times(std::size_t count, std::string_view text);

/// A serialized SavedModel with these nodes (protobuf text) and a signature "predict" with the
/// output tensor "y:0"; `more` is text of the MetaGraphDef.
std::string modelOf(const std::string& nodes, const std::string& more = {});

} // namespace cannery::tests
