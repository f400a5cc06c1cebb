// SPDX-License-Identifier: Apache-2.0
#include "core/train/hooks/patience_hook.h"

#include "core/train/loop/training_loop.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

namespace cannery::train {
namespace {

constexpr const char* kLoss = "loss";

} // namespace

PatienceHook::PatienceHook(std::int64_t evaluations, EvalHistory known)
    : m_evaluations(evaluations), m_history(std::move(known))
{}

void PatienceHook::evaluated(const EvaluationResult& evaluation)
{
    if (const std::optional<double> loss = evaluation.find(kLoss)) {
        m_history[evaluation.globalStep][kLoss] = *loss;
    }
}

Result<void> PatienceHook::begin(TrainingLoop& loop)
{
    // A resumed run may have been out of patience before: it then stops at once.
    stopIfDue(loop);
    return {};
}

Result<void> PatienceHook::afterStep(TrainingLoop& loop, const StepResult& /*result*/)
{
    stopIfDue(loop);
    return {};
}

void PatienceHook::stopIfDue(TrainingLoop& loop) const
{
    // Counted from the whole history, so that a restart gives the same answer.
    double best = std::numeric_limits<double>::infinity();
    std::int64_t bestStep = 0;
    std::int64_t since = 0;
    for (const auto& [step, metrics] : m_history) {
        // Evaluations of another program may lack it.
        const auto loss = metrics.find(kLoss);
        if (loss == metrics.end()) {
            continue;
        }
        ++since;
        if (loss->second < best) {
            best = loss->second;
            bestStep = step;
            since = 0;
        }
    }
    if (since >= m_evaluations) {
        loop.requestStop(StopReason::EarlyStopping,
                         fmt::format("Early stopping: {} evaluations in a row had no lower loss "
                                     "than {:.6g} at step {}.",
                                     since, best, bestStep));
    }
}

} // namespace cannery::train
