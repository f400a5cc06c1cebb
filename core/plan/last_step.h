// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/graph/lowered_model.h"
#include "core/plan/step_record.h"
#include "core/plan/variables.h"
#include "kernels/device/thread_pool.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cannery::plan {

class DeviceStep;
class LaneGroup;
class Learner;
class OwnStep;
class PartOptimizer;

/// A summary as TensorFlow's estimators write it during training.
struct ModelSummary
{
    std::string tag;
    bool histogram = false;
    float scalar = 0.0F;
    std::vector<float> values; ///< of a histogram
};

/// What the processes of a cluster add up in a step.
struct GradientSizes
{
    struct Table
    {
        std::int64_t rows = 0; ///< that have a gradient
        std::int64_t cols = 0;
        std::int64_t tableRows = 0;
    };
    std::int64_t dense = 0; ///< floats
    std::vector<Table> sparse;
    std::int64_t gathers = 0;  ///< of layers that look across shards, which wait for them
    std::int64_t gathered = 0; ///< doubles of one process in all of them
};

/// What can be asked about a model's last training step. One controlling thread.
class LastStep
{
public:
    /// All of them outlive this.
    struct Parts
    {
        const graph::LoweredModel& lowered;
        kernels::ThreadPool& pool;
        LaneGroup& lanes;
        Variables& variables;
        std::span<const std::unique_ptr<PartOptimizer>> optimizers;
        OwnStep* ownStep = nullptr;   ///< null: layers and optimizers, or the learner, learn
        Learner* learner = nullptr;   ///< null: there is none
        DeviceStep* device = nullptr; ///< null: the CPU trains
        bool isAcross = false;        ///< Sharding::isAcross
        StepRecord& record;
    };
    explicit LastStep(const Parts& parts);

    /// Whether it was a step; otherwise it only prepared the next ones, and the global step stays.
    /// Only a learner's may not be.
    bool advanced() const { return m_parts.record.advanced; }
    /// The sum of all votes against it; see Model::voteAgainstStep().
    float votes() const { return m_parts.record.votes; }
    /// Whether the next steps measure their gradients, before they are clipped.
    void wantGradientNorm(bool wanted) { m_parts.record.wantsGradientNorm = wanted; }
    /// The L2 norm of all gradients together; nothing if not requested.
    std::optional<double> gradientNorm() const { return m_parts.record.gradientNorm; }
    /// The part of its loss that is not the head's: penalties of weights and layers' outputs (those
    /// of the first shard).
    double penalty() const;
    /// The gradient of a trainable variable, always dense; empty for others.
    std::vector<float> gradient(const std::string& variable) const;
    /// What the processes of a cluster add up.
    GradientSizes gradientSizes() const;
    /// The summaries besides the loss, in TensorFlow's order.
    std::vector<ModelSummary> summaries();

private:
    /// The optimizer of a variable, and the variable's index in it.
    struct Trainer
    {
        PartOptimizer* optimizer = nullptr;
        std::size_t index = 0;
    };
    ModelSummary summaryOf(const graph::Summary& wanted);
    std::int64_t zerosOf(graph::VariableId variable);
    float zeroFraction(const graph::Summary& wanted);

    Parts m_parts;
    std::vector<Trainer> m_trainers; ///< by variable
};

} // namespace cannery::plan
