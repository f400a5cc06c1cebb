// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/spec/experiment.pb.h"
#include "kernels/accelerator/accelerator.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace cannery::train {

/// What multiplies at which precision on an accelerator.
kernels::ProductPrecision precisionOf(const spec::Strategy& strategy);
/// The strategy of evaluations: eval_distribute, or without one that of the training.
const spec::Strategy& evaluationStrategy(const spec::Experiment& experiment);

/// What evaluates a model.
struct EvaluationDevice
{
    std::unique_ptr<kernels::Accelerator>
        own; ///< outlives the model; the CPU, or a lent one if null
    kernels::Accelerator* accelerator = nullptr; ///< the CPU if null
    std::string note;                            ///< why not the GPU that was asked for; or empty
};

struct EvaluationDeviceQuestion
{
    const spec::Experiment& experiment; ///< resolved
    /// RunInfo::device, or empty: without eval_distribute, or where that leaves the choice,
    /// evaluations follow the training.
    std::string_view trainedOn;
    kernels::Accelerator* training = nullptr; ///< that is open, and trains; null if there is none
    std::function<Result<kernels::AcceleratorPlugin*>()> plugin;
};

/// Opens a GPU if the strategy of evaluations asks for one that is not open. Where it cannot be
/// opened, the CPU evaluates, which changes no result by more than rounding, and a note says so.
EvaluationDevice chooseEvaluationDevice(const EvaluationDeviceQuestion& question);

} // namespace cannery::train
