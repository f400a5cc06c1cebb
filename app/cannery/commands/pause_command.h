// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/console/command.h"
#include "app/cannery/input/engine_request.h"

namespace cannery::app {

/// `cannery pause RUN`: pauses a running training, or resumes it.
class PauseCommand final : public Command
{
public:
    void declare(OptionSet& options) override;
    ExitCode run(Console& console) override;

private:
    EngineChoice m_choice;
    bool m_resume = false;
};

} // namespace cannery::app
