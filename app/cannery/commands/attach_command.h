// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/console/command.h"
#include "app/cannery/input/engine_request.h"

namespace cannery::app {

/// `cannery attach RUN`: shows the progress of a running training until it ends or Ctrl-C detaches
/// from it. An engine that its supervisor restarts is followed.
class AttachCommand final : public Command
{
public:
    void declare(OptionSet& options) override;
    ExitCode run(Console& console) override;

private:
    EngineChoice m_choice;
};

} // namespace cannery::app
