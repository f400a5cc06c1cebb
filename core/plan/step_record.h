// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

namespace cannery::plan {

/// What training steps leave for whoever asks, wherever they were computed.
struct StepRecord
{
    bool advanced = true;               ///< whether the last step was one; see LearnerOutcome
    float votes = 0;                    ///< against the last step of all processes
    bool wantsGradientNorm = false;     ///< of the next steps
    std::optional<double> gradientNorm; ///< of the last one
};

} // namespace cannery::plan
