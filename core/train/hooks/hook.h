// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstdint>

namespace cannery::train {

class TrainingLoop;

/// The outcome of a step.
struct StepResult
{
    std::int64_t globalStep = 0; ///< after the step; the step before is one less
    double loss = 0;             ///< before the update; may be infinite
    std::int64_t rows = 0;
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
    /// A checkpoint of this moment is requested. What is due by steps or seconds stays due.
    virtual Result<void> checkpoint(TrainingLoop&) { return {}; }
    /// After the last step, unless an error ended the loop or nothing is to be saved.
    virtual Result<void> end(TrainingLoop&) { return {}; }
};

} // namespace cannery::train
