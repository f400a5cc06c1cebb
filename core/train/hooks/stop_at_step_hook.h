// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/train/hooks/hook.h"

namespace cannery::train {

/// Requests a stop once the global step has reached the last one.
class StopAtStepHook : public Hook
{
public:
    explicit StopAtStepHook(std::int64_t lastStep) : m_lastStep(lastStep) {}

    Result<void> begin(TrainingLoop& loop) override;
    Result<void> afterStep(TrainingLoop& loop, const StepResult& result) override;
    std::int64_t stepsAhead(const TrainingLoop& loop) const override;

private:
    void check(TrainingLoop& loop) const;

    std::int64_t m_lastStep;
};

} // namespace cannery::train
