// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/lent_threads.h"
#include "core/base/result.h"
#include "core/features/encoded_dataset.h"
#include "core/features/encoded_rows.h"
#include "core/graph/layer_graph.h"
#include "core/plan/step_record.h"
#include "kernels/accelerator/accelerator.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace cannery::graph {
struct LayerGraph;
} // namespace cannery::graph

namespace cannery::plan {

class DeviceStep;
class LaneGroup;
class Learner;
class OwnStep;
class PartOptimizer;
class PlacedOwnStep;
struct DeviceStepKind;
struct ModelOptions;

/// Errors: "plan.not_on_gpu", with what of the training only CPUs do.
Result<void> checkOnDevice(const ModelOptions& options, const graph::LayerGraph& graph,
                           OwnStep* ownStep, const Learner* learner);
Result<void> checkOptimizerOnDevice(const PartOptimizer& optimizer, const graph::LayerGraph& graph);

/// The training of a model on accelerators: one step after the other, or several that are queued
/// and waited for together. One controlling thread.
class DeviceTraining
{
public:
    /// All of them outlive this. `ownStep`: an estimator's own, or null.
    DeviceTraining(DeviceStep& step, LaneGroup& lanes, OwnStep* ownStep, StepRecord& record);

    /// With an exchange: before setTable(), all processes meet, once; see DeviceProcesses::meet().
    /// Otherwise does nothing.
    Result<void> meetProcesses(const std::function<Result<kernels::GroupId>()>& makeId);
    /// Steps need not be waited for one by one. Their batches are rows of this table, which
    /// outlives the steps; it goes up if there is memory left. These threads help to gather batches
    /// if not. Errors: of reading the rows, of the accelerator.
    Result<void> setTable(const features::EncodedDataset& rows, RunBlocks runBlocks);
    /// Of the accelerator's memory; 0: the rows are not there.
    std::int64_t tableBytes() const;

    /// How many steps all processes queue next, as many as the one that wants fewest; 0 if one has
    /// voted against them. They measure and trace what one of them wants by now. Alone, as many as
    /// are wanted. Errors: see DeviceProcesses::agree().
    Result<std::int64_t> agreeOnSteps(std::int64_t wanted);
    /// See Model::voteAgainstStep().
    Result<void> voteAgainstStep(float vote);
    /// How many steps may be queued; 0 unless there is a table.
    std::int64_t mostQueued() const;
    /// As Model::train() of these rows, those of each shard, but the loss comes with finish(),
    /// before which nothing else may be called.
    Result<void> queue(std::span<const std::vector<std::int64_t>> rows, std::int64_t globalStep);
    /// The same for a model with one shard.
    Result<void> queue(const std::vector<std::int64_t>& rows, std::int64_t globalStep);
    /// Waits for the queued steps; their losses, until the next queue(). Errors: of the
    /// accelerator; then nothing is known of any of these steps.
    Result<std::span<const double>> finish();

    /// See Model::train().
    Result<std::optional<double>> train(std::span<const features::EncodedRows> batches,
                                        std::int64_t globalStep, DeviceStepKind kind);
    /// Of a step that measures its gradients if that is wanted, and if there are any.
    DeviceStepKind kind() const;

    /// What the accelerator has changed comes to the host, as every call of a model that reads it
    /// sees to itself, but without telling what went wrong. Errors: of the accelerator.
    Result<void> bringState();

private:
    Result<std::int64_t> agree(std::int64_t wanted, float vote);
    bool mustStart() const;
    Result<void> startOnHost(const features::EncodedRows& batch, std::int64_t globalStep);
    void takeLosses(std::span<const double> losses);

    DeviceStep& m_step;
    LaneGroup& m_lanes;
    OwnStep* m_ownStep;
    PlacedOwnStep* m_placed; ///< of it; or null
    StepRecord& m_record;
    const features::EncodedDataset* m_rows = nullptr; ///< the table
    RunBlocks m_runBlocks;
    features::EncodedRows m_firstBatch; ///< which a step of its own starts with
};

} // namespace cannery::plan
