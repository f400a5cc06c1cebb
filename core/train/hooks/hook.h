// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <limits>

namespace cannery::train {

class TrainingLoop;

inline constexpr std::int64_t kAnySteps = std::numeric_limits<std::int64_t>::max();

/// The outcome of a step.
struct StepResult
{
    std::int64_t globalStep = 0; ///< after the step; the step before is one less
    double loss = 0;             ///< before the update; may be infinite
    std::int64_t rows = 0;
    /// Otherwise more steps have been taken, and the model is as the last of them has left it.
    bool isLatest = true;
};

/// A callback around the steps of a training loop, called in the order in which hooks were added.
/// An error ends the loop at once: neither later hooks nor end() are called.
class Hook
{
public:
    virtual ~Hook() = default;

    /// Before the first step, with the state restored or fresh.
    virtual Result<void> begin(TrainingLoop&) { return {}; }
    virtual Result<void> afterStep(TrainingLoop&, const StepResult&) { return {}; }
    /// After a batch that only prepared the model and was not a step, as those that trees find
    /// their quantiles in: the result has the global step before and after it.
    virtual Result<void> afterPreparation(TrainingLoop&, const StepResult&) { return {}; }
    /// How many steps may be taken before it is called for each of them: for none but the last it
    /// looks at the model or requests a stop. At least 1.
    virtual std::int64_t stepsAhead(const TrainingLoop&) const { return 1; }
    /// A checkpoint of this moment is requested. What is due by steps or seconds stays due.
    virtual Result<void> checkpoint(TrainingLoop&) { return {}; }
    /// After the last step, unless an error ended the loop or nothing is to be saved.
    virtual Result<void> end(TrainingLoop&) { return {}; }
};

} // namespace cannery::train
