// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/data/sources/data_source.h"

#include <string>
#include <vector>

namespace cannery::app {

/// What a person should know about how a table was read, each in one line: lines of its files that
/// are not rows, columns that are ignored, an encoding that was guessed. One pass over a text,
/// which parses no cell. `message`: of the source. `isGuessed`: its encoding is neither stated nor
/// detected. Errors: a table without rows.
Result<std::vector<std::string>> readingRemarks(const data::DataSource& source,
                                                const spec::DataSource& message, bool isGuessed);

/// How many rows were left out, and what is wrong with the first; nothing if none was.
std::vector<std::string> leftOutRemarks(const data::ReadReport& report);

} // namespace cannery::app
