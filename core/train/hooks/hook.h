// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstdint>

namespace cannery::train {

class TrainingLoop;

/// What a step has come to.
struct StepResult
{
    std::int64_t globalStep = 0; ///< after the step; the step before is one less
    double loss = 0;             ///< before the update; may be infinite
    std::int64_t rows = 0;
};

/// Something that happens around the steps of a training loop, in the order in which hooks were
/// added. An error ends the loop at once: no later hook is called, end() neither.
class Hook
{
public:
    virtual ~Hook() = default;

    /// Before the first step, with the state restored or fresh.
    virtual Result<void> begin(TrainingLoop&) { return {}; }
    virtual Result<void> afterStep(TrainingLoop&, const StepResult&) { return {}; }
    /// Somebody wants a checkpoint of this moment. What is due by steps or seconds stays so.
    virtual Result<void> checkpoint(TrainingLoop&) { return {}; }
    /// After the last step, unless an error ended the loop, or nothing is to be saved.
    virtual Result<void> end(TrainingLoop&) { return {}; }
};

} // namespace cannery::train
