// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/commands/preview_command.h"

#include "app/cannery/console/remark_notes.h"
#include "app/cannery/input/experiment_input.h"
#include "app/cannery/tables/table_look.h"
#include "core/data/dataset.h"
#include "core/features/feature_column.h"
#include "core/features/feature_encoder.h"
#include "core/features/usable_rows.h"
#include "core/reports/report_json.h"
#include "core/spec/spec_resolver.h"
#include "core/survey/column_report.h"
#include "core/survey/feature_survey.h"
#include "core/survey/table_components.h"
#include "core/survey/table_settings.h"
#include "core/survey/usable_columns.h"
#include "core/survey/vocabulary_words.h"
#include "core/survey/whole_table.h"
#include "core/train/preparation/dataset_loader.h"
#include "kernels/device/thread_pool.h"
#include "storage/io/atomic_write.h"
#include "storage/io/files.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

namespace cannery::app {

namespace {

constexpr std::int64_t kDefaultRows = 5;
constexpr std::int64_t kJsonRows = 200;

constexpr ErrorKind kFileIsThere{"preview.file_is_there",
                                 "{} is there already: choose another name for the words."};
constexpr ErrorKind kChoiceOfTable{
    "command.usage.choice_of_table",
    "--table and --query choose among the tables of a database: with an experiment, give them with "
    "--first-rows, --words or --components only. To see the first rows of a table, give "
    "--first-rows."};
constexpr ErrorKind kNothingToWrite{"command.usage.no_words",
                                    "--write needs --words FEATURE: the words to write."};

/// Encoded rows with the layout that names them.
struct Preview
{
    features::InputLayout layout;
    std::vector<std::string> names;  ///< of the layout's slots, all different
    std::vector<std::uint8_t> steps; ///< whether a slot is a sequence
    features::EncodedRows rows;
    std::optional<survey::TableReport> table;
    std::optional<survey::FeatureSurvey> survey;
    std::vector<survey::TableRemark> remarks;
    std::vector<survey::ColumnProblem> columnProblems; ///< of columns that are not among the inputs
};

/// `withTable` and `withSurvey` each take a pass over all rows.
struct PreviewParts
{
    std::int64_t rows = 0;   ///< encoded
    bool withTable = false;  ///< the statistics of the table's columns
    bool withSurvey = false; ///< the values of hashed and crossed feature columns
};

/// TensorFlow's names of the inputs, followed by their feature columns where the name alone would
/// be ambiguous.
std::vector<std::string> inputNames(const features::InputLayout& layout)
{
    std::map<std::string, int> uses;
    // Names of the output itself, which an input may have as well.
    uses["label"] = layout.labelWidth > 0 ? 1 : 0;
    uses["weight"] = layout.weightWidth > 0 ? 1 : 0;
    for (const features::InputSlot& slot : layout.slots) {
        ++uses[slot.tensorflowName];
    }
    std::vector<std::string> names;
    for (const features::InputSlot& slot : layout.slots) {
        names.push_back(uses[slot.tensorflowName] == 1
                            ? slot.tensorflowName
                            : fmt::format("{} ({})", slot.tensorflowName, slot.column));
    }
    return names;
}

/// Only the data as written in the experiment shows why a column is read as it is.
Result<Preview> previewOf(const ExperimentReport& input, const PreviewParts& parts,
                          Console& console)
{
    const std::string folder = input.folder.string();
    console.advance(-1, "Reading the table");
    kernels::ThreadPool pool(kernels::threadCount(input.experiment.run_config().threads()));
    CANNERY_TRY_ASSIGN(const data::Dataset dataset,
                       data::Dataset::open(input.experiment.data(), folder, data::DataPart::Train));
    CANNERY_TRY_ASSIGN(
        spec::Experiment experiment,
        train::resolveWithStatistics(input.experiment, dataset, {}, kernels::lend(pool)));
    // One wrong feature column is not to hide the others.
    std::vector<survey::ColumnProblem> problems = survey::removeUnusable(experiment, input.folder);
    CANNERY_TRY_ASSIGN(const features::FeatureEncoder encoder,
                       features::FeatureEncoder::create(experiment, input.folder));
    const auto policy = features::RowPolicy::of(experiment.data());
    CANNERY_TRY_ASSIGN(const std::unique_ptr<data::FeatureStream> stream,
                       dataset.read({.features = encoder.featureKeys(),
                                     .labels = data::LabelNeed::Optional,
                                     .maxRows = static_cast<std::uint64_t>(parts.rows),
                                     .keepsUnusable = policy.skipsBad}));
    CANNERY_TRY_ASSIGN(std::optional<data::FeatureBatch> batch, stream->next());
    Preview preview{.layout = encoder.layout(),
                    .names = inputNames(encoder.layout()),
                    .columnProblems = std::move(problems)};
    for (const auto& column : encoder.columns()) {
        preview.steps.push_back(column->info().isSequence ? 1 : 0);
    }
    if (batch) {
        CANNERY_TRY(features::encodeUsable(encoder, policy, *batch, features::Labels::Optional,
                                           dataset.files(), preview.rows));
    }
    if (parts.withTable) {
        console.advance(-1, "Counting values");
        CANNERY_TRY_ASSIGN(preview.table, survey::reportTable(experiment, folder, encoder, dataset,
                                                              parts.rows, kernels::lend(pool)));
    }
    preview.remarks =
        preview.table ? preview.table->remarks : survey::tableRemarks(experiment, dataset);
    if (parts.withSurvey) {
        console.advance(-1, "Counting combinations");
        CANNERY_TRY_ASSIGN(preview.survey, survey::surveyFeatures(experiment, input.folder, dataset,
                                                                  kernels::lend(pool)));
    }
    return preview;
}

void addNumbers(std::vector<float>::const_iterator begin, std::int64_t count,
                reports::EncodedCell& cell)
{
    for (auto number = begin; number != begin + count; ++number) {
        cell.add_values()->set_number(*number);
    }
}

void addSteps(const features::SequenceBlock& block, std::int64_t row, reports::EncodedCell& cell)
{
    const auto at = static_cast<std::size_t>(row);
    for (auto step = block.rowOffsets[at]; step < block.rowOffsets[at + 1]; ++step) {
        const auto begin = block.values.begin() + step * block.width;
        cell.add_values()->mutable_step()->mutable_numbers()->Assign(begin, begin + block.width);
    }
}

void addIds(const features::IdBlock& block, std::int64_t row, reports::EncodedCell& cell)
{
    const auto end = static_cast<std::size_t>(block.rowOffsets[static_cast<std::size_t>(row) + 1]);
    for (auto i = static_cast<std::size_t>(block.rowOffsets[static_cast<std::size_t>(row)]);
         i < end; ++i) {
        reports::EncodedValue& value = *cell.add_values();
        if (block.weights.empty()) {
            value.set_id(block.ids[i]);
        } else {
            value.mutable_weighted()->set_id(block.ids[i]);
            value.mutable_weighted()->set_weight(block.weights[i]);
        }
    }
}

void addSlot(const Preview& preview, const features::InputSlot& slot, std::int64_t row,
             reports::EncodedCell& cell)
{
    const auto index = static_cast<std::size_t>(slot.block);
    switch (slot.kind) {
    case features::SlotKind::Dense: {
        const features::DenseBlock& block = preview.rows.dense[index];
        return addNumbers(block.values.begin() + row * block.width, block.width, cell);
    }
    case features::SlotKind::Sequence:
        return addSteps(preview.rows.sequences[index], row, cell);
    case features::SlotKind::Ids:
        return addIds(preview.rows.ids[index], row, cell);
    }
}

reports::EncodedRow rowReport(const Preview& preview, std::int64_t row)
{
    reports::EncodedRow report;
    const auto add = [&](const std::string& name) -> reports::EncodedCell& {
        reports::EncodedCell& cell = *report.add_cells();
        cell.set_key(name);
        return cell;
    };
    for (std::size_t i = 0; i < preview.names.size(); ++i) {
        addSlot(preview, preview.layout.slots[i], row, add(preview.names[i]));
    }
    // A sequence has a label for each of its steps, between two offsets.
    const std::vector<std::int64_t>& steps = preview.rows.labelOffsets;
    const std::int64_t first = steps.empty() ? row : steps[static_cast<std::size_t>(row)];
    const std::int64_t end = steps.empty() ? row + 1 : steps[static_cast<std::size_t>(row) + 1];
    const auto addSlice = [&](const std::vector<float>& values, std::int64_t width,
                              const char* name) {
        addNumbers(values.begin() + first * width, (end - first) * width, add(name));
    };
    if (preview.rows.isLabelled()) {
        addSlice(preview.rows.labels, preview.layout.labelWidth, "label");
    }
    if (preview.rows.isLabelled() && preview.layout.weightWidth > 0) {
        addSlice(preview.rows.weights, preview.layout.weightWidth, "weight");
    }
    return report;
}

std::string slotTitle(const std::string& name, const features::InputSlot& slot)
{
    switch (slot.kind) {
    case features::SlotKind::Dense:
        return fmt::format("{} float32 [{}]", name, slot.width);
    case features::SlotKind::Sequence:
        return fmt::format("{} float32 [steps, {}]", name, slot.width);
    case features::SlotKind::Ids:
        break;
    }
    return fmt::format("{} ids below {}{}", name, slot.width, slot.weighted ? ", weighted" : "");
}

/// The word for a kind of slot in JSON.
std::string_view kindWord(features::SlotKind kind)
{
    constexpr std::array<std::string_view, 3> kWords{"dense", "ids", "sequence"};
    return kWords[static_cast<std::size_t>(kind)];
}

/// The inputs of a row: numbers, or ids below a width.
void addInputs(const Preview& preview, reports::Preview& report)
{
    for (std::size_t i = 0; i < preview.names.size(); ++i) {
        const features::InputSlot& slot = preview.layout.slots[i];
        reports::EncodedInput& input = *report.add_inputs();
        input.set_name(preview.names[i]);
        input.set_column(slot.column);
        input.set_kind(std::string(kindWord(slot.kind)));
        input.set_width(slot.width);
        input.set_weighted(slot.weighted);
        input.set_steps(preview.steps[i] != 0);
    }
}

std::string previewJson(const Preview& preview, std::int64_t count)
{
    reports::Preview report = survey::previewReport(*preview.table);
    addInputs(preview, report);
    *report.mutable_column_problems() = survey::columnProblemsReport(preview.columnProblems);
    for (std::int64_t row = 0; row < count; ++row) {
        *report.add_rows() = rowReport(preview, row);
    }
    *report.mutable_feature_columns() = survey::surveyReport(*preview.survey);
    return reports::reportJson(report);
}

} // namespace

void PreviewCommand::declare(OptionSet& options)
{
    options.argument("FILE", m_file, "an experiment file, or a table: its first rows");
    options.option("--rows", "N", m_rows, "how many rows (default: 5, with --json 200)");
    options.option("--set", "PATH=VALUE", m_overrides, "override a field (repeatable)");
    options.flag("--first-rows", m_firstRows,
                 "only the first rows of the table and how it is read, without reading the rest");
    options.formerFlag("--table", "--first-rows");
    options.flag("--buckets", m_buckets,
                 "also the values of hashed and crossed feature columns: how often they occur, the "
                 "label in each, and which share a bucket");
    m_reading.declare(options);
    options.option("--words", "FEATURE", m_words,
                   "only the different values of a raw feature, the most frequent one first, as a "
                   "vocabulary file lists them");
    options.option("--write", "FILE", m_wordsFile, "write the --words into this new file");
    options.flag("--components", m_components,
                 "only the principal components of the numeric columns: shares of the variance and "
                 "loadings; with --json also where rows lie, with the groups of their label");
    options.flag("--remarks", m_remarks,
                 "read every row and print what to watch out for in the table");
    options.flag("--json", m_json,
                 "print one JSON object, with statistics of every column and --buckets");
    declareProgress(options, m_progress);
}

/// The table alone needs nothing else of the experiment, which may still have errors elsewhere.
ExitCode PreviewCommand::lookAtTable(Console& console) const
{
    const Result<ExperimentReport> report = readTableInput(m_file, m_overrides, m_reading);
    if (!report) {
        return reportFailure(console, withTableOptions(report.error()));
    }
    const Result<TableLook> look =
        app::lookAtTable(report->experiment.data(), report->folder.string(),
                         static_cast<std::uint64_t>(rowsWanted()), suggestionsFor(m_file));
    if (!look) {
        return reportFailure(console, withTableOptions(look.error()));
    }
    if (m_json) {
        console.document(reports::reportJson(lookReport(*look)));
        return ExitCode::Done;
    }
    for (const data::SourceSetting& setting : look->settings) {
        console.result(fmt::format("{}: {} ({})", setting.field, setting.value, setting.reason));
    }
    for (const std::string& line : badRowLines(*look)) {
        console.note(line);
    }
    console.result(fmt::format("{}", fmt::join(look->schema.names(), " | ")));
    for (const std::vector<std::string>& row : look->texts) {
        console.result(fmt::format("{}", fmt::join(row, " | ")));
    }
    return ExitCode::Done;
}

/// What to watch out for in a table before there is an experiment: in all of its columns.
ExitCode PreviewCommand::remarkOnTable(Console& console) const
{
    const auto remarks = [&]() -> Result<std::vector<survey::TableRemark>> {
        CANNERY_TRY_ASSIGN(const ExperimentReport input,
                           readTableInput(m_file, m_overrides, m_reading));
        kernels::ThreadPool pool(kernels::threadCount(0));
        return survey::remarksOfTable(input.experiment.data(), input.folder.string(),
                                      kernels::lend(pool));
    }();
    if (!remarks) {
        return reportFailure(console, withTableOptions(remarks.error()));
    }
    if (m_json) {
        console.document(reports::reportJson(survey::remarksReport(*remarks)));
        return ExitCode::Done;
    }
    if (remarks->empty()) {
        console.note("nothing to watch out for was found");
    }
    printRemarks(*remarks, console);
    return ExitCode::Done;
}

/// As lookAtTable(): a vocabulary is made before its column is complete.
ExitCode PreviewCommand::listWords(Console& console) const
{
    const auto words = [&]() -> Result<std::vector<survey::VocabularyWord>> {
        if (m_wordsFile && storage::exists(*m_wordsFile)) {
            return fail(ErrorCode::AlreadyExists, kFileIsThere, *m_wordsFile);
        }
        CANNERY_TRY_ASSIGN(const ExperimentReport input,
                           readTableInput(m_file, m_overrides, m_reading));
        const spec::Data& data = input.experiment.data();
        CANNERY_TRY_ASSIGN(const data::Dataset dataset,
                           data::Dataset::open(data, input.folder.string(), data::DataPart::Train));
        kernels::ThreadPool pool(kernels::threadCount(input.experiment.run_config().threads()));
        CANNERY_TRY_ASSIGN(std::vector<survey::VocabularyWord> found,
                           survey::wordsOf(dataset, *m_words, kernels::lend(pool)));
        if (m_wordsFile) {
            CANNERY_TRY(storage::writeFileAtomically(*m_wordsFile, survey::vocabularyText(found)));
        }
        return found;
    }();
    if (!words) {
        return reportFailure(console, withTableOptions(words.error()));
    }
    if (m_json) {
        console.document(reports::reportJson(survey::vocabularyReport(*m_words, *words)));
    } else if (m_wordsFile) {
        console.result(fmt::format("{}: {} words of {}", *m_wordsFile, words->size(), *m_words));
    } else {
        console.content(survey::vocabularyText(*words));
    }
    return ExitCode::Done;
}

/// As lookAtTable(): a table is looked at before an experiment is complete.
ExitCode PreviewCommand::showComponents(Console& console) const
{
    const auto found = [&]() -> Result<survey::TableComponents> {
        CANNERY_TRY_ASSIGN(const ExperimentReport input,
                           readTableInput(m_file, m_overrides, m_reading));
        CANNERY_TRY_ASSIGN(const data::Dataset dataset,
                           data::Dataset::open(input.experiment.data(), input.folder.string(),
                                               data::DataPart::Train));
        kernels::ThreadPool pool(kernels::threadCount(input.experiment.run_config().threads()));
        return survey::componentsOf(input.experiment, input.folder, dataset, kernels::lend(pool));
    }();
    if (!found) {
        return reportFailure(console, withTableOptions(found.error()));
    }
    if (m_json) {
        console.document(reports::reportJson(survey::componentsReport(*found)));
        return ExitCode::Done;
    }
    for (const std::string& line : survey::componentsLines(*found)) {
        console.result(line);
    }
    return ExitCode::Done;
}

std::int64_t PreviewCommand::rowsWanted() const
{
    return std::max<std::int64_t>(1, m_rows.value_or(m_json ? kJsonRows : kDefaultRows));
}

ExitCode PreviewCommand::run(Console& console)
{
    if (m_wordsFile && !m_words) {
        return reportFailure(console, error(ErrorCode::InvalidArgument, kNothingToWrite));
    }
    const bool isTable = isTableInsteadOfExperiment(m_file);
    if (isTable && m_remarks) {
        return remarkOnTable(console);
    }
    if (m_firstRows || m_words || m_components || (isTable && !m_buckets)) {
        return m_words        ? listWords(console)
               : m_components ? showComponents(console)
                              : lookAtTable(console);
    }
    if (m_reading.choosesTable()) {
        return reportFailure(console, error(ErrorCode::InvalidArgument, kChoiceOfTable));
    }
    const auto input = readExperiment(console, m_file, m_overrides);
    if (!input) {
        return input.error();
    }
    console.setJsonProgress(m_progress == "json");
    const std::int64_t wanted = rowsWanted();
    const Result<Preview> preview = previewOf(
        *input,
        {.rows = wanted, .withTable = m_json || m_remarks, .withSurvey = m_json || m_buckets},
        console);
    console.clearProgress();
    if (!preview) {
        return reportFailure(console, preview.error());
    }
    const std::int64_t count = std::min(wanted, preview->rows.rowCount);
    if (m_json) {
        console.document(previewJson(*preview, count));
        return ExitCode::Done;
    }
    for (const survey::ColumnProblem& one : preview->columnProblems) {
        console.note(fmt::format("warning: {} is left out: {}", one.column, one.error.message()));
    }
    for (std::size_t i = 0; i < preview->names.size(); ++i) {
        console.result(slotTitle(preview->names[i], preview->layout.slots[i]));
    }
    for (std::int64_t row = 0; row < count; ++row) {
        console.result(
            fmt::format("row {}: {}", row, reports::reportJson(rowReport(*preview, row))));
    }
    for (const std::string& line :
         preview->survey ? survey::surveyLines(*preview->survey) : std::vector<std::string>()) {
        console.result(line);
    }
    printRemarks(preview->remarks, console);
    return ExitCode::Done;
}

} // namespace cannery::app
