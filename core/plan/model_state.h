// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/graph/lowered_model.h"
#include "core/plan/state_tensor.h"
#include "core/plan/variables.h"

#include <memory>
#include <span>
#include <vector>

namespace cannery::plan {

class DeviceStep;
class Learner;
class OwnStep;
class PartOptimizer;

/// What a checkpoint holds of a model. One controlling thread.
class ModelState
{
public:
    /// All of them outlive this.
    struct Parts
    {
        const graph::LoweredModel& lowered;
        bool training = true; ///< ModelOptions::training
        Variables& variables;
        std::span<const std::unique_ptr<PartOptimizer>> optimizers;
        OwnStep* ownStep = nullptr;   ///< null: layers and optimizers, or the learner, learn
        Learner* learner = nullptr;   ///< null: there is none
        DeviceStep* device = nullptr; ///< null: the CPU trains
    };
    explicit ModelState(const Parts& parts) : m_parts(parts) {}

    /// See Model, for all of them.
    std::vector<StateTensor> tensors();
    void startAverages();
    void swapAverages();
    bool takeAverages();

private:
    void lend();

    Parts m_parts;
};

} // namespace cannery::plan
