// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/commands/resume_command.h"

#include "app/cannery/input/model_input.h"

namespace cannery::app {

void ResumeCommand::declare(OptionSet& options)
{
    options.argument("RUN", m_run, "a run: its name, title, folder or 'latest'");
    options.option("--project", "DIR", m_project, "the run's project (default: this folder)");
    options.option("--max-steps", "N", m_maxSteps, "train to this step instead of the run's own");
    options.threads(m_threads, "threads (default: as the experiment says)");
    options.flag("--allow-commands", m_allowsCommands, kAllowCommandsHelp);
    m_launch.declare(options);
    options.flag("--quiet", m_quiet, "print errors and warnings only");
    options.flag("--json", m_json, "print one JSON object");
}

ExitCode ResumeCommand::run(Console& console)
{
    const Result<std::string> folder = findRunFolder(m_run, m_project);
    if (!folder) {
        return reportFailure(console, folder.error());
    }
    train::TrainRequest request{.allowsCommands = m_allowsCommands};
    if (m_threads) {
        request.threads = static_cast<int>(*m_threads);
    }
    return launchTraining(console, m_launch, {.json = m_json, .quiet = m_quiet},
                          [&](const TrainingWires& wires) {
                              wires.connect(request);
                              return train::resumeRun(*folder, request, m_maxSteps);
                          });
}

} // namespace cannery::app
