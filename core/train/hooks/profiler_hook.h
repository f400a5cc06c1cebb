// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/step_trace.h"
#include "core/train/hooks/hook.h"
#include "core/train/loop/second_or_step_timer.h"
#include "core/train/loop/step_profile.h"
#include "storage/io/file_system.h"

#include <string>

namespace cannery::train {

/// TensorFlow's ProfilerHook: traces a step at its cadence, which starts to count at the first
/// step, and writes `timeline-<step>.json` (see chromeTrace()). At the end it logs where the time
/// of the traced steps went. Steps that are not traced cost nothing; a traced one computes the
/// same.
class ProfilerHook : public Hook
{
public:
    /// `folder` is created for the first file. `profile`: what the traced steps are added to.
    ProfilerHook(std::string folder, const Cadence& cadence, const Clock& clock,
                 StepProfile& profile, storage::FileSystem& system);

    Result<void> afterStep(TrainingLoop& loop, const StepResult& result) override;
    std::int64_t stepsAhead(const TrainingLoop& loop) const override;
    Result<void> end(TrainingLoop& loop) override;

private:
    Result<void> save(std::int64_t step);

    std::string m_folder;
    SecondOrStepTimer m_timer;
    StepProfile* m_profile;
    storage::FileSystem* m_system;
    plan::StepTrace m_trace;
    bool m_hasBegun = false;
    bool m_isTracing = false; ///< the present step
};

} // namespace cannery::train
