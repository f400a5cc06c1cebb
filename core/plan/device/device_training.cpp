// SPDX-License-Identifier: Apache-2.0
#include "core/plan/device/device_training.h"

#include "core/plan/device/device_step.h"
#include "core/plan/device/own_step.h"
#include "core/plan/lane_group.h"
#include "core/plan/learners/learner.h"
#include "core/plan/model.h"
#include "core/plan/part_optimizer.h"
#include "core/plan/weights/penalties.h"
#include "kernels/device/flush_denormals.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace cannery::plan {

namespace {

constexpr ErrorKind kNotOnGpu{
    "plan.not_on_gpu", "A GPU does not train {}: set strategy.one_device.device to \"CPU:0\", or "
                       "to \"auto\" to use a GPU only where it can be used."};

/// What of the training only CPUs do; empty if there is nothing.
std::string_view onlyOnCpu(const ModelOptions& options, const graph::LayerGraph& graph,
                           OwnStep* ownStep, const Learner* learner)
{
    if (learner != nullptr) {
        return learner->usesAccelerator() ? ""
                                          : "trees that grow layer by layer (without histogram)";
    }
    if (ownStep != nullptr && ownStep->onAccelerator() == nullptr) {
        return "an estimator that visits rows one after the other (linear_sdca)";
    }
    if (std::ranges::any_of(graph.variables, &hasRules)) {
        return "weights with a regularizer or a constraint";
    }
    if (options.parameters != nullptr) {
        return "a task of a cluster with parameter servers";
    }
    // Each shard of this process has a device of its own. Shards of other processes are reached by
    // an exchange alone.
    const auto devices = static_cast<std::int64_t>(options.peers.size()) + 1;
    const bool areAllHere = options.sharding.count == options.sharding.total;
    return devices == options.sharding.count && (areAllHere || options.exchange != nullptr)
               ? ""
               : "several replicas";
}

} // namespace

Result<void> checkOnDevice(const ModelOptions& options, const graph::LayerGraph& graph,
                           OwnStep* ownStep, const Learner* learner)
{
    const std::string_view reason = onlyOnCpu(options, graph, ownStep, learner);
    return reason.empty() ? Result<void>() : fail(ErrorCode::Unimplemented, kNotOnGpu, reason);
}

Result<void> checkOptimizerOnDevice(const PartOptimizer& optimizer, const graph::LayerGraph& graph)
{
    const char* reason = optimizer.onlyOnCpu(graph);
    return reason == nullptr ? Result<void>() : fail(ErrorCode::Unimplemented, kNotOnGpu, reason);
}

DeviceTraining::DeviceTraining(DeviceStep& step, LaneGroup& lanes, OwnStep* ownStep,
                               StepRecord& record)
    : m_step(step), m_lanes(lanes), m_ownStep(ownStep),
      m_placed(ownStep == nullptr ? nullptr : ownStep->onAccelerator()), m_record(record)
{}

Result<void> DeviceTraining::meetProcesses(const std::function<Result<kernels::GroupId>()>& makeId)
{
    return m_step.meet(makeId);
}

Result<void> DeviceTraining::setTable(const features::EncodedDataset& rows, RunBlocks runBlocks)
{
    m_rows = &rows;
    m_runBlocks = runBlocks;
    return m_step.setTable(rows, std::move(runBlocks));
}

std::int64_t DeviceTraining::tableBytes() const
{
    return m_step.tableBytes();
}

DeviceStepKind DeviceTraining::kind() const
{
    return {.measures = m_record.wantsGradientNorm && m_ownStep == nullptr};
}

Result<std::int64_t> DeviceTraining::agree(std::int64_t wanted, float vote)
{
    CANNERY_TRY_ASSIGN(const StepAgreement agreed,
                       m_step.agree({.steps = wanted,
                                     .votes = vote,
                                     .measures = kind().measures,
                                     .traces = m_lanes.trace() != nullptr}));
    m_record.votes = agreed.votes;
    return agreed.steps;
}

Result<std::int64_t> DeviceTraining::agreeOnSteps(std::int64_t wanted)
{
    return agree(wanted, 0);
}

Result<void> DeviceTraining::voteAgainstStep(float vote)
{
    CANNERY_TRY(agree(0, vote));
    return {};
}

std::int64_t DeviceTraining::mostQueued() const
{
    if (m_rows == nullptr) {
        return 0;
    }
    // A step may be the last one, which only its loss shows: none is queued behind it.
    const bool mayEnd = m_ownStep != nullptr && m_ownStep->mayEnd();
    return mayEnd ? 1 : DeviceProgram::kMostSteps;
}

bool DeviceTraining::mustStart() const
{
    return m_placed != nullptr && !m_placed->hasStarted();
}

/// What a step of its own does before its very first one, which the accelerator then takes.
Result<void> DeviceTraining::startOnHost(const features::EncodedRows& batch,
                                         std::int64_t globalStep)
{
    const kernels::FlushDenormals flush;
    static_cast<void>(m_step.bringState()); // its error is kept for the step
    m_step.forgetValues();
    m_lanes.begin(batch);
    m_step.hostMayWrite();
    return m_placed->start(batch, m_lanes.ownContext(globalStep));
}

void DeviceTraining::takeLosses(std::span<const double> losses)
{
    if (m_placed != nullptr) {
        std::ranges::for_each(losses, [&](double loss) { m_placed->takeLoss(loss); });
    }
}

Result<void> DeviceTraining::queue(const std::vector<std::int64_t>& rows, std::int64_t globalStep)
{
    return queue({&rows, 1}, globalStep);
}

Result<void> DeviceTraining::queue(std::span<const std::vector<std::int64_t>> rows,
                                   std::int64_t globalStep)
{
    for (const std::vector<std::int64_t>& ofShard : rows) {
        m_lanes.makeRoomFor(static_cast<std::int64_t>(ofShard.size()));
    }
    m_lanes.setRows(static_cast<std::int64_t>(rows.front().size()));
    if (mustStart()) {
        CANNERY_TRY(m_rows->gather(rows.front(), m_firstBatch, m_runBlocks));
        CANNERY_TRY(startOnHost(m_firstBatch, globalStep));
    }
    return m_step.queue(DeviceStep::ShardRows(rows.begin(), rows.end()),
                        {.globalStep = globalStep, .kind = kind(), .trace = m_lanes.trace()});
}

Result<std::span<const double>> DeviceTraining::finish()
{
    CANNERY_TRY_ASSIGN(const std::span<const double> losses, m_step.finish());
    takeLosses(losses);
    m_record.gradientNorm = m_step.gradientNorm();
    return losses;
}

Result<std::optional<double>> DeviceTraining::train(std::span<const features::EncodedRows> batches,
                                                    std::int64_t globalStep, DeviceStepKind kind)
{
    CANNERY_TRY_ASSIGN(const std::int64_t steps, agree(1, 0));
    if (steps == 0) {
        return std::nullopt;
    }
    for (const features::EncodedRows& batch : batches) {
        m_lanes.makeRoomFor(batch.rowCount);
    }
    m_lanes.setRows(batches.front().rowCount);
    if (mustStart()) {
        CANNERY_TRY(startOnHost(batches.front(), globalStep));
    }
    CANNERY_TRY(
        m_step.queue(batches, {.globalStep = globalStep, .kind = kind, .trace = m_lanes.trace()}));
    CANNERY_TRY_ASSIGN(const std::span<const double> losses, finish());
    return losses.back();
}

Result<void> DeviceTraining::bringState()
{
    return m_step.bringState();
}

} // namespace cannery::plan
