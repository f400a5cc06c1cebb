// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/console/command.h"

namespace cannery::app {

/// `cannery queue add|list|remove|move|start|run`: manages what a project trains next, with or
/// without a window.
class QueueCommand final : public Command
{
public:
    /// The command line without the action.
    struct Arguments
    {
        std::string action = "list";
        std::vector<std::string> words; ///< after the action
        std::optional<std::string> project;
        std::vector<std::string> overrides;
        std::optional<std::string> title;
        std::optional<std::int64_t> entry;
        bool start = false;
        bool json = false;
    };

    void declare(OptionSet& options) override;
    ExitCode run(Console& console) override;

private:
    std::vector<std::string> m_words;
    Arguments m_arguments;
};

} // namespace cannery::app
