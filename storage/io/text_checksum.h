// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cannery::storage {

/// The text with a line "# crc32c 1f2e3d4c: delete this line when you edit" put in at a byte where
/// a line begins: the CRC32C of all the rest. Formats in which '#' begins a comment read such a
/// file unchanged.
std::string withChecksumLine(std::string_view text, std::size_t at = 0);

/// False when the text has such a line and the rest is not what it was. A text without one (older,
/// TensorFlow's, edited) is taken as it is.
bool hasSoundChecksum(std::string_view text);

/// Whether the text has such a line, sound or not.
bool hasChecksumLine(std::string_view text);

/// "1f2e3d4c", as it stands in the files of a run.
std::string checksumText(std::string_view content);

} // namespace cannery::storage
