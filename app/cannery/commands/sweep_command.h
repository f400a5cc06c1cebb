// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/console/command.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cannery::app {

/// `cannery sweep FILE`: trains the runs that the experiment's sweep describes, and compares them.
class SweepCommand final : public Command
{
public:
    void declare(OptionSet& options) override;
    ExitCode run(Console& console) override;

private:
    std::string m_file;
    std::vector<std::string> m_overrides;
    std::optional<std::string> m_progress;
    bool m_isDryRun = false;
    bool m_quiet = false;
    bool m_json = false;
};

} // namespace cannery::app
