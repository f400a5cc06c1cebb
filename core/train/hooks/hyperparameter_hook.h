// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/train/hooks/hook.h"
#include "core/train/records/summary_recorder.h"

#include <vector>

namespace cannery::train {

/// Tells TensorBoard's panel HParams the settings of the training. After the hook that writes the
/// session log, whose start makes TensorBoard forget what came before.
class HyperparameterHook : public Hook
{
public:
    HyperparameterHook(SummaryRecorder& recorder,
                       std::vector<storage::Hyperparameter> hyperparameters);

    Result<void> begin(TrainingLoop& loop) override;
    std::int64_t stepsAhead(const TrainingLoop& /*loop*/) const override { return kAnySteps; }

private:
    SummaryRecorder* m_recorder;
    std::vector<storage::Hyperparameter> m_hyperparameters;
};

} // namespace cannery::train
