// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cannery::storage {

/// The number that names a version folder of a SavedModel ("1700000000"); nothing for any other
/// name. Servers use the greatest.
std::optional<std::int64_t> versionOf(std::string_view name);

/// The greatest version in a folder; 0 if there is none, or no folder.
std::int64_t greatestVersion(const std::string& base);

/// A number for a new version in a folder: `wanted`, or one above the greatest existing, so that a
/// new model is never older after the clock was set back. "saved_model.versions_exhausted" if no
/// number is above it.
Result<std::int64_t> nextVersion(const std::string& base, std::int64_t wanted);

/// "0000000007", at least ten digits, as in TensorFlow.
std::string versionName(std::int64_t version);

} // namespace cannery::storage
