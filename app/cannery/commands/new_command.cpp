// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/commands/new_command.h"

#include "app/cannery/console/remark_notes.h"
#include "app/cannery/input/experiment_input.h"
#include "app/cannery/input/experiment_place.h"
#include "app/cannery/reports/first_model_report.h"
#include "app/cannery/reports/starting_report.h"
#include "app/cannery/tables/new_cures.h"
#include "app/cannery/tables/reading_remarks.h"
#include "app/cannery/tables/table_start.h"
#include "core/advice/label_guess.h"
#include "core/advice/starting_experiment.h"
#include "core/advice/suggested_reading.h"
#include "core/advice/table_survey.h"
#include "core/advice/total_row.h"
#include "core/advice/trainable_text.h"
#include "core/data/sources/data_source.h"
#include "core/data/sources/data_source_catalog.h"
#include "core/data/typing/kind_revision.h"
#include "core/reports/report_json.h"
#include "core/spec/text/text_format.h"
#include "core/survey/column_report.h"
#include "core/survey/table_settings.h"
#include "core/survey/table_statistics.h"
#include "kernels/device/thread_pool.h"
#include "storage/io/atomic_write.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

namespace cannery::app {

namespace fs = std::filesystem;
namespace {

constexpr ErrorKind kExists{"new.exists", "{} already exists, and 'cannery new' never overwrites; "
                                          "give another name with --output."};
constexpr ErrorKind kLabelNeeded{
    "command.usage.no_label",
    "Missing --label COLUMN, the column to predict; to find clusters without one, give --estimator "
    "kmeans. The columns are: {}.{}"};
constexpr ErrorKind kNoLabel{"new.no_label",
                             "No column of the table can be a label: a label is a number or one of "
                             "at most 100 classes, and never missing."};
constexpr ErrorKind kOnlyForText{
    "command.usage.only_for_text",
    "{} is no text file: leave out --delimiter, --encoding and --decimal-mark."};
/// With fewer rows, those held back are too few to compare models.
constexpr std::uint64_t kFewestRowsToTryOn = 15;
/// With more columns, each try would take minutes.
constexpr std::size_t kMostColumnsToTry = 5000;

/// Reports how many models were tried.
void showTried(int tried, int all, Console& console)
{
    console.advance(static_cast<double>(tried) / all,
                    fmt::format("trying models, {} of {}", tried, all));
}

std::string guessText(const advice::LabelGuess& guess)
{
    return guess.column.empty()
               ? std::string()
               : fmt::format(" It looks like '{}': {}.", guess.column, guess.reason);
}

} // namespace

/// Everything that is found out about a table before the experiment is written.
struct NewCommand::Findings
{
    data::TableSchema schema;
    std::vector<data::SourceSetting> settings;
    std::vector<data::SourceSetting> adopted; ///< written into the experiment without an option
    std::vector<std::string> suggestions;     ///< sentences on those that were followed
    std::vector<std::string> remarks;         ///< about lines of the table that are not rows
    bool leavesOut = false;                   ///< rows that cannot be read
    data::TableStatistics statistics;
    advice::LabelGuess guess;
    std::string label; ///< given, else guessed; empty if there is none
    std::optional<advice::StartingExperiment> starting;
    FirstModel model;
    std::string text; ///< of the experiment; empty without one
    std::vector<spec::Problem> problems;
};

void NewCommand::declare(OptionSet& options)
{
    options.argument(
        "FILE", m_table,
        "a table: CSV, TSV, TFRecord (a file or folder), SQLite, .npz, JSON lines, ARFF, "
        "LIBSVM, fixed width, or a folder of pictures");
    options.option("--label", "COLUMN", m_label, "the column to predict; kmeans needs none");
    options.choice("--estimator", advice::estimatorChoices(), m_estimator,
                   "what to train (default: auto, a wide and deep model or boosted trees)");
    options.option("--leave-out", "COLUMN", m_leaveOut, "a column not to learn from (repeatable)");
    options.flag("--best-score", m_bestScore,
                 "take the model with the best score, even if a simpler one is hardly worse");
    options.flag("--no-tries", m_noTries,
                 "choose the model by the size of the table, without trying any");
    options.option("--output", "FILE", m_output, "where to write (default: next to the table)");
    options.option("--delimiter", "CHARACTER", m_delimiter,
                   "the character between two cells, \\t for a tab (default: detected)");
    options.choice("--encoding", survey::encodingChoices(), m_encoding,
                   "how the table is encoded (default: utf8, or utf16 by its byte order mark)");
    options.choice("--decimal-mark", survey::decimalMarkChoices(), m_decimalMark,
                   "the mark in numbers such as 3,14 (default: detected)");
    options.option("--numbers", "COLUMN=EXAMPLE", m_numbers,
                   "how the numbers of a column are written, by an example: 'price=1.234,5' "
                   "(repeatable; default: detected)");
    options.choice("--dates", {"day_first", "month_first", "iso"}, m_dateOrder,
                   "how dates such as 1/2/2024 or 24-5-1 are read where no row shows it");
    m_reading.declare(options);
    options.flag("--skip-bad-rows", m_skipBadRows,
                 "skip rows that cannot be read, instead of stopping at the first");
    options.flag("--dry-run", m_dryRun,
                 "print what would be written; without --label, guess the label and try no models");
    declareProgress(options, m_progress);
    options.flag("--json", m_json, "print one JSON object");
}

fs::path NewCommand::outputFile() const
{
    return m_output ? fs::path(*m_output) : experimentBeside(m_table);
}

/// The table, to be read according to the options.
spec::DataSource NewCommand::tableSource() const
{
    spec::DataSource source = survey::sourceOfTable(m_table);
    if (m_delimiter) {
        survey::setField(source, "field_delim", *m_delimiter);
    }
    if (m_encoding) {
        survey::setField(source, "encoding", *m_encoding);
    }
    if (m_decimalMark) {
        survey::setField(source, "decimal_mark", *m_decimalMark);
    }
    return source;
}

/// An open table and how it is read.
struct NewCommand::Table
{
    std::unique_ptr<data::DataSource> source;
    spec::DataSource message;
    data::SourceOptions options = {};
    std::vector<data::SourceSetting> adopted = {}; ///< detected, and now in the message
    std::vector<std::string> suggestions = {};     ///< sentences on those that were followed
    std::optional<data::SplitPair> splits = {};    ///< then the source reads the first
};

Result<NewCommand::Table> NewCommand::openTable() const
{
    Table table{.message = tableSource()};
    CANNERY_TRY(m_reading.applyOrFind(table.message, m_table, m_label.value_or("")));
    if (!survey::readsText(table.message) && (m_delimiter || m_encoding || m_decimalMark)) {
        return fail(ErrorCode::InvalidArgument, kOnlyForText, m_table);
    }
    data::SourceOptions& options = table.options;
    // One damaged file among thousands says nothing about the others.
    const bool skips = m_skipBadRows || data::rowsAreFiles(table.message);
    options.badRows = skips ? spec::BadRows::SKIP : spec::BadRows::FAIL;
    table.splits = data::splitsOf(table.message);
    if (table.splits) {
        survey::setField(table.message, "split", table.splits->train);
    }
    CANNERY_TRY_ASSIGN(table.source, data::openDataSource(table.message, options));
    table.adopted = survey::adoptSettings(*table.source, table.message);
    if (!table.adopted.empty()) {
        // Opened once more with what was detected, so that it is read as the experiment will be.
        CANNERY_TRY_ASSIGN(table.source, data::openDataSource(table.message, options));
    }
    for (const std::string& example : m_numbers) {
        CANNERY_TRY_ASSIGN(options.columns.emplace_back(),
                           advice::columnOfExample(example, table.source->schema()));
    }
    if (!m_numbers.empty()) {
        CANNERY_TRY_ASSIGN(table.source, data::openDataSource(table.message, options));
    }
    CANNERY_TRY(followSuggested(table));
    CANNERY_TRY(leaveOutTotal(table));
    return table;
}

/// Reads the table as what was seen of it suggests.
Result<void> NewCommand::followSuggested(Table& table)
{
    table.suggestions = advice::suggestionLines(table.source->schema());
    if (advice::followSuggestions(table.source->schema(), table.options.columns)) {
        CANNERY_TRY_ASSIGN(table.source, data::openDataSource(table.message, table.options));
    }
    return {};
}

/// A row that sums up the others becomes a line of comment: it would be the farthest of all rows.
Result<void> NewCommand::leaveOutTotal(Table& table) const
{
    if (!survey::readsText(table.message)) {
        return {};
    }
    CANNERY_TRY_ASSIGN(advice::TotalRows total, advice::findTotalRows(*table.source));
    const std::vector<std::string> quotes{"", "\""};
    for (const std::string& quote : total.text.empty() ? std::vector<std::string>() : quotes) {
        Table without{.message = table.message, .options = table.options, .adopted = table.adopted};
        without.options.columns.resize(m_numbers.size()); // the total may have suggested the others
        survey::setField(without.message, "comment", quote + total.text);
        CANNERY_TRY_ASSIGN(without.source, data::openDataSource(without.message, without.options));
        const data::TableSchema& schema = without.source->schema();
        // Exactly one row less: the text may begin other lines as well, and change what is the
        // header.
        if (schema.names() == table.source->schema().names() &&
            schema.rowsSeen + 1 == table.source->schema().rowsSeen) {
            CANNERY_TRY(followSuggested(without));
            total.notes.push_back("Left out as a comment: " + total.remark);
            table = std::move(without);
            break;
        }
    }
    table.suggestions.insert(table.suggestions.end(), total.notes.begin(), total.notes.end());
    return {};
}

/// Where the experiment's rows come from.
void NewCommand::setSources(const Table& opened, advice::StartingExperiment& starting) const
{
    spec::Data& data = *starting.experiment.mutable_data();
    const std::string path = relativeTo(outputFile().parent_path(), m_table);
    *data.mutable_train() = data::withFiles(opened.message, {path});
    if (opened.splits) {
        survey::setField(*data.mutable_train(), "split", opened.splits->train);
        *data.mutable_eval() = data.train();
        survey::setField(*data.mutable_eval(), "split", opened.splits->eval);
        data.clear_split();
    }
    if (const std::string key(data::identifierOf(opened.message));
        opened.source->schema().find(key) != nullptr) {
        data.add_key_column(key);
        std::erase_if(starting.leftOut, [&](const auto& remark) { return remark.column == key; });
    }
}

Result<NewCommand::Findings> NewCommand::findOut(Console& console) const
{
    Findings findings;
    CANNERY_TRY_ASSIGN(Table opened, openTable());
    findings.schema = opened.source->schema();
    findings.settings = opened.source->settings();
    findings.adopted = opened.adopted;
    findings.suggestions = opened.suggestions;
    const bool isEncodingGuessed =
        !m_encoding && std::none_of(opened.adopted.begin(), opened.adopted.end(),
                                    [](const auto& each) { return each.field == "encoding"; });
    CANNERY_TRY_ASSIGN(findings.remarks,
                       readingRemarks(*opened.source, opened.message, isEncodingGuessed));
    findings.guess = advice::guessLabel(findings.schema);
    CANNERY_TRY(chooseLabel(opened, findings));
    CANNERY_TRY(readWhole(opened, findings));
    CANNERY_TRY_ASSIGN(const std::vector<advice::ColumnSentinel> sentinels,
                       takeSentinels(opened, findings));
    if (findings.label.empty() && !isClustering()) {
        findings.problems.push_back({.error = error(ErrorCode::InvalidArgument, kNoLabel)});
        return findings;
    }
    data::reviseKinds(findings.statistics, findings.schema);
    Result<advice::StartingExperiment> starting =
        startFrom(*opened.source, {.schema = findings.schema,
                                   .statistics = findings.statistics,
                                   .label = findings.label,
                                   .estimator = m_estimator.value_or(""),
                                   .leaveOut = m_leaveOut,
                                   .dateOrder = m_dateOrder.value_or("")});
    if (!starting) {
        // With --dry-run everything that was found is reported together with the problem.
        if (!m_dryRun) {
            return tl::make_unexpected(std::move(starting).error());
        }
        findings.problems.push_back({.error = std::move(starting).error()});
        return findings;
    }
    advice::noteSentinels(sentinels, *starting);
    starting->experiment.set_name(nameOfTable(m_table));
    setSources(opened, *starting);
    if (findings.leavesOut) {
        starting->experiment.mutable_data()->set_bad_rows(spec::BadRows::SKIP);
    }
    findings.starting = std::move(*starting);
    CANNERY_TRY(chooseModel(findings, console));
    std::vector<std::string> read = survey::settingLines(findings.adopted);
    read.insert(read.end(), findings.suggestions.begin(), findings.suggestions.end());
    read.insert(read.end(), findings.remarks.begin(), findings.remarks.end());
    findings.starting->notes.insert(findings.starting->notes.begin(), read.begin(), read.end());
    advice::noteUnnamed(findings.schema, *findings.starting);
    findings.text = experimentText(*findings.starting, withoutSlash(m_table).filename().string());
    findings.problems = problemsOf(*findings.starting);
    if (!m_dryRun) {
        CANNERY_TRY(advice::checkTrains(findings.text, outputFile().parent_path()));
    }
    return findings;
}

bool NewCommand::isClustering() const
{
    return advice::needsNoLabel(m_estimator.value_or(""));
}

/// The given one, the one that the kind of table has, or, to be looked at only, a guess.
Result<void> NewCommand::chooseLabel(const Table& opened, Findings& findings) const
{
    const std::string own(data::labelOf(opened.message));
    const bool hasOwn = findings.schema.find(own) != nullptr;
    if (!m_label && !m_dryRun && !isClustering() && !hasOwn) {
        return fail(ErrorCode::InvalidArgument, kLabelNeeded,
                    fmt::format("{}", fmt::join(findings.schema.names(), ", ")),
                    guessText(findings.guess));
    }
    findings.label = m_label.value_or(isClustering() ? "" : hasOwn ? own : findings.guess.column);
    return {};
}

/// One pass over the table.
Result<void> NewCommand::readWhole(const Table& opened, Findings& findings) const
{
    CANNERY_TRY_ASSIGN(survey::TableFindings seen,
                       survey::statisticsWithLabel(*opened.source, findings.label));
    findings.statistics = std::move(seen.statistics);
    findings.leavesOut = m_skipBadRows || seen.report.badRowCount > 0;
    const std::vector<std::string> leftOut = leftOutRemarks(seen.report);
    findings.remarks.insert(findings.remarks.end(), leftOut.begin(), leftOut.end());
    return {};
}

/// Numbers that stand for missing ones become missing tokens: the table is read with them.
Result<std::vector<advice::ColumnSentinel>> NewCommand::takeSentinels(Table& opened,
                                                                      Findings& findings) const
{
    CANNERY_TRY_ASSIGN(
        std::vector<advice::ColumnSentinel> sentinels,
        advice::surveySentinels(*opened.source, findings.statistics, findings.label));
    if (advice::addMissingTokens(sentinels, opened.options.columns)) {
        CANNERY_TRY_ASSIGN(opened.source, data::openDataSource(opened.message, opened.options));
        findings.schema = opened.source->schema();
        CANNERY_TRY_ASSIGN(survey::TableFindings seen,
                           survey::statisticsWithLabel(*opened.source, findings.label));
        findings.statistics = std::move(seen.statistics);
    }
    return sentinels;
}

/// Sets the experiment's model: by trying some on the table, or by the table's size.
Result<void> NewCommand::chooseModel(Findings& findings, Console& console) const
{
    advice::StartingExperiment& starting = *findings.starting;
    const std::uint64_t rows = findings.statistics.rows;
    findings.model.choice = advice::usualChoice(starting, rows);
    // Without a label, this is a question about the table; answer it at once.
    if (m_label && !m_noTries && !starting.readsArrays &&
        starting.family != advice::ModelFamily::Baseline && rows >= kFewestRowsToTryOn &&
        starting.columns.plain.size() <= kMostColumnsToTry) {
        CANNERY_TRY_ASSIGN(advice::ModelSearchResult found,
                           advice::searchModel({.starting = starting,
                                                .folder = outputFile().parent_path().string(),
                                                .threads = kernels::threadCount(0),
                                                .keepsBestScore = m_bestScore,
                                                .progress = [&](int tried, int all) {
                                                    showTried(tried, all, console);
                                                }}));
        console.clearProgress();
        findings.model.choice = found.choice;
        findings.model.tried = std::move(found.tried);
        findings.model.guessLoss = found.guess;
        starting.columns = std::move(found.columns);
        starting.notes = std::move(found.notes);
    }
    const spec::Data& rowsOf = starting.experiment.data();
    if (!findings.label.empty() && !rowsOf.has_split() && !rowsOf.has_eval()) {
        starting.notes.insert(
            starting.notes.begin(),
            fmt::format("All {} rows are used for training: too few to hold some back "
                        "for evaluation",
                        rows));
    }
    starting.experiment = advice::withModel(starting, findings.model.choice);
    return {};
}

reports::NewExperiment NewCommand::report(const Findings& findings) const
{
    reports::NewExperiment report;
    const bool guessed = !m_label;
    reports::LabelGuess& label = *report.mutable_label();
    label.set_guess(guessed ? findings.guess.column : findings.label);
    label.set_confidence(guessed ? findings.guess.confidence : 1.0);
    label.set_reason(guessed ? findings.guess.reason : std::string("given"));
    *report.mutable_settings() = survey::settingsReport(findings.settings);
    report.mutable_remarks()->Assign(findings.remarks.begin(), findings.remarks.end());
    *report.mutable_columns() = survey::columnsReport(findings.schema, &findings.statistics, {});
    report.set_rows(findings.statistics.rows);
    report.set_experiment_text(findings.text);
    *report.mutable_problems() =
        problemsReport(findings.problems, outputFile().string()).problems();
    if (findings.starting) {
        report.set_task(findings.starting->task);
        *report.mutable_starting() =
            startingReport(*findings.starting, findings.model, outputFile().parent_path().string());
    }
    if (!m_dryRun) {
        report.set_experiment(outputFile().string());
    }
    return report;
}

ExitCode NewCommand::run(Console& console)
{
    const fs::path output = outputFile();
    // Before the table is read, which may take long.
    if (!m_dryRun && fs::exists(output)) {
        return reportFailure(console, error(ErrorCode::AlreadyExists, kExists, output.string()));
    }
    console.setJsonProgress(m_progress == "json");
    const Result<Findings> findings = findOut(console);
    if (!findings) {
        return reportFailure(console, withTableOptions(withNewOptions(findings.error())));
    }
    if (!m_dryRun) {
        if (!findings->starting) {
            return reportFailure(console, findings->problems.front().error);
        }
        if (const Result<void> saved = storage::replaceFile(output, findings->text); !saved) {
            return reportFailure(console, saved.error());
        }
    }
    if (m_json) {
        console.document(reports::reportJson(report(*findings), 2));
        return ExitCode::Done;
    }
    if (!findings->starting) {
        return reportFailure(console, findings->problems.front().error);
    }
    for (const std::string& line : survey::settingLines(findings->adopted)) {
        console.note(line);
    }
    for (const std::string& line : findings->suggestions) {
        console.note(line);
    }
    for (const std::string& remark : findings->remarks) {
        console.note(remark);
    }
    printRemarks(*findings->starting, console);
    if (m_dryRun) {
        if (!m_label && !findings->label.empty()) {
            console.note(fmt::format("label: {} ({})", findings->label, findings->guess.reason));
        }
        console.content(findings->text);
        return ExitCode::Done;
    }
    console.note(fmt::format("{}: {}. Train it with: cannery train {}", m_table,
                             findings->starting->task, output.string()));
    console.result(output.string());
    return ExitCode::Done;
}

} // namespace cannery::app
