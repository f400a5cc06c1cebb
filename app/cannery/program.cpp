// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/program.h"

#include "app/cannery/commands/command_catalog.h"
#include "app/version.h"
#include "core/base/catalog.h"

#include <algorithm>
#include <new>
#include <system_error>

namespace cannery::app {

namespace {

constexpr ErrorKind kOutOfMemory{
    "command.out_of_memory",
    "There is not enough memory. Close other programs, or lower run_config.cache_memory_mb and the "
    "batch size."};
constexpr ErrorKind kRefused{
    "command.refused",
    "The system refused a resource ({}). Raise the limits of this program (`ulimit -a` shows "
    "them) or close other programs."};
constexpr ErrorKind kUnknownCommand{"command.usage.unknown_command", "Unknown command '{}'.{}"};

std::vector<std::string> commandNames()
{
    std::vector<std::string> names;
    for (const CommandRow& row : commandCatalog()) {
        names.emplace_back(row.key);
    }
    return names;
}

bool asksForHelp(const std::vector<std::string>& words)
{
    return std::any_of(words.begin(), words.end(),
                       [](const std::string& word) { return word == "--help" || word == "-h"; });
}

ExitCode runCommand(Console& console, const CommandRow& row, const std::vector<std::string>& words)
{
    const std::unique_ptr<Command> command = row.make();
    OptionSet options;
    command->declare(options);
    // With --json, even errors in the options are reported as JSON.
    console.setJson(std::find(words.begin(), words.end(), "--json") != words.end());
    if (const Result<void> parsed = options.parse(std::string(row.key), words); !parsed) {
        return reportFailure(console, parsed.error());
    }
    // Exceptions that our own code does not turn into an Error.
    try {
        return command->run(console);
    } catch (const std::bad_alloc&) {
        return reportFailure(console, error(ErrorCode::ResourceExhausted, kOutOfMemory));
    } catch (const std::system_error& refused) {
        return reportFailure(console,
                             error(ErrorCode::ResourceExhausted, kRefused, refused.what()));
    }
}

ExitCode run(Console& console, const std::vector<std::string>& words)
{
    std::string verb = words.empty() ? "help" : words.front();
    std::vector<std::string> rest(words.empty() ? words.end() : words.begin() + 1, words.end());
    if (verb == "--help" || verb == "-h") {
        verb = "help";
    } else if (asksForHelp(rest)) {
        rest = {verb};
        verb = "help";
    }
    if (verb == "--version") {
        console.result(std::string("cannery ") + versionWithCommit());
        return ExitCode::Done;
    }
    const CommandRow* row = findRow(commandCatalog(), std::string_view(verb));
    if (row == nullptr) {
        return reportFailure(console, error(ErrorCode::InvalidArgument, kUnknownCommand, verb,
                                            suggestion(verb, commandNames())));
    }
    return runCommand(console, *row, rest);
}

} // namespace

ExitCode runProgram(const std::vector<std::string>& words)
{
    Console console;
    return console.finish(run(console, words));
}

} // namespace cannery::app
