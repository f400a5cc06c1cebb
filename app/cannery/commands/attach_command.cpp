// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/commands/attach_command.h"

#include "app/cannery/input/model_input.h"
#include "app/cannery/training/run_watcher.h"

namespace cannery::app {

void AttachCommand::declare(OptionSet& options)
{
    options.argument("RUN", m_choice.run, "a run: its name, title, folder or 'latest'");
    options.option("--project", "DIR", m_choice.project,
                   "the run's project (default: this folder)");
    options.flag("--json", m_choice.json, "print every status and log line as a JSON object");
}

ExitCode AttachCommand::run(Console& console)
{
    const Result<std::string> folder = findRunFolder(m_choice.run, m_choice.project);
    if (!folder) {
        return reportFailure(console, folder.error());
    }
    return watchRun(console, *folder);
}

} // namespace cannery::app
