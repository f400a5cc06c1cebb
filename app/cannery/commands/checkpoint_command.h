// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/console/command.h"
#include "app/cannery/input/engine_request.h"

namespace cannery::app {

/// `cannery checkpoint RUN`: saves a running training now.
class CheckpointCommand final : public Command
{
public:
    void declare(OptionSet& options) override;
    ExitCode run(Console& console) override;

private:
    EngineChoice m_choice;
};

} // namespace cannery::app
