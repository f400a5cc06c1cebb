// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/console/command.h"
#include "app/cannery/training/training_launch.h"

namespace cannery::app {

/// `cannery resume RUN`: continues a run from its latest checkpoint.
class ResumeCommand final : public Command
{
public:
    void declare(OptionSet& options) override;
    ExitCode run(Console& console) override;

private:
    std::string m_run;
    std::optional<std::string> m_project;
    std::optional<std::int64_t> m_maxSteps;
    std::optional<std::int64_t> m_threads;
    TrainingLaunchOptions m_launch;
    bool m_allowsCommands = false;
    bool m_quiet = false;
    bool m_json = false;
};

} // namespace cannery::app
