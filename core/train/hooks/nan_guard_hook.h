// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/features/encoded_rows.h"
#include "core/train/hooks/hook.h"

#include <string>

namespace cannery::train {

/// A NaN loss is the error "train.nan_loss"; an infinite one is reported once and training
/// continues, as in TensorFlow. Both name the first tensor with non-finite values, either of the
/// rows or of the model.
class NanGuardHook : public Hook
{
public:
    /// The layout of the training rows must outlive the hook.
    explicit NanGuardHook(const features::InputLayout& layout) : m_layout(&layout) {}

    Result<void> afterStep(TrainingLoop& loop, const StepResult& result) override;
    std::int64_t stepsAhead(const TrainingLoop& /*loop*/) const override { return kAnySteps; }

private:
    Result<std::string> firstBadTensor(TrainingLoop& loop) const;

    const features::InputLayout* m_layout;
    bool m_hasNotedInfinity = false;
};

} // namespace cannery::train
