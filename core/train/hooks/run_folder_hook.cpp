// SPDX-License-Identifier: Apache-2.0
#include "core/train/hooks/run_folder_hook.h"

#include "core/train/loop/training_loop.h"
#include "storage/io/files.h"
#include "storage/runs/run_files.h"

#include <sys/stat.h>

#include <utility>

namespace cannery::train {
namespace {

constexpr ErrorKind kGone{"run.folder_gone",
                          "The folder {} was moved, deleted or emptied during training (step {}). "
                          "Training has stopped; train again, or restore the folder and resume."};

} // namespace

RunFolderHook::RunFolderHook(std::string folder, const Clock& clock)
    : m_folder(std::move(folder)), m_timer(Cadence::everySeconds(1), clock)
{
    struct stat status = {};
    // Remembered by its identity: another folder may take the name.
    if (::stat(m_folder.c_str(), &status) == 0) {
        m_device = status.st_dev;
        m_node = status.st_ino;
    }
}

Result<void> RunFolderHook::begin(TrainingLoop& loop)
{
    // Once per second: a call of the system at every step would slow small models down.
    m_timer.mark(loop.globalStep());
    return check(loop.globalStep());
}

Result<void> RunFolderHook::afterStep(TrainingLoop&, const StepResult& result)
{
    if (!m_timer.isDue(result.globalStep)) {
        return {};
    }
    m_timer.mark(result.globalStep);
    return check(result.globalStep);
}

Result<void> RunFolderHook::checkpoint(TrainingLoop& loop)
{
    return check(loop.globalStep());
}

Result<void> RunFolderHook::end(TrainingLoop& loop)
{
    return check(loop.globalStep());
}

Result<void> RunFolderHook::check(std::int64_t step) const
{
    struct stat status = {};
    const bool isSame = ::stat(m_folder.c_str(), &status) == 0 && status.st_dev == m_device &&
                        status.st_ino == m_node;
    // An emptied folder keeps its identity, so two files that every run has are looked for.
    for (const std::string_view name : {storage::kRunInfoFile, storage::kFrozenExperimentFile}) {
        if (!isSame || !storage::exists(storage::joinPath(m_folder, name))) {
            return fail(ErrorCode::FailedPrecondition, kGone, m_folder, step);
        }
    }
    return {};
}

} // namespace cannery::train
