// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <string>
#include <vector>

namespace cannery::storage {

/// The files and folders that paths and globs name, in order of name; a glob never names a folder.
/// Errors: no pattern, a pattern that nothing matches.
Result<std::vector<std::string>> expandPatterns(const std::vector<std::string>& patterns);

/// The same for tables that are files: a folder is an error as well.
Result<std::vector<std::string>> expandToFiles(const std::vector<std::string>& patterns);

} // namespace cannery::storage
