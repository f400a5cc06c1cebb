// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"

#include <optional>
#include <string>
#include <string_view>

namespace cannery::storage {

/// What a file is that no source reads, by its beginning (decompressed if it is gzip): one sentence
/// with the line that converts it. Nothing if it may be a table in text.
std::optional<Error> otherBinaryFormat(std::string_view start, const std::string& path);
/// The same for formats that are text themselves: JSON, HTML, XML, SQL, RTF.
std::optional<Error> otherTextFormat(std::string_view start, const std::string& path);

/// Whether a text begins with an object or an array of JSON, which may be cut off at its end.
bool beginsAsJson(std::string_view text);

} // namespace cannery::storage
