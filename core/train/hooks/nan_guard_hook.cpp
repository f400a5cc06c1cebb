// SPDX-License-Identifier: Apache-2.0
#include "core/train/hooks/nan_guard_hook.h"

#include "core/train/loop/non_finite.h"
#include "core/train/loop/training_loop.h"

#include <cmath>

namespace cannery::train {
namespace {

constexpr ErrorKind kNanLoss{
    "train.nan_loss",
    "The loss became NaN at step {}. {} Lower the learning rate, clip the gradients, or look for "
    "extreme values in the data; earlier checkpoints are intact."};

} // namespace

/// A whole sentence. The step has already updated the weights: where the loss is NaN, so are the
/// weights its gradient has reached.
Result<std::string> NanGuardHook::firstBadTensor(TrainingLoop& loop) const
{
    CANNERY_TRY_ASSIGN(const features::EncodedRows* const batch, loop.batch());
    const auto found = firstNonFinite(*batch, *m_layout, loop.state());
    return found ? "The first bad tensor is " + describe(*found) + "."
                 : std::string("The rows and the weights are all finite.");
}

Result<void> NanGuardHook::afterStep(TrainingLoop& loop, const StepResult& result)
{
    if (std::isnan(result.loss)) {
        CANNERY_TRY_ASSIGN(const std::string tensor, firstBadTensor(loop));
        return fail(ErrorCode::OutOfRange, kNanLoss, result.globalStep, tensor);
    }
    if (std::isinf(result.loss) && !m_hasNotedInfinity) {
        m_hasNotedInfinity = true;
        CANNERY_TRY_ASSIGN(const std::string tensor, firstBadTensor(loop));
        loop.observer().logged(
            LogLevel::Warning,
            fmt::format("The loss became infinite at step {}; training continues. {}",
                        result.globalStep, tensor));
    }
    return {};
}

} // namespace cannery::train
