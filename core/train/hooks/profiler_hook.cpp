// SPDX-License-Identifier: Apache-2.0
#include "core/train/hooks/profiler_hook.h"

#include "core/train/loop/training_loop.h"
#include "storage/io/atomic_write.h"
#include "storage/io/files.h"

#include <fmt/core.h>

#include <utility>

namespace cannery::train {

ProfilerHook::ProfilerHook(std::string folder, const Cadence& cadence, const Clock& clock,
                           StepProfile& profile, storage::FileSystem& system)
    : m_folder(std::move(folder)), m_timer(cadence, clock), m_profile(&profile), m_system(&system)
{}

Result<void> ProfilerHook::afterStep(TrainingLoop& loop, const StepResult& result)
{
    if (!m_hasBegun) {
        // The first step of this start is due, wherever the training resumes.
        m_hasBegun = true;
        m_timer.mark(result.globalStep - 1);
    }
    // The step that was traced is over now.
    if (m_isTracing) {
        m_timer.mark(result.globalStep);
        CANNERY_TRY(save(result.globalStep));
    }
    // Tracing has to begin before the step that is due.
    m_isTracing = result.isLatest && m_timer.isDue(result.globalStep + 1);
    if (m_isTracing) {
        loop.traceNextStep(m_trace);
    }
    return {};
}

std::int64_t ProfilerHook::stepsAhead(const TrainingLoop& loop) const
{
    const std::int64_t steps = m_timer.stepsUntilDue(loop.globalStep() + 1);
    // A traced step, and the one before it, come alone.
    return m_hasBegun && !m_isTracing ? steps : 1;
}

Result<void> ProfilerHook::end(TrainingLoop& loop)
{
    if (m_profile->steps() > 0) {
        loop.observer().logged(LogLevel::Info, m_profile->phases());
        loop.observer().logged(LogLevel::Info, m_profile->layers());
    }
    return {};
}

Result<void> ProfilerHook::save(std::int64_t step)
{
    const std::vector<plan::TraceEvent> events = m_trace.take();
    m_profile->add(events);
    // Made with the first timeline: until then the hook leaves no trace in the folder.
    CANNERY_TRY(storage::makeFolders(m_folder, *m_system));
    return storage::writeFileAtomically(
        storage::joinPath(m_folder, fmt::format("timeline-{}.json", step)), chromeTrace(events),
        *m_system);
}

} // namespace cannery::train
