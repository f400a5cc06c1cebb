// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/console/command.h"
#include "app/cannery/input/engine_request.h"

namespace cannery::app {

/// `cannery stop RUN`: ends a running training.
class StopCommand final : public Command
{
public:
    void declare(OptionSet& options) override;
    ExitCode run(Console& console) override;

private:
    EngineChoice m_choice;
    bool m_withoutSaving = false;
};

} // namespace cannery::app
