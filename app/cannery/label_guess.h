// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/schema.h"

#include <string>

namespace cannery::app {

/// Which column of a table a person most likely wants to predict.
struct LabelGuess
{
    std::string column;    ///< empty: none of them can be a label
    double confidence = 0; ///< 0 … 1
    std::string reason;    ///< "named as labels are, two values, the first column"
};

/// Judges by name, place and number of values; the least confident guess is still the best one.
LabelGuess guessLabel(const data::TableSchema& schema);

} // namespace cannery::app
