// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/commands/runs_command.h"

#include "app/cannery/console/action_words.h"
#include "app/cannery/console/read_only_note.h"
#include "app/cannery/reports/run_views.h"
#include "core/base/clock.h"
#include "core/base/counted.h"
#include "core/reports/report_json.h"
#include "storage/runs/annotation_store.h"
#include "storage/runs/run_files.h"
#include "storage/runs/run_store.h"
#include "storage/runs/sweep_store.h"

#include <fmt/core.h>

#include <array>
#include <optional>

namespace cannery::app {

namespace {

constexpr ActionWords kActionWords{
    .unknownAction = {"command.usage.unknown_runs_action", "'cannery runs' has no action '{}'.{}"},
    .usage = {"command.usage.runs_words", "Usage: cannery runs {}"}};

using Arguments = RunsCommand::Arguments;

/// Everything an action works with. `words` are those after the action; where they name runs, the
/// runs found.
struct Context
{
    Console& console;
    storage::RunStore& store;
    const Arguments& arguments;
    std::vector<std::string> words;
};

Result<void> list(Context& context)
{
    CANNERY_TRY_ASSIGN(const std::vector<storage::RunSummary> runs,
                       context.store.list({.trashed = context.arguments.trash}));
    CANNERY_TRY_ASSIGN(const std::int64_t unknown, context.store.unknownFolders());
    if (unknown > 0) {
        context.console.note(
            fmt::format("{} {} in runs/ but not in this list; 'cannery runs rescan' adds them or "
                        "reports what is wrong",
                        counted(unknown, "run"), unknown == 1 ? "is" : "are"));
    }
    if (context.arguments.json) {
        context.console.document(reports::reportJson(runsReport(runs), 2));
        return {};
    }
    if (runs.empty() && (unknown == 0 || context.arguments.trash)) {
        context.console.note(context.arguments.trash ? "The trash is empty."
                                                     : "No runs yet; 'cannery train' makes one.");
    }
    for (const std::string& line : runLines(runs)) {
        context.console.result(line);
    }
    return {};
}

Result<void> show(Context& context)
{
    CANNERY_TRY_ASSIGN(storage::RunDetails details, context.store.show(context.words[0]));
    const std::string folder = context.store.folderOf(context.words[0]);
    // Tables and slices are only in the run's files. Without them, the rest is shown.
    if (const auto added = storage::RunFiles(folder).addDetails(details.evaluations); !added) {
        context.console.note(added.error().message());
    }
    CANNERY_TRY_ASSIGN(const std::optional<storage::FoldResult> folds,
                       storage::SweepStore(context.store.database()).foldsOf(context.words[0]));
    if (context.arguments.json) {
        context.console.document(reports::reportJson(detailsReport(details, folder, folds), 2));
        return {};
    }
    for (const std::string& line : detailsLines(details, folder, folds)) {
        context.console.result(line);
    }
    return {};
}

Result<void> compare(Context& context)
{
    std::vector<storage::RunDetails> details;
    for (const std::string& run : context.words) {
        CANNERY_TRY_ASSIGN(storage::RunDetails one, context.store.show(run));
        details.push_back(std::move(one));
    }
    if (context.arguments.json) {
        context.console.document(reports::reportJson(comparisonReport(details), 2));
        return {};
    }
    for (const std::string& line : comparisonLines(details)) {
        context.console.result(line);
    }
    return {};
}

Result<void> rename(Context& context)
{
    return storage::AnnotationStore(context.store.database())
        .setTitle(context.words[0], context.words[1]);
}

Result<void> note(Context& context)
{
    return storage::AnnotationStore(context.store.database())
        .setNotes(context.words[0], context.words[1]);
}

Result<void> tag(Context& context)
{
    storage::AnnotationStore annotations(context.store.database());
    for (std::size_t i = 1; i < context.words.size(); ++i) {
        const std::string& word = context.words[i];
        CANNERY_TRY(word.starts_with('-') ? annotations.removeTag(context.words[0], word.substr(1))
                                          : annotations.addTag(context.words[0], word));
    }
    return {};
}

Result<void> star(Context& context)
{
    storage::AnnotationStore annotations(context.store.database());
    CANNERY_TRY_ASSIGN(const storage::RunAnnotations before, annotations.read(context.words[0]));
    return annotations.setStar(context.words[0], !before.star);
}

Result<void> moveToTrash(Context& context)
{
    for (const std::string& run : context.words) {
        CANNERY_TRY(context.store.moveToTrash(run, systemClock().wallTime()));
        context.console.note(
            fmt::format("{} is in the trash; 'cannery runs restore {}' brings it back", run, run));
    }
    return {};
}

Result<void> purge(Context& context)
{
    for (const std::string& run : context.words) {
        CANNERY_TRY(context.store.deleteForever(run));
    }
    return {};
}

Result<void> restore(Context& context)
{
    storage::AnnotationStore annotations(context.store.database());
    for (const std::string& run : context.words) {
        CANNERY_TRY(annotations.restoreFromTrash(run));
    }
    return {};
}

struct ActionRow
{
    std::string_view key;
    std::string_view usage;
    std::size_t fewestWords;
    std::size_t mostWords;         ///< 0 for any number
    std::size_t runs;              ///< the number of words that are runs; kAny: all
    Result<void> (*act)(Context&); ///< null for rescan()
    bool onlyLooks = false;
};

constexpr std::size_t kAny = 1000;

constexpr std::array kActions{
    ActionRow{"list", "list [--trash]", 0, 0, 0, list, true},
    ActionRow{"show", "show RUN", 1, 1, 1, show, true},
    ActionRow{"compare", "compare RUN RUN...", 2, kAny, kAny, compare, true},
    ActionRow{"rename", "rename RUN TITLE", 2, 2, 1, rename},
    ActionRow{"note", "note RUN TEXT", 2, 2, 1, note},
    ActionRow{"tag", "tag RUN TAG... (-TAG takes one away)", 2, kAny, 1, tag},
    ActionRow{"star", "star RUN (again to take it away)", 1, 1, 1, star},
    ActionRow{"delete", "delete RUN... (move to the trash)", 1, kAny, kAny, moveToTrash},
    ActionRow{"restore", "restore RUN...", 1, kAny, kAny, restore},
    ActionRow{"purge", "purge RUN... (delete from the trash permanently)", 1, kAny, kAny, purge},
    ActionRow{"rescan", "rescan", 0, 0, 0, nullptr},
};

/// The only action that works on a damaged store.
Result<void> rescan(Console& console, const std::string& project)
{
    CANNERY_TRY_ASSIGN(const storage::RescanReport report, storage::RunStore::rescan(project));
    for (const Error& damaged : report.damaged) {
        console.problem(damaged);
    }
    console.note(counted(report.runs, "run") + " found");
    return {};
}

Result<void> runAction(Console& console, const ActionRow& row, const Arguments& arguments)
{
    const std::string project = arguments.project.value_or(".");
    if (row.act == nullptr) {
        return rescan(console, project);
    }
    // Who only looks needs no right to write into the folder.
    CANNERY_TRY_ASSIGN(storage::RunStore store, row.onlyLooks
                                                    ? storage::RunStore::openForReading(project)
                                                    : storage::RunStore::open(project));
    if (row.onlyLooks) {
        noteIfReadOnly(console, project);
    }
    Context context{
        .console = console, .store = store, .arguments = arguments, .words = arguments.words};
    // All runs are found before anything is changed: a typing error in the last word changes none.
    for (std::size_t i = 0; i < context.words.size() && i < row.runs; ++i) {
        CANNERY_TRY_ASSIGN(context.words[i], store.find(context.words[i]));
    }
    return row.act(context);
}

} // namespace

void RunsCommand::declare(OptionSet& options)
{
    options.arguments(
        "ACTION", m_words,
        "list, show, compare, rename, note, tag, star, delete, restore, purge or rescan, "
        "then its runs and texts (default: list)",
        false);
    options.option("--project", "DIR", m_arguments.project,
                   "the project's folder (default: this folder)");
    options.flag("--trash", m_arguments.trash, "list what is in the trash");
    options.flag("--json", m_arguments.json, "print one JSON object");
}

ExitCode RunsCommand::run(Console& console)
{
    const auto row = chooseAction(kActions, kActionWords, m_words, m_arguments);
    if (!row) {
        return reportFailure(console, row.error());
    }
    if (const Result<void> done = runAction(console, **row, m_arguments); !done) {
        return reportFailure(console, done.error());
    }
    return ExitCode::Done;
}

} // namespace cannery::app
