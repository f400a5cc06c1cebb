// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/sweep/search.h"

namespace cannery::sweep {

// Methods whose trials do not depend on any score: all are decided at once.

/// Every combination of the parameters' values.
Result<std::unique_ptr<Search>> makeGridSearch(const spec::Experiment& experiment,
                                               ParameterSpace space);
/// Combinations drawn at random: the i-th is always the same.
Result<std::unique_ptr<Search>> makeRandomSearch(const spec::Experiment& experiment,
                                                 ParameterSpace space);
/// Every combination once for each fold, which is held back; a group for each combination.
Result<std::unique_ptr<Search>> makeCrossValidation(const spec::Experiment& experiment,
                                                    ParameterSpace space);

} // namespace cannery::sweep
