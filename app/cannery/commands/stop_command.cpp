// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/commands/stop_command.h"

namespace cannery::app {

void StopCommand::declare(OptionSet& options)
{
    m_choice.declare(options);
    options.flag("--without-saving", m_withoutSaving,
                 "end at once; the last checkpoint is kept, later steps are lost");
}

ExitCode StopCommand::run(Console& console)
{
    if (m_withoutSaving) {
        return askEngine(console, m_choice,
                         {.ask = &control::ControlClient::stopWithoutSaving,
                          .asked = "stop_without_saving",
                          .sentence = "{} ends without saving"});
    }
    return askEngine(console, m_choice,
                     {.ask = &control::ControlClient::stopAndKeep,
                      .asked = "stop_and_keep",
                      .sentence = "{} saves a checkpoint, evaluates it and ends"});
}

} // namespace cannery::app
