// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// String tensors as stored in a checkpoint's data file:
///
///   tensor = length (varint) of each element, masked crc32c of the lengths, the strings
///
/// The lengths' checksum is over each length as uint32, as uint64 beyond 4 GiB.
namespace cannery::storage::detail {

/// Appends lengths and their checksum; the strings follow unchanged. Returns the checksum over
/// everything before the strings, to be continued over them.
std::uint32_t putStringLengths(std::string& bytes, std::span<const std::string> strings);

enum class StringTensorProblem
{
    None,
    Lengths,  ///< the lengths do not match the bytes
    Checksum, ///< of the lengths or of the whole
};

/// Splits `count` strings; `crc` is the unmasked checksum of the entry. The caller ensures that
/// count is at most the number of bytes.
StringTensorProblem getStrings(std::string_view bytes, std::size_t count, std::uint32_t crc,
                               std::vector<std::string>& strings);

} // namespace cannery::storage::detail
