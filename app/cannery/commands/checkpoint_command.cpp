// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/commands/checkpoint_command.h"

namespace cannery::app {

void CheckpointCommand::declare(OptionSet& options)
{
    m_choice.declare(options);
}

ExitCode CheckpointCommand::run(Console& console)
{
    return askEngine(console, m_choice,
                     {.ask = &control::ControlClient::checkpointNow,
                      .asked = "checkpoint_now",
                      .sentence = "{} saves a checkpoint after its step"});
}

} // namespace cannery::app
