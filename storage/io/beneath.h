// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/io/files.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace cannery::storage {

/// Whether a name from a file stays below the folder it belongs to, judging by the name alone:
/// relative, not empty, without a part "..", without a zero byte.
bool isNameBeneath(std::string_view name);

/// Whether `name`, which comes from a foreign file, exists below `root`, following links; opens
/// nothing outside. "io.outside" if it leads out of the folder.
Result<void> checkBeneath(const std::string& root, std::string_view name);

/// readWholeFile() for such a name. The system itself confines the path to the folder if it can
/// (Linux 5.6 and later); otherwise the real path is compared first.
Result<std::string> readWholeFileBeneath(const std::string& root, std::string_view name,
                                         std::size_t maxBytes = kLargestWholeFile);

} // namespace cannery::storage
