// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/command.h"
#include "app/cannery/engine_request.h"

namespace cannery::app {

/// `cannery attach RUN`: shows how a running training is getting on, until it ends or Ctrl-C leaves
/// it running. One that its supervisor starts again is followed.
class AttachCommand final : public Command
{
public:
    void declare(OptionSet& options) override;
    ExitCode run(Console& console) override;

private:
    EngineChoice m_choice;
};

} // namespace cannery::app
