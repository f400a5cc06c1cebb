// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/console/command.h"

namespace cannery::app {

/// `cannery help [PATH]`: the commands, one command, or any message or field of the schema.
class HelpCommand final : public Command
{
public:
    void declare(OptionSet& options) override;
    ExitCode run(Console& console) override;

private:
    std::string m_topic;
};

} // namespace cannery::app
