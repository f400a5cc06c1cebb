// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <string_view>

namespace cannery::storage {

/// Whether a text can be the name of a run, which is the name of its folder below runs/, by
/// isFolderName(). A foreign store may contain texts that cannot.
bool isRunName(std::string_view name);

/// Whether a text can be the path of an export: absolute, or below the run's folder.
bool isExportPath(std::string_view path);

/// "runs.bad_name" for anything else.
Result<void> checkRunName(std::string_view name);

} // namespace cannery::storage
