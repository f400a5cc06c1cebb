// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/commands/queue_command.h"

#include "app/cannery/console/action_words.h"
#include "app/cannery/console/read_only_note.h"
#include "app/cannery/input/experiment_input.h"
#include "app/cannery/reports/run_views.h"
#include "core/base/clock.h"
#include "core/base/json_text.h"
#include "core/base/text_table.h"
#include "core/launch/child_process.h"
#include "core/launch/queue_runner.h"
#include "core/launch/stop_signals.h"
#include "storage/io/files.h"
#include "storage/runs/queue_lock.h"
#include "storage/runs/queue_store.h"
#include "storage/runs/run_store.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <array>
#include <charconv>
#include <filesystem>

namespace cannery::app {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

constexpr ActionWords kActionWords{
    .unknownAction = {"command.usage.unknown_queue_action",
                      "'cannery queue' has no action '{}'.{}"},
    .usage = {"command.usage.queue_words", "Usage: cannery queue {}"}};
constexpr ErrorKind kNotNumber{"command.usage.not_a_number", "'{}' is not a number."};

using Arguments = QueueCommand::Arguments;
using Outcome = tl::expected<ExitCode, Error>;

struct Context
{
    Console& console;
    const Arguments& arguments;
    const std::vector<std::string>& words;
    std::string project;
};

Result<std::int64_t> numberOf(const std::string& word)
{
    std::int64_t number = 0;
    const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (failure != std::errc() || end != word.data() + word.size()) {
        return fail(ErrorCode::InvalidArgument, kNotNumber, word);
    }
    return number;
}

Json entryJson(const storage::QueueEntry& entry)
{
    return {{"id", entry.id},
            {"experiment", entry.experimentFile},
            {"title", entry.title},
            {"overrides", entry.overrides},
            {"state", std::string(storage::name(entry.state))},
            {"reason", entry.reason},
            {"added_at", entry.addedAt}};
}

void print(const Context& context, const Json& json)
{
    context.console.document(jsonText(json, 2));
}

/// Starts a process that takes the entries one after another.
Result<void> startRunner(const std::string& project)
{
    // Two commands that both find it free do no harm: the second runner finds the lock held and
    // ends.
    if (storage::QueueLock::isHeld(project)) {
        return {};
    }
    return launch::startSelfDetached({"queue", "run", "--project", project});
}

Outcome add(Context& context)
{
    const fs::path file = fs::absolute(context.words[0]).lexically_normal();
    const auto checked =
        readTrainableExperiment(context.console, file, context.arguments.overrides);
    if (!checked) {
        return checked.error(); // already printed
    }
    // The queue is that of the project in whose folder the file is.
    if (!context.arguments.project) {
        context.project = file.parent_path().string();
    }
    // The text is queued and not only the path: later edits of the file do not change the entry.
    CANNERY_TRY_ASSIGN(std::string text, storage::readWholeFile(file.string()));
    CANNERY_TRY_ASSIGN(storage::RunStore store, storage::RunStore::open(context.project));
    CANNERY_TRY_ASSIGN(const storage::QueueEntry entry,
                       storage::QueueStore(store.database())
                           .add({.experimentFile = file.string(),
                                 .experimentText = std::move(text),
                                 .overrides = context.arguments.overrides,
                                 .title = context.arguments.title.value_or(""),
                                 .addedAt = systemClock().wallTime()}));
    if (context.arguments.start) {
        CANNERY_TRY(startRunner(context.project));
    }
    if (context.arguments.json) {
        print(context, entryJson(entry));
    } else {
        context.console.result(fmt::format("{}", entry.id));
    }
    return ExitCode::Done;
}

Outcome list(Context& context)
{
    CANNERY_TRY_ASSIGN(storage::RunStore store, storage::RunStore::openForReading(context.project));
    noteIfReadOnly(context.console, context.project);
    CANNERY_TRY_ASSIGN(const std::vector<storage::QueueEntry> entries,
                       storage::QueueStore(store.database()).list());
    if (context.arguments.json) {
        Json rows = Json::array();
        for (const storage::QueueEntry& entry : entries) {
            rows.push_back(entryJson(entry));
        }
        print(context, {{"running", storage::QueueLock::isHeld(context.project)},
                        {"entries", std::move(rows)}});
        return ExitCode::Done;
    }
    if (entries.empty()) {
        context.console.note(
            "The queue is empty; add an experiment with 'cannery queue add FILE'.");
        return ExitCode::Done;
    }
    std::vector<std::vector<std::string>> rows;
    for (const storage::QueueEntry& entry : entries) {
        const std::string name = fs::path(entry.experimentFile).filename().string();
        rows.push_back({fmt::format("{}", entry.id),
                        entry.title.empty() ? name : fmt::format("{} ({})", entry.title, name),
                        std::string(storage::name(entry.state)), timeText(entry.addedAt),
                        entry.reason});
    }
    for (const std::string& line : alignedTable({"id", "what", "state", "added", "why"}, rows)) {
        context.console.result(line);
    }
    return ExitCode::Done;
}

Outcome remove(Context& context)
{
    CANNERY_TRY_ASSIGN(storage::RunStore store, storage::RunStore::open(context.project));
    for (const std::string& word : context.words) {
        CANNERY_TRY_ASSIGN(const std::int64_t id, numberOf(word));
        CANNERY_TRY(storage::QueueStore(store.database()).remove(id));
    }
    return ExitCode::Done;
}

Outcome move(Context& context)
{
    CANNERY_TRY_ASSIGN(const std::int64_t id, numberOf(context.words[0]));
    CANNERY_TRY_ASSIGN(const std::int64_t place, numberOf(context.words[1]));
    CANNERY_TRY_ASSIGN(storage::RunStore store, storage::RunStore::open(context.project));
    // People count from 1.
    CANNERY_TRY(storage::QueueStore(store.database()).move(id, place - 1));
    return ExitCode::Done;
}

Outcome start(Context& context)
{
    if (context.words.empty()) {
        CANNERY_TRY(startRunner(context.project));
        return ExitCode::Done;
    }
    CANNERY_TRY_ASSIGN(const std::int64_t id, numberOf(context.words[0]));
    // Here, so that an id that does not exist fails in this terminal: nobody sees the output of the
    // detached process.
    {
        CANNERY_TRY_ASSIGN(storage::RunStore store, storage::RunStore::open(context.project));
        CANNERY_TRY(storage::QueueStore(store.database()).find(id));
    }
    CANNERY_TRY(launch::startSelfDetached(
        {"queue", "run", "--entry", fmt::format("{}", id), "--project", context.project}));
    return ExitCode::Done;
}

Outcome runEntries(Context& context)
{
    context.console.setMayDropLines();
    const launch::StopSignals signals;
    const launch::QueueRunRequest request{
        .project = context.project, .stop = signals.flag(), .note = [&](const std::string& line) {
            context.console.note(line);
        }};
    if (context.arguments.entry) {
        CANNERY_TRY(launch::runQueueEntry(request, *context.arguments.entry));
        return ExitCode::Done;
    }
    CANNERY_TRY_ASSIGN(const bool wasFree, launch::runQueue(request));
    if (!wasFree) {
        context.console.note("Another process is already running this queue.");
    }
    return signals.signal() != 0 ? signals.exitCode() : ExitCode::Done;
}

struct ActionRow
{
    std::string_view key;
    std::string_view usage;
    std::size_t fewestWords;
    std::size_t mostWords;
    Outcome (*act)(Context&);
};

constexpr std::array kActions{
    ActionRow{"add", "add FILE [--set PATH=VALUE] [--title TEXT] [--start]", 1, 1, add},
    ActionRow{"list", "list", 0, 0, list},
    ActionRow{"remove", "remove ID...", 1, 1000, remove},
    ActionRow{"move", "move ID PLACE (1 is the first)", 2, 2, move},
    ActionRow{"start", "start [ID] (this entry now; without ID the whole queue)", 0, 1, start},
    ActionRow{"run", "run [--entry ID]", 0, 0, runEntries},
};

} // namespace

void QueueCommand::declare(OptionSet& options)
{
    options.arguments("ACTION", m_words,
                      "add, list, remove, move, start or run, then a file or entries "
                      "(default: list)",
                      false);
    options.option("--project", "DIR", m_arguments.project,
                   "the project's folder (default: this folder; with add, the file's)");
    options.option("--set", "PATH=VALUE", m_arguments.overrides,
                   "with add: override a field (repeatable)");
    options.option("--title", "TEXT", m_arguments.title, "with add: the run's title");
    options.flag("--start", m_arguments.start,
                 "with add: start training the queue in the background");
    options.option("--entry", "ID", m_arguments.entry, "with run: train only this entry");
    options.flag("--json", m_arguments.json, "print one JSON object");
}

ExitCode QueueCommand::run(Console& console)
{
    const auto row = chooseAction(kActions, kActionWords, m_words, m_arguments);
    if (!row) {
        return reportFailure(console, row.error());
    }
    Context context{.console = console,
                    .arguments = m_arguments,
                    .words = m_arguments.words,
                    .project = fs::absolute(m_arguments.project.value_or(".")).string()};
    const Outcome outcome = (*row)->act(context);
    return outcome ? *outcome : reportFailure(console, outcome.error());
}

} // namespace cannery::app
