// SPDX-License-Identifier: Apache-2.0
#include "core/plan/device/device_evaluation.h"
#include "core/plan/model_parts.h"
#include "kernels/device/flush_denormals.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace cannery::plan {

namespace {

constexpr ErrorKind kNotOnGpu{
    "plan.not_on_gpu", "A GPU does not train {}: set strategy.one_device.device to \"CPU:0\", or "
                       "to \"auto\" to use a GPU only where it can be used."};
constexpr ErrorKind kTreesNotEvaluated{"plan.not_evaluated_on_gpu",
                                       "A GPU does not evaluate trees."};

/// What of the training only CPUs do; empty if there is nothing.
std::string_view onlyOnCpu(const ModelOptions& options, OwnStep* ownStep, const Learner* learner)
{
    if (learner != nullptr) {
        return learner->usesAccelerator() ? ""
                                          : "trees that grow layer by layer (without histogram)";
    }
    if (ownStep != nullptr && ownStep->onAccelerator() == nullptr) {
        return "an estimator that visits rows one after the other (linear_sdca)";
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

Result<void> Model::Parts::makeDevice()
{
    if (options.accelerator == nullptr || !options.training) {
        return {};
    }
    if (const std::string_view reason = onlyOnCpu(options, ownStep.get(), learner.get());
        !reason.empty()) {
        return fail(ErrorCode::Unimplemented, kNotOnGpu, reason);
    }
    if (learner != nullptr) {
        return {}; // which has the accelerator
    }
    std::vector<kernels::Accelerator*> accelerators{options.accelerator};
    accelerators.insert(accelerators.end(), options.peers.begin(), options.peers.end());
    CANNERY_TRY_ASSIGN(device,
                       DeviceStep::create(accelerators, {.lowered = lowered,
                                                         .variables = variables,
                                                         .network = network(),
                                                         .head = head(),
                                                         .optimizers = optimizers,
                                                         .ownStep = placedStep(),
                                                         .seed = options.seed,
                                                         .precision = options.precision,
                                                         .classWeights = options.classWeights,
                                                         .sharding = options.sharding,
                                                         .exchange = options.exchange}));
    return {};
}

/// What a step of its own does before its very first one, which the accelerator then takes.
Result<void> Model::Parts::startOnHost(const features::EncodedRows& batch, std::int64_t globalStep)
{
    const kernels::FlushDenormals flush;
    begin(batch);
    device->hostMayWrite();
    return placedStep()->start(batch, ownContext(globalStep));
}

void Model::Parts::takeLosses(std::span<const double> losses)
{
    if (placedStep() != nullptr) {
        std::ranges::for_each(losses, [&](double loss) { placedStep()->takeLoss(loss); });
    }
}

Result<std::optional<double>>
Model::Parts::stepOnDevice(std::span<const features::EncodedRows> batches, std::int64_t globalStep,
                           DeviceStepKind kind)
{
    CANNERY_TRY_ASSIGN(const std::int64_t steps, agree(1, 0));
    if (steps == 0) {
        return std::nullopt;
    }
    for (const features::EncodedRows& batch : batches) {
        makeRoomFor(batch.rowCount);
    }
    rows = batches.front().rowCount;
    if (mustStart()) {
        CANNERY_TRY(startOnHost(batches.front(), globalStep));
    }
    CANNERY_TRY(device->queue(batches, {.globalStep = globalStep, .kind = kind, .trace = trace()}));
    CANNERY_TRY_ASSIGN(const std::span<const double> losses, device->finish());
    takeLosses(losses);
    gradientNorm = device->gradientNorm();
    return losses.back();
}

Result<std::unique_ptr<DeviceEvaluation>>
Model::createDeviceEvaluation(const DeviceEvaluationOptions& options)
{
    Parts& parts = *m_parts;
    if (parts.learner != nullptr) {
        return fail(ErrorCode::Unimplemented, kTreesNotEvaluated);
    }
    DeviceStep* const training = parts.device.get();
    const bool isThere = training != nullptr && parts.options.accelerator == &options.accelerator;
    return DeviceEvaluation::create({.lowered = parts.lowered,
                                     .variables = parts.variables,
                                     .head = parts.head(),
                                     .training = training,
                                     .isThere = isThere},
                                    {.accelerator = options.accelerator,
                                     .precision = options.precision,
                                     .rows = options.rows,
                                     .batchRows = options.batchRows,
                                     .runBlocks = kernels::lend(parts.pool).run});
}

Result<void> Model::setTable(const features::EncodedDataset& rows, RunBlocks runBlocks)
{
    return m_parts->device == nullptr ? Result<void>()
                                      : m_parts->device->setTable(rows, std::move(runBlocks));
}

std::int64_t Model::tableBytes() const
{
    if (m_parts->learner != nullptr) {
        return m_parts->learner->tableBytes();
    }
    return m_parts->device == nullptr ? 0 : m_parts->device->tableBytes();
}

std::int64_t Model::mostQueued() const
{
    if (m_parts->device == nullptr || !m_parts->device->hasTable()) {
        return 0;
    }
    // A step may be the last one, which only its loss shows: none is queued behind it.
    const bool mayEnd = m_parts->ownStep != nullptr && m_parts->ownStep->mayEnd();
    return mayEnd ? 1 : DeviceProgram::kMostSteps;
}

Result<void> Model::queue(const std::vector<std::int64_t>& rows, std::int64_t globalStep)
{
    return queue({&rows, 1}, globalStep);
}

Result<void> Model::queue(std::span<const std::vector<std::int64_t>> rows, std::int64_t globalStep)
{
    Parts& parts = *m_parts;
    for (const std::vector<std::int64_t>& ofShard : rows) {
        parts.makeRoomFor(static_cast<std::int64_t>(ofShard.size()));
    }
    parts.rows = static_cast<std::int64_t>(rows.front().size());
    if (parts.mustStart()) {
        CANNERY_TRY_ASSIGN(const features::EncodedRows* const batch,
                           parts.device->gather(rows.front()));
        CANNERY_TRY(parts.startOnHost(*batch, globalStep));
    }
    return parts.device->queue(
        DeviceStep::ShardRows(rows.begin(), rows.end()),
        {.globalStep = globalStep, .kind = {.measures = parts.measures()}, .trace = parts.trace()});
}

Result<std::span<const double>> Model::finish()
{
    CANNERY_TRY_ASSIGN(const std::span<const double> losses, m_parts->device->finish());
    m_parts->takeLosses(losses);
    m_parts->gradientNorm = m_parts->device->gradientNorm();
    return losses;
}

/// The host is about to compute a pass of its own: what it reads must be the newest, and values of
/// the device's last batch count no longer.
void Model::Parts::comeBack()
{
    if (device != nullptr) {
        static_cast<void>(device->bringState()); // its error is kept for the next step
        device->forgetValues();
    }
}

/// For a caller who may write weights and slots: the device takes them up again before its next
/// step.
void Model::Parts::lendState()
{
    if (device != nullptr) {
        static_cast<void>(device->bringState());
        device->hostMayWrite();
    }
}

void Model::Parts::bringValue(graph::ValueId value)
{
    if (device != nullptr && value >= 0) {
        static_cast<void>(device->bringValue(value, rows));
    }
}

} // namespace cannery::plan
