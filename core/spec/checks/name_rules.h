// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace cannery::spec {

/// Maximum bytes of a name that does not become a folder.
inline constexpr std::size_t kMostNameBytes = 1000;

/// What is wrong with a user-provided name; nothing if it is valid. Names appear in messages,
/// tables, summary tags and variable names, so they contain no zero byte or control character, are
/// valid UTF-8, and have limited length. "spec.bad_name", "spec.long_name".
std::optional<Error> nameProblem(std::string_view name);

/// The same of a column of a table, whose header may also have line breaks and tabs in its names,
/// which may be of any length.
std::optional<Error> columnNameProblem(std::string_view name);

/// Why a name is not isFolderName(), the rule for names that become folders; nothing if it is. In
/// addition to the above: "spec.bad_folder_name".
std::optional<Error> folderNameProblem(std::string_view name);

/// A text of any bytes for a message: in double quotes, escaped, truncated if it is long.
std::string shownName(std::string_view name);

} // namespace cannery::spec
