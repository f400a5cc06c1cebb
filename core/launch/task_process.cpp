// SPDX-License-Identifier: Apache-2.0
#include "core/launch/task_process.h"

#include "core/launch/child_process.h"
#include "storage/io/confinement.h"
#include "storage/io/file_error.h"

#include <fcntl.h>

#include <cerrno>

namespace cannery::launch {

Result<Process> startTask(const TaskProgram& task)
{
    ProcessOptions options{.program = task.program,
                           .words = task.words,
                           .variables = task.variables,
                           .input = {.kind = ProcessStream::Kind::Null},
                           .hasOwnGroup = true,
                           .diesWithParent = true};
    options.words.insert(options.words.begin(), "cannery");
    Descriptor log;
    if (task.isShown) {
        options.output.kind = options.diagnostics.kind = ProcessStream::Kind::Pipe;
    } else {
        log =
            Descriptor(storage::openConfined(task.log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC));
        if (log.number() < 0) {
            return tl::make_unexpected(storage::fileError("open", task.log, errno));
        }
        options.output = {.kind = ProcessStream::Kind::Descriptor, .descriptor = log.number()};
        options.diagnostics.kind = ProcessStream::Kind::SameAsOutput;
    }
    tl::expected<Process, std::error_code> process = Process::start(options);
    if (!process) {
        return tl::make_unexpected(notStarted(task.program, process.error()));
    }
    return std::move(*process);
}

} // namespace cannery::launch
