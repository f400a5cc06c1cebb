// SPDX-License-Identifier: Apache-2.0
#include "core/train/evaluation/evaluation_device.h"

#include "core/spec/strategy_devices.h"
#include "core/train/loop/training_device.h"

#include <fmt/core.h>

#include <optional>

namespace cannery::train {
namespace {

using Kind = spec::TrainingPlace::Kind;

/// The GPU to evaluate on, by the strategy; nothing for the CPU.
std::optional<std::int64_t> wantedGpu(const EvaluationDeviceQuestion& question)
{
    // Without a strategy of its own, an evaluation goes where training went.
    const bool follows = !question.experiment.run_config().has_eval_distribute();
    if (follows && !question.trainedOn.empty()) {
        return gpuIn(question.trainedOn);
    }
    const spec::TrainingPlace place =
        spec::trainingPlaceOf(evaluationStrategy(question.experiment));
    switch (place.kind) {
    case Kind::Cpu:
        return std::nullopt;
    case Kind::Gpu:
        return place.gpus.front();
    case Kind::TaskGpu:
    case Kind::AnyGpu:
    case Kind::Faster:
        break;
    }
    // Only training knows which GPU was free or faster.
    return gpuIn(question.trainedOn);
}

Result<std::unique_ptr<kernels::Accelerator>> openGpu(const EvaluationDeviceQuestion& question,
                                                      std::int64_t gpu)
{
    CANNERY_TRY_ASSIGN(kernels::AcceleratorPlugin* const plugin, question.plugin());
    return plugin->open(gpu);
}

} // namespace

kernels::ProductPrecision precisionOf(const spec::Strategy& strategy)
{
    switch (strategy.precision()) {
    case spec::NumberFormat::tensor_float_32:
        return kernels::ProductPrecision::TensorFloat32;
    case spec::NumberFormat::mixed_bfloat16:
        return kernels::ProductPrecision::BFloat16;
    case spec::NumberFormat::float32:
        break;
    }
    return kernels::ProductPrecision::Float32;
}

const spec::Strategy& evaluationStrategy(const spec::Experiment& experiment)
{
    return experiment.run_config().has_eval_distribute() ? experiment.run_config().eval_distribute()
                                                         : experiment.strategy();
}

EvaluationDevice chooseEvaluationDevice(const EvaluationDeviceQuestion& question)
{
    const std::optional<std::int64_t> gpu = wantedGpu(question);
    if (!gpu) {
        return {};
    }
    // The GPU that trains is open already, and shares its memory with the evaluation.
    if (question.training != nullptr && gpu == gpuIn(question.trainedOn)) {
        return {.accelerator = question.training};
    }
    Result<std::unique_ptr<kernels::Accelerator>> opened = openGpu(question, *gpu);
    if (!opened) {
        // An evaluation that can run on the CPU does not fail for want of a GPU.
        return {.note = fmt::format("The CPU evaluates: {}", opened.error().message())};
    }
    EvaluationDevice device{.own = *std::move(opened)};
    device.accelerator = device.own.get();
    return device;
}

} // namespace cannery::train
