// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cannery::serving {

/// A row to predict that has no prediction.
struct UnpredictedRow
{
    std::int64_t before = 0;                      ///< the row of its chunk that it precedes
    std::vector<std::optional<std::string>> keys; ///< of the key columns; empty if not known
    Error reason; ///< the sentence gives no advice about experiments
};

} // namespace cannery::serving
