// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/typing/schema.h"

#include <string>

namespace cannery::advice {

/// The column of a table that the user most likely wants to predict.
struct LabelGuess
{
    std::string column;    ///< empty if none of them can be a label
    double confidence = 0; ///< 0 … 1
    std::string reason;    ///< "named like a label, two values, the first column"
};

/// Judges by name, position and number of values; even an unconfident guess is the best one.
LabelGuess guessLabel(const data::TableSchema& schema);

} // namespace cannery::advice
