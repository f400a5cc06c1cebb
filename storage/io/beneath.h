// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/io/files.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace cannery::storage {

/// Whether a name that stands in a file means something below the folder it belongs to, as far as
/// the name alone says: relative, not empty, without a part "..", without a zero byte.
bool isNameBeneath(std::string_view name);

/// Opens nothing outside: whether `name`, which stands in a file of somebody else, is there below
/// `root`, links followed. "io.outside" when it leads out of the folder.
Result<void> checkBeneath(const std::string& root, std::string_view name);

/// readWholeFile() for such a name. The system itself keeps the path below the folder where it can
/// (Linux from 5.6 on); elsewhere the real path is compared first.
Result<std::string> readWholeFileBeneath(const std::string& root, std::string_view name,
                                         std::size_t maxBytes = kLargestWholeFile);

} // namespace cannery::storage
