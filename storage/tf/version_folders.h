// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cannery::storage {

/// The number that a version folder of a SavedModel is named by ("1700000000"); nothing for any
/// other name. Servers take the greatest.
std::optional<std::int64_t> versionOf(std::string_view name);

/// The greatest version in a folder; 0 when there is none, or no folder.
std::int64_t greatestVersion(const std::string& base);

/// A number for a new version in a folder: `wanted`, or the one above the greatest that is there,
/// so that a clock that was set back makes no new model an old one.
/// "saved_model.versions_exhausted" when no number is above it.
Result<std::int64_t> nextVersion(const std::string& base, std::int64_t wanted);

/// "0000000007", at least ten digits, as TensorFlow names them.
std::string versionName(std::int64_t version);

} // namespace cannery::storage
