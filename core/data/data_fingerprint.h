// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <string>
#include <vector>

namespace cannery::data {

/// A hash of the contents of some files in their order, 16 hexadecimal digits. Names and times do
/// not count: a copy of a table has the same fingerprint.
Result<std::string> fingerprintFiles(const std::vector<std::string>& paths);

} // namespace cannery::data
