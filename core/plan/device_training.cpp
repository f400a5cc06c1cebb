// SPDX-License-Identifier: Apache-2.0
#include "core/plan/model_parts.h"

#include <string_view>

namespace cannery::plan {

namespace {

constexpr ErrorKind kNotOnGpu{
    "plan.not_on_gpu", "A GPU does not train {}: set strategy.one_device.device to \"CPU:0\", or "
                       "to \"auto\" to use a GPU only where it can be used."};

/// What of the model only CPUs do; empty: nothing.
std::string_view onlyOnCpu(const graph::LoweredModel& lowered, const ModelOptions& options)
{
    if (lowered.learner != nullptr) {
        return "trees";
    }
    if (lowered.makeStep) {
        return "an estimator that learns without an optimizer";
    }
    if (!lowered.sequenceMask.empty()) {
        return "sequences";
    }
    if (options.sharding.total > 1) {
        return "several replicas";
    }
    if (options.exchange != nullptr || options.parameters != nullptr) {
        return "a task of a cluster";
    }
    return {};
}

} // namespace

Result<void> Model::Parts::makeDevice()
{
    if (options.accelerator == nullptr || !options.training) {
        return {};
    }
    if (const std::string_view reason = onlyOnCpu(lowered, options); !reason.empty()) {
        return fail(ErrorCode::Unimplemented, kNotOnGpu, reason);
    }
    CANNERY_TRY_ASSIGN(
        device, DeviceStep::create(*options.accelerator, {.lowered = lowered,
                                                          .variables = variables,
                                                          .network = network(),
                                                          .head = head(),
                                                          .optimizers = optimizers,
                                                          .seed = options.seed,
                                                          .precision = options.precision,
                                                          .classWeights = options.classWeights}));
    return {};
}

Result<double> Model::Parts::stepOnDevice(const features::EncodedRows& batch,
                                          std::int64_t globalStep, DeviceStepKind kind)
{
    makeRoomFor(batch.rowCount);
    rows = batch.rowCount;
    CANNERY_TRY_ASSIGN(const double loss, device->run(batch, globalStep, kind, trace()));
    gradientNorm = device->gradientNorm();
    return loss;
}

Result<std::optional<double>>
Model::Parts::trainOnDevice(std::span<const features::EncodedRows> batches, std::int64_t globalStep)
{
    return stepOnDevice(batches.front(), globalStep, {.measures = wantsGradientNorm});
}

void Model::Parts::comeBack()
{
    if (device != nullptr) {
        static_cast<void>(device->bringState()); // its error is kept for the next step
        device->forgetValues();
    }
}

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
