// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/train/hooks/early_stopping_hook.h"

#include <cstdint>
#include <string>

namespace cannery::train {

enum class Better
{
    Higher,
    Lower,
};

/// Stops if any evaluation from `minSteps` on is beyond the threshold. A metric that an evaluation
/// lacks is the error "train.unknown_metric".
StopPredicate stopIfBeyond(Better side, const std::string& metric, double threshold,
                           std::int64_t minSteps);

/// Stops when the best value of the evaluations from `minSteps` on is that many steps old. Only a
/// strictly better value is a new best.
StopPredicate stopIfNoBetter(Better side, const std::string& metric, std::int64_t maxSteps,
                             std::int64_t minSteps);

} // namespace cannery::train
