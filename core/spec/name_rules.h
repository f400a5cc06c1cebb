// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace cannery::spec {

/// Bytes of a name that becomes no folder.
inline constexpr std::size_t kMostNameBytes = 1000;

/// What is wrong with a name that a person or a file gave to something; nothing when it is good.
/// It appears in sentences, tables, summary tags and variable names, so it holds no zero
/// byte, no control character, nothing that is not UTF-8, and has a length.
/// "spec.bad_name", "spec.long_name".
std::optional<Error> nameProblem(std::string_view name);

/// Why a name is not isFolderName(), the rule for names that become folders; nothing when it is.
/// Besides the above: "spec.bad_folder_name".
std::optional<Error> folderNameProblem(std::string_view name);

/// A text of any bytes for a sentence: in double quotes, escaped, cut when it is long.
std::string shownName(std::string_view name);

} // namespace cannery::spec
