// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/model.h"
#include "core/plan/network.h"
#include "core/plan/part_optimizer.h"
#include "core/plan/variables.h"
#include "kernels/device/thread_pool.h"

#include <algorithm>
#include <memory>

namespace cannery::plan {

/// The parts of a Model.
struct Model::Parts
{
    Parts(graph::LoweredModel model, const ModelOptions& modelOptions)
        : lowered(std::move(model)), options(modelOptions),
          ownPool(options.pool == nullptr ? std::make_unique<kernels::ThreadPool>(options.threads)
                                          : nullptr),
          pool(ownPool ? *ownPool : *options.pool),
          workers(static_cast<std::size_t>(std::max(options.threads, pool.threadCount())))
    {}

    /// Lays everything out for batches of at most this many rows.
    void prepare(std::int64_t maxRows);
    /// Binds a batch; lays out larger buffers if necessary.
    void begin(const features::EncodedRows& batch);
    /// After a backward pass, before an optimizer clips.
    void measureGradient();
    layers::StepContext context(layers::Mode mode, std::int64_t step);
    std::int64_t zerosOf(graph::VariableId variable);
    float zeroFraction(const graph::Summary& wanted);

    /// The optimizer of a variable, and the variable's index in it.
    struct Trainer
    {
        PartOptimizer* optimizer = nullptr;
        std::size_t index = 0;
    };

    graph::LoweredModel lowered;
    ModelOptions options;
    std::unique_ptr<kernels::ThreadPool> ownPool; ///< unless one is lent
    kernels::ThreadPool& pool;
    std::vector<layers::Worker> workers; ///< one per thread
    std::unique_ptr<heads::Head> head;
    Variables variables;
    std::vector<std::unique_ptr<PartOptimizer>> optimizers;
    std::vector<Trainer> trainers; ///< by variable
    std::unique_ptr<Network> network;
    std::int64_t rows = 0; ///< of the last batch
    bool wantsGradientNorm = false;
    std::optional<double> gradientNorm;
};

} // namespace cannery::plan
