// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <string>

namespace cannery::data {

/// Whether a file begins as a TFRecord file does; an empty one does, too. Errors: an unreadable
/// file.
Result<bool> beginsAsRecords(const std::string& path);

/// Whether a file can be read and begins with a record.
bool holdsRecords(const std::string& path);

} // namespace cannery::data
