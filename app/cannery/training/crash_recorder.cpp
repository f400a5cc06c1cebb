// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/training/crash_recorder.h"

#include "core/base/check.h"
#include "core/base/clock.h"
#include "core/train/records/run_recorder.h"
#include "storage/io/atomic_write.h"
#include "storage/io/files.h"
#include "storage/runs/run_files.h"
#include "storage/runs/run_store.h"

namespace cannery::app {

namespace {

constexpr std::string_view kFile = "last-words.txt";

// A terminate handler has no arguments, so the state is global.
std::string s_folder;

/// What cannot be written is lost: there is nobody to report it to.
void leave(std::string_view sentence)
{
    storage::RunFiles files(s_folder);
    Result<storage::RunStatus> status = files.readStatus();
    if (status) {
        const double now = systemClock().wallTime();
        status->state = storage::RunState::Failed;
        status->reason = sentence;
        status->updatedAt = now;
        status->finishedAt = now;
        (void)files.writeStatus(*status);
        const std::string project = train::projectOf(s_folder);
        if (!project.empty()) {
            (void)storage::RunStore::open(project).and_then([&](storage::RunStore store) {
                return store.setStatus(storage::baseName(s_folder), *status);
            });
        }
    }
    // Also as a text of its own: of a run whose status cannot be read, it is all that is left.
    (void)storage::writeFileAtomically(storage::joinPath(s_folder, kFile),
                                       std::string(sentence) + "\n");
}

} // namespace

CrashRecorder::~CrashRecorder()
{
    setFatalErrorHandler(nullptr);
}

void CrashRecorder::opened(const std::string& modelDir)
{
    s_folder = modelDir;
    // baseName() of a path with a slash at its end is empty.
    while (s_folder.size() > 1 && s_folder.back() == '/') {
        s_folder.pop_back();
    }
    setFatalErrorHandler(leave);
}

} // namespace cannery::app
