#include "core/train/hooks/nan_guard_hook.h"

#include "core/train/session.h"

#include <cmath>

namespace cannery::train {
namespace {

constexpr ErrorKind kNanLoss{
    "train.nan_loss",
    "The loss became NaN at step {}. Lower the learning rate, clip the gradients, or look for "
    "extreme values in the data; the checkpoints saved before are good."};

} // namespace

Result<void> NanGuardHook::afterStep(Session& session, const StepResult& result)
{
    if (std::isnan(result.loss)) {
        return fail(ErrorCode::OutOfRange, kNanLoss, result.globalStep);
    }
    if (std::isinf(result.loss) && !m_hasNotedInfinity) {
        m_hasNotedInfinity = true;
        session.observer().logged(
            LogLevel::Warning, fmt::format("The loss became infinite at step {}; training goes on.",
                                           result.globalStep));
    }
    return {};
}

} // namespace cannery::train
