// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace cannery {

/// File systems allow 255; leaves room for a prefix or suffix.
inline constexpr std::size_t kMostFolderNameBytes = 240;

/// A byte below 0x20, or DEL.
bool isControlCharacter(char character);

/// Whether a user-provided name may become the name of a single folder (or file): not empty,
/// neither "." nor "..", without a slash, a zero byte or another control character, valid UTF-8,
/// and not longer than kMostFolderNameBytes. The one rule for runs, exports and exporters.
bool isFolderName(std::string_view name);

} // namespace cannery
