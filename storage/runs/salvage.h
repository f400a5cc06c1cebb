// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <vector>

namespace cannery::storage {

class Database;

/// Copies from a damaged run store what the run folders do not contain: annotations, queue, sweeps
/// and view states. `damaged`: opened for repair; `fresh`: with the tables of this version, empty.
/// Rows on a damaged page are copied as they are and reported in `losses` ("runs.salvaged"), as is
/// anything that cannot be read at all.
Result<void> salvage(Database& damaged, Database& fresh, std::vector<Error>& losses);

} // namespace cannery::storage
