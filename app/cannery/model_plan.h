// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/spec/experiment.pb.h"
#include "core/train/state_snapshot.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace cannery::app {

/// One layer of a model. Widths are floats per row; embeddings and indicators count as dense.
struct PlannedLayer
{
    std::string name; ///< TensorFlow's scope: "dnn/hiddenlayer_0"
    std::string type; ///< "dense", "embedding", …
    std::vector<std::int64_t> inputs;
    std::int64_t width = 0;
    std::int64_t parameters = 0;
    std::int64_t trainableParameters = 0;
    std::int64_t multiplyAdds = 0; ///< of one row, forward
};

/// What training an experiment will take.
struct ModelPlan
{
    std::string estimator;
    std::vector<PlannedLayer> layers;
    std::int64_t parameters = 0;
    std::int64_t trainableParameters = 0;
    std::int64_t multiplyAdds = 0;          ///< of one row, forward
    std::optional<std::int64_t> wideInputs; ///< floats per row of the linear part
    std::optional<std::int64_t> deepInputs; ///< floats per row of the deep part
    std::int64_t trainRows = 0;
    std::int64_t evalRows = 0;
    std::optional<std::int64_t> steps; ///< empty if training never ends by itself

    // Bytes.
    std::int64_t stateBytes = 0;      ///< weights, statistics and optimizer slots: a checkpoint
    std::int64_t gradientBytes = 0;   ///< at most
    std::int64_t activationBytes = 0; ///< of one batch with its gradients
    std::int64_t rowBytes = 0;        ///< encoded rows held in memory
    /// The copy of the state that a checkpoint is written from while training continues.
    std::int64_t checkpointCopyBytes() const
    {
        return stateBytes < train::kLeastBytesBehind ? 0 : stateBytes;
    }
    std::int64_t memoryBytes() const
    {
        return stateBytes + checkpointCopyBytes() + gradientBytes + activationBytes + rowBytes;
    }

    /// From some steps on the first rows, on this machine; 0: not measured.
    double secondsPerStep = 0;
    double secondsPerEpoch = 0;
    int measuredSteps = 0;
    /// The whole training with its evaluations; empty if not measured or if training never ends.
    std::optional<double> seconds;
};

struct PlanRequest
{
    const spec::Experiment& experiment; ///< valid; resolved or not
    std::string folder;                 ///< where its relative paths start
    bool measure = true;                ///< train a throwaway model for a moment
    std::function<void(const std::string&)> progress;
};

/// Builds the model as training would, counts the rows (one pass over the data) and takes some
/// steps. Errors: those of the experiment and its data.
Result<ModelPlan> planTraining(const PlanRequest& request);

} // namespace cannery::app
