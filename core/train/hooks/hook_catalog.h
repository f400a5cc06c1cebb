// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/spec/training.pb.h"
#include "core/train/evaluation/evaluator.h"
#include "core/train/hooks/hook.h"
#include "core/train/loop/step_profile.h"
#include "core/train/loop/training_observer.h"
#include "storage/io/file_system.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace cannery::train {

/// What a hook of an experiment may need.
struct HookContext
{
    std::string modelDir;
    std::string evalDir; ///< where evaluations are logged
    /// Of evaluations, without a step.
    EvaluationRequest evaluation;
    /// What an evaluation reads; null if the experiment has no rows for it.
    const features::EncodedDataset* evalRows = nullptr;
    bool isAlone = true; ///< one device in one process computes the whole step
    const Clock* clock = &systemClock();
    StepProfile* profile = nullptr; ///< of traced steps
    TrainingObserver* observer = nullptr;
    storage::FileSystem* system = &storage::realFileSystem();
    /// One byte of state stored in checkpoints as `signal_early_stopping/STOP`.
    std::byte* stopVariable = nullptr;
};

enum class HookRole
{
    StopsEarly, ///< has the variable `signal_early_stopping/STOP`
    Measures,
    Evaluates, ///< overwrites the buffers of the step: it comes after those that read them
};

struct HookRow
{
    spec::Hook::KindCase key;
    std::string_view name; ///< of the field of spec::Hook
    HookRole role;
    Result<std::unique_ptr<Hook>> (*make)(const spec::Hook&, const HookContext&);
};

/// Every hook that an experiment can configure, in the order of the schema.
std::span<const HookRow> hookCatalog();

/// Null if the message is empty.
const HookRow* hookRow(const spec::Hook& hook);

/// "train.no_hook" for an empty message, "train.two_cadences" if both cadences are given,
/// "train.no_live_evaluation" if there is nothing to evaluate on, or nobody has the whole model.
Result<std::unique_ptr<Hook>> makeHook(const spec::Hook& hook, const HookContext& context);

} // namespace cannery::train
