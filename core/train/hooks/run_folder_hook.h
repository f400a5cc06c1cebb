// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/train/hooks/hook.h"
#include "core/train/loop/second_or_step_timer.h"

#include <cstdint>
#include <string>

namespace cannery::train {

/// Ends a training whose folder was moved, deleted or emptied, since its results could not be found
/// again. Checks about once a second, at requested checkpoints, and at the end. "run.folder_gone".
class RunFolderHook : public Hook
{
public:
    RunFolderHook(std::string folder, const Clock& clock);

    Result<void> begin(TrainingLoop& loop) override;
    Result<void> afterStep(TrainingLoop& loop, const StepResult& result) override;
    std::int64_t stepsAhead(const TrainingLoop& /*loop*/) const override { return kAnySteps; }
    Result<void> checkpoint(TrainingLoop& loop) override;
    Result<void> end(TrainingLoop& loop) override;

    /// The same, for code outside the hooks.
    Result<void> check(std::int64_t step) const;

private:
    std::string m_folder;
    SecondOrStepTimer m_timer;
    std::uint64_t m_device = 0; ///< with the next: identifies the folder as it was at the beginning
    std::uint64_t m_node = 0;
};

} // namespace cannery::train
