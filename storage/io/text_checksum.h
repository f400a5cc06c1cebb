// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cannery::storage {

/// Inserts a line "# crc32c 1f2e3d4c: delete this line when you edit" at the beginning of a line of
/// the text: the CRC32C of all the rest. Formats in which '#' begins a comment read such a file
/// unchanged.
std::string withChecksumLine(std::string_view text, std::size_t at = 0);

/// False if the text has such a line and the rest has changed. A text without one (older,
/// TensorFlow's, edited) is accepted.
bool hasSoundChecksum(std::string_view text);

/// Whether the text has such a line, valid or not.
bool hasChecksumLine(std::string_view text);

/// "1f2e3d4c", the form used in the files of a run.
std::string checksumText(std::string_view content);

} // namespace cannery::storage
