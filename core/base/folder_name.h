// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace cannery {

/// Of the 255 that file systems take: a few letters may come before or behind it.
inline constexpr std::size_t kMostFolderNameBytes = 240;

/// A byte below 0x20, or DEL.
bool isControlCharacter(char character);

/// Whether a name that a person or a file gives may become the name of one folder (or file): not
/// empty, neither "." nor "..", without a slash, a zero byte or another control character, valid
/// UTF-8, and not longer than kMostFolderNameBytes. The one rule for runs, exports and exporters.
bool isFolderName(std::string_view name);

} // namespace cannery
