// SPDX-License-Identifier: Apache-2.0
#include "core/train/hooks/hyperparameter_hook.h"

#include "core/train/loop/training_loop.h"

namespace cannery::train {

HyperparameterHook::HyperparameterHook(SummaryRecorder& recorder,
                                       std::vector<storage::Hyperparameter> hyperparameters)
    : m_recorder(&recorder), m_hyperparameters(std::move(hyperparameters))
{}

Result<void> HyperparameterHook::begin(TrainingLoop& loop)
{
    return m_recorder->sessionStart(loop.globalStep(), m_hyperparameters);
}

} // namespace cannery::train
