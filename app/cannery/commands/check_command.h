// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/console/command.h"

namespace cannery::app {

/// `cannery check FILE`: every problem of an experiment at once, or what it resolves to.
class CheckCommand final : public Command
{
public:
    void declare(OptionSet& options) override;
    ExitCode run(Console& console) override;

private:
    std::string m_file;
    std::vector<std::string> m_overrides;
    bool m_resolved = false;
    bool m_json = false;
};

} // namespace cannery::app
