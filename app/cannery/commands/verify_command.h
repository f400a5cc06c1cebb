// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/console/command.h"

namespace cannery::app {

/// `cannery verify [PROJECT]`: checks that everything in a project is as it was written.
class VerifyCommand final : public Command
{
public:
    void declare(OptionSet& options) override;
    ExitCode run(Console& console) override;

private:
    std::string m_project = ".";
    std::optional<std::string> m_progress;
    bool m_json = false;
};

} // namespace cannery::app
