// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/console/command.h"

namespace cannery::app {

/// `cannery runs [ACTION] [RUN...]`: lists and manages a project's runs.
class RunsCommand final : public Command
{
public:
    /// The parsed command line, the same for every action.
    struct Arguments
    {
        std::string action = "list";
        std::vector<std::string> words;
        std::optional<std::string> project;
        bool trash = false;
        bool json = false;
    };

    void declare(OptionSet& options) override;
    ExitCode run(Console& console) override;

private:
    Arguments m_arguments;
    std::vector<std::string> m_words;
};

} // namespace cannery::app
