#pragma once

#include "core/train/hooks/hook.h"

namespace cannery::train {

/// A NaN loss is the error "train.nan_loss"; an infinite one is noted once, as in TensorFlow, which
/// goes on.
class NanGuardHook : public Hook
{
public:
    Result<void> afterStep(Session& session, const StepResult& result) override;

private:
    bool m_hasNotedInfinity = false;
};

} // namespace cannery::train
