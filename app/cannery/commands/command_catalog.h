// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/console/command.h"

#include <span>
#include <string_view>

namespace cannery::app {

/// A row of the table of commands.
struct CommandRow
{
    std::string_view key;     ///< the verb
    std::string_view summary; ///< one line
    std::unique_ptr<Command> (*make)() = nullptr;
};

/// Every command, in the order in which help lists them.
std::span<const CommandRow> commandCatalog();

} // namespace cannery::app
