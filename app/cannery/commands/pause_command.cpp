// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/commands/pause_command.h"

namespace cannery::app {

void PauseCommand::declare(OptionSet& options)
{
    m_choice.declare(options);
    options.flag("--resume", m_resume, "resume it");
}

ExitCode PauseCommand::run(Console& console)
{
    if (m_resume) {
        return askEngine(console, m_choice,
                         {.ask = &control::ControlClient::resume,
                          .asked = "resume",
                          .sentence = "{} continues"});
    }
    return askEngine(console, m_choice,
                     {.ask = &control::ControlClient::pause,
                      .asked = "pause",
                      .sentence =
                          "{0} pauses after its step and saves a checkpoint; 'cannery pause "
                          "{0} --resume' resumes it"});
}

} // namespace cannery::app
