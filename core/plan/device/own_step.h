// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/features/encoded_rows.h"
#include "core/heads/head.h"
#include "core/layers/layer_buffers.h"
#include "core/plan/class_weights.h"
#include "core/plan/last_step.h"
#include "core/plan/network.h"
#include "core/plan/state_tensor.h"
#include "core/plan/variables.h"
#include "kernels/device/thread_pool.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cannery::plan {

/// What a step of its own works with; valid for one call.
struct OwnStepContext
{
    Variables& variables; ///< of the model's graph
    Network& network;     ///< has bound the batch to its inputs, and computed nothing yet
    heads::Head& head;
    kernels::ThreadPool& pool;
    std::span<layers::Worker> workers;              ///< one per thread of the pool
    std::uint64_t seed = 0;                         ///< of the run
    std::int64_t step = 0;                          ///< the global step before this one
    std::span<const ClassWeight> classWeights = {}; ///< may be empty
};

/// The same for an accelerator.
struct OwnStepPlacement
{
    const layers::Placement& placed; ///< its program has mirrors of variables, values and memory()
    Variables& variables;
    Network& network;       ///< its inputs are bound to the batch there
    double* loss = nullptr; ///< of a step before its update: goes there
};

/// What an OwnStep has that an accelerator can take, too.
class PlacedOwnStep
{
public:
    virtual ~PlacedOwnStep() = default;

    /// What train() does before its very first update, on the host: until it is done, it is asked
    /// for with the batch of the next step. Errors: as train().
    virtual bool hasStarted() const = 0;
    virtual Result<void> start(const features::EncodedRows& batch,
                               const OwnStepContext& context) = 0;
    /// State besides the variables, which has a mirror there. Stays where it is.
    virtual std::vector<std::span<std::byte>> memory() = 0;
    /// What train() does after that. Errors: of placing layers.
    virtual Result<void> place(const OwnStepPlacement& placement) = 0;
    /// The loss of each step taken there, in order.
    virtual void takeLoss(double loss) = 0;
};

/// How layers learn that are not trained by gradient descent: those of k-means, and linear models
/// by dual coordinate ascent. The layers still predict, evaluate and are exported as any others (a
/// plan::Learner replaces them). LoweredModel::makeStep makes one for each
/// Model that trains or is restored; it keeps the state that is no variable of the graph. One
/// controlling thread at a time; the same bits for any number of threads.
class OwnStep
{
public:
    virtual ~OwnStep() = default;

    /// One step on a batch of labelled rows: updates the variables and its own state, and returns
    /// the loss before the update. Errors: the batch cannot be learned from; nothing has changed.
    virtual Result<double> train(const features::EncodedRows& batch,
                                 const OwnStepContext& context) = 0;
    /// A sentence if the training has come to its end by itself, and whether it ever may.
    virtual std::optional<std::string> end() const { return std::nullopt; }
    virtual bool mayEnd() const { return false; }
    /// Null: only CPUs take this step.
    virtual PlacedOwnStep* onAccelerator() { return nullptr; }

    /// Adds its tensors to those of the graph's variables, which it may also change: a variable
    /// that has no value yet is empty in TensorFlow's checkpoint. Those that change their shape
    /// have StateTensor::restore.
    virtual void addState(std::vector<StateTensor>& state, Variables& variables) = 0;

    /// After the last train(), besides those of the graph and the head's losses.
    virtual void addSummaries(std::vector<ModelSummary>& /*summaries*/,
                              Variables& /*variables*/) const
    {}
};

} // namespace cannery::plan
