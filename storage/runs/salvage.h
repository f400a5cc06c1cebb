// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <vector>

namespace cannery::storage {

class Database;

/// Copies from a damaged run store what no run folder tells: annotations, queue and view states.
/// `damaged`: opened for repair; `fresh`: with the tables of this version, empty. What stood on a
/// damaged page is copied as it stands there and told in `told` ("runs.salvaged"); so is what
/// cannot be read at all.
Result<void> salvage(Database& damaged, Database& fresh, std::vector<Error>& told);

} // namespace cannery::storage
