// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/reports/learning_rates.h"
#include "app/cannery/reports/strategy_plan.h"
#include "core/base/result.h"
#include "core/spec/experiment.pb.h"
#include "core/train/checkpoints/state_snapshot.h"
#include "core/train/checkpoints/warm_start.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace cannery::app {

/// One layer of a model. Widths are floats per row, or per step of a sequence; embeddings and
/// indicators count as dense.
struct PlannedLayer
{
    std::string name; ///< TensorFlow's scope: "dnn/hiddenlayer_0"
    std::string type; ///< "dense", "embedding", …
    std::vector<std::int64_t> inputs;
    std::int64_t width = 0;
    std::vector<std::int64_t> shape; ///< of a row or step: `width` numbers
    bool readsSteps = false;         ///< the first inputs are sequences
    bool givesSteps = false;
    std::int64_t parameters = 0;
    std::int64_t trainableParameters = 0;
    std::int64_t multiplyAdds = 0; ///< of one row or step, forward
};

/// What a warm start takes over.
struct PlannedWarmStart
{
    std::string checkpoint;                          ///< its prefix
    std::vector<std::string> restored;               ///< variables, by name
    std::vector<std::string> fresh;                  ///< those left at their initial values
    std::optional<Error> problem;                    ///< set if training would refuse it
    std::vector<train::WarmStartVariable> variables; ///< what happens to each
    std::vector<std::string> patterns;               ///< what the variables are selected by
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
    std::int64_t batchesPerStep = 1;
    std::optional<std::int64_t> steps; ///< empty if training never ends by itself

    // Bytes.
    std::int64_t stateBytes = 0;      ///< weights, statistics and optimizer slots: a checkpoint
    std::int64_t gradientBytes = 0;   ///< of a step
    std::int64_t activationBytes = 0; ///< of the batches of a step, with their gradients
    std::int64_t rowBytes = 0;        ///< encoded rows held in memory
    std::int64_t learnerBytes = 0;    ///< what a learner (trees) keeps besides its state
    /// The copy of the state that a checkpoint is written from while training continues.
    std::int64_t checkpointCopyBytes() const
    {
        return stateBytes < train::kLeastBytesBehind ? 0 : stateBytes;
    }
    std::int64_t memoryBytes() const
    {
        return stateBytes + checkpointCopyBytes() + gradientBytes + activationBytes + rowBytes +
               learnerBytes;
    }

    std::optional<PlannedWarmStart> warmStart; ///< if the experiment has one
    /// One for each optimizer, over the planned steps.
    std::vector<LearningRateCurve> learningRates;

    /// From some steps on the first rows, on this machine; 0: not measured.
    double secondsPerStep = 0;
    double secondsPerStepLow = 0;  ///< in the fastest part of the measurement
    double secondsPerStepHigh = 0; ///< in the slowest
    double secondsPerEpoch = 0;
    int measuredSteps = 0;
    bool mayTrainOnGpu = false; ///< all the same measured on the CPU
    /// The most that the process had resident while it built the model, read the table and took
    /// these steps; 0: unknown.
    std::int64_t measuredBytes = 0;
    std::int64_t programBytes = 0; ///< what it had resident before that; 0: unknown
    std::int64_t measuredRows = 0; ///< that it held meanwhile
    /// The whole training with its evaluations; empty if not measured or if training never ends.
    std::optional<double> seconds;
    /// `seconds` at the highest and at the lowest measured speed.
    double secondsLow = 0;
    double secondsHigh = 0;

    StrategyPlan strategies;
};

struct PlanRequest
{
    const spec::Experiment& experiment; ///< valid; resolved or not
    std::string folder;                 ///< where its relative paths start
    bool measure = true;                ///< train a throwaway model for a moment
    StrategyOptions strategies = {};
    /// Of the learning rates alone: the rows to train on, if they are known; otherwise counted.
    std::optional<std::int64_t> trainRows = std::nullopt;
    std::function<void(const std::string&)> progress;
};

/// Builds the model as training would, counts the rows (one pass over the data) and takes some
/// steps. Errors: those of the experiment and its data.
Result<ModelPlan> planTraining(const PlanRequest& request);

/// Only the learning rates. Builds no model, and reads the table only if the number of steps
/// depends on its rows and they are not known.
Result<std::vector<LearningRateCurve>> planLearningRates(const PlanRequest& request);

} // namespace cannery::app
