// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/commands/help_command.h"

#include "app/cannery/commands/command_catalog.h"
#include "core/base/catalog.h"
#include "core/spec/schema_help.h"

#include <fmt/core.h>

#include <algorithm>

namespace cannery::app {

namespace {

void printOverview(const Console& console)
{
    console.document("Cannery trains TensorFlow's canned estimators from one experiment file.\n\n"
                     "Usage: cannery COMMAND [OPTIONS]\n\nCommands:");
    for (const CommandRow& row : commandCatalog()) {
        console.result(fmt::format("  {:<11} {}", row.key, row.summary));
    }
    console.document(
        "\n'cannery help COMMAND' explains a command, 'cannery help estimator' any field of "
        "an experiment.\nExit codes: 0 done, 1 failed, 2 usage, 3 the experiment or the "
        "data has errors, 4 the loss became NaN,\n5 no usable checkpoint, 129, 130 and 143 "
        "stopped and saved, 141 the reader of the result closed the pipe,\n200 another task of "
        "the cluster is lost, 201 its coordinator is lost, 202 the GPU is lost: start this task "
        "again.");
}

/// A longer one gets a line of its own, so that a list of choices does not push the help of all
/// options away.
constexpr std::size_t kWidestTitle = 40;

std::string titleOf(const OptionInfo& info)
{
    const std::string dots = info.repeats && info.valueName.empty() ? "..." : "";
    const std::string name = info.shortName.empty() ? info.name : info.shortName + ", " + info.name;
    return info.valueName.empty() ? name + dots : name + " " + info.valueName;
}

void printCommand(const Console& console, const CommandRow& row)
{
    OptionSet options;
    row.make()->declare(options);
    std::string usage = fmt::format("Usage: cannery {}", row.key);
    std::size_t width = 0;
    for (const OptionInfo& info : options.infos()) {
        if (const std::size_t size = titleOf(info).size(); size <= kWidestTitle) {
            width = std::max(width, size);
        }
        if (!info.name.starts_with("--")) {
            usage += info.required ? " " + titleOf(info) : " [" + titleOf(info) + "]";
        }
    }
    console.document(fmt::format("{}\n\n{} [OPTIONS]\n", row.summary, usage));
    for (const OptionInfo& info : options.infos()) {
        std::string title = titleOf(info);
        if (title.size() > width) {
            console.result("  " + title);
            title.clear();
        }
        console.result(fmt::format("  {:<{}}  {}", title, width, info.help));
    }
}

} // namespace

void HelpCommand::declare(OptionSet& options)
{
    options.argument("TOPIC", m_topic,
                     "a command, or a schema path such as estimator.dnn_classifier", false);
}

ExitCode HelpCommand::run(Console& console)
{
    if (m_topic.empty()) {
        printOverview(console);
        return ExitCode::Done;
    }
    if (const CommandRow* row = findRow(commandCatalog(), std::string_view(m_topic))) {
        printCommand(console, *row);
        return ExitCode::Done;
    }
    const Result<std::string> text = spec::helpFor(m_topic, true);
    if (!text) {
        reportFailure(console, text.error());
        return ExitCode::Usage;
    }
    console.document(*text);
    return ExitCode::Done;
}

} // namespace cannery::app
