// SPDX-License-Identifier: Apache-2.0
#include "core/survey/column_report.h"

#include "core/advice/suggested_reading.h"
#include "core/features/usable_rows.h"
#include "core/survey/schema_remarks.h"
#include "core/survey/table_settings.h"
#include "core/survey/table_watch.h"
#include "core/survey/value_remarks.h"
#include "core/train/preparation/dataset_loader.h"
#include "storage/tabular/number_parser.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace cannery::survey {

namespace {

/// How many of a category's most frequent values are listed.
constexpr std::size_t kMostBars = 10;

/// If the experiment sets a column's type, its values were not inspected: the dtype decides.
std::string typeName(const data::ColumnSchema& column)
{
    if (column.kindReason.empty() && column.dtype != DType::String) {
        return "number";
    }
    return column.kind == data::ColumnKind::FreeText ? "text"
                                                     : std::string(data::name(column.kind));
}

/// Why the type was guessed, worth showing: "numbers" alone explains nothing.
const std::string& reasonOf(const data::ColumnSchema& column)
{
    const bool isPlain = column.kindReason.empty() || column.kind == data::ColumnKind::Number;
    return isPlain ? column.reason : column.kindReason;
}

void addHistogram(const data::ColumnStatistics& column, bool asNumber,
                  reports::ColumnHistogram& histogram)
{
    // Numbers have a histogram of their own; others are counted by value.
    if (asNumber) {
        histogram.set_begin(column.histogram.begin);
        histogram.set_end(column.histogram.end);
        for (const double count : column.histogram.counts) {
            histogram.add_counts()->set_estimated(count);
        }
        return;
    }
    for (std::size_t i = 0; i < std::min(column.top.size(), kMostBars); ++i) {
        histogram.add_labels(column.top[i].value);
        histogram.add_counts()->set_counted(column.top[i].count);
    }
}

void addStatistics(const data::ColumnStatistics& column, bool asNumber, reports::TableColumn& row)
{
    row.set_missing(column.missing);
    row.set_distinct(column.distinct);
    row.set_distinct_is_exact(column.distinctIsExact);
    // Without a finite number there is nothing to show.
    if (column.dtype != DType::String && column.count > column.nan + column.infinite) {
        row.set_min(column.min);
        row.set_max(column.max);
        row.set_mean(column.mean);
        row.set_sd(column.deviation);
        // The quantiles are hundredths, whose middle is the median.
        if (column.quantiles.size() == 101) {
            row.set_median(column.quantiles[50]);
            row.mutable_quantiles()->Assign(column.quantiles.begin(), column.quantiles.end());
        }
        row.set_nan(column.nan);
        row.set_infinite(column.infinite);
    }
    addHistogram(column, asNumber, *row.mutable_histogram());
}

/// The names of the label and weight columns, wherever the experiment sets them.
std::vector<std::string> columnsOf(const data::Dataset& dataset, const std::string& feature)
{
    const data::FeatureInfo* info = dataset.find(feature);
    return info == nullptr ? std::vector<std::string>{feature} : info->columns;
}

std::vector<std::string> usesOf(const spec::Experiment& experiment,
                                const features::FeatureEncoder& encoder,
                                const data::Dataset& dataset)
{
    const std::vector<std::string> names = dataset.schema().names();
    std::vector<std::string> uses(names.size(), "ignored");
    const auto mark = [&](const std::vector<std::string>& columns, const char* use) {
        for (std::size_t i = 0; i < names.size(); ++i) {
            // A column can have several uses; the last one wins.
            if (std::find(columns.begin(), columns.end(), names[i]) != columns.end()) {
                uses[i] = use;
            }
        }
    };
    // Later marks replace earlier ones: featureKeys() are all that is read, inputKeys() those of
    // columns.
    for (const std::string& key : encoder.featureKeys()) {
        mark(columnsOf(dataset, key), "weight");
    }
    for (const std::string& key : encoder.inputKeys()) {
        mark(columnsOf(dataset, key), "feature");
    }
    for (const std::string& key : experiment.data().key_column()) {
        mark({key}, "key");
    }
    for (const data::FeatureInfo& feature : dataset.features()) {
        if (feature.isLabel) {
            mark(feature.columns.empty() ? std::vector<std::string>{feature.name} : feature.columns,
                 "label");
        }
    }
    return uses;
}

std::string joinedLabels(const data::TableSchema& schema, const std::vector<std::string>& uses)
{
    std::string text;
    for (std::size_t i = 0; i < uses.size(); ++i) {
        if (uses[i] == "label") {
            text += (text.empty() ? "" : ", ") + schema.columns[i].name;
        }
    }
    return text;
}

/// What the model reads, and its label.
std::vector<std::string> learnedColumns(const TableReport& report)
{
    std::vector<std::string> names;
    for (std::size_t i = 0; i < report.uses.size(); ++i) {
        if (report.uses[i] == "feature" || report.uses[i] == "label") {
            names.push_back(report.schema.columns[i].name);
        }
    }
    return names;
}

/// The columns of the training table that the other one has, too.
std::vector<std::string> sharedColumns(const data::Dataset& trainData,
                                       const data::Dataset& evalData)
{
    std::vector<std::string> names = trainData.schema().names();
    std::erase_if(names, [&](const std::string& column) {
        return evalData.schema().find(column) == nullptr;
    });
    return names;
}

/// Whether every value of a column was counted, and is written as in the cells.
bool listsValues(const data::ColumnStatistics& column)
{
    // Otherwise rows would be missing from the sum.
    return (column.dtype == DType::String || isInteger(column.dtype)) && column.topIsExact &&
           column.top.size() == column.distinct && column.distinct > 0;
}

/// The values of a column that has few, each with its rows in both parts.
void addValues(const data::ColumnStatistics& train, const data::ColumnStatistics* eval,
               reports::TableColumn& column)
{
    // Rows are only listed by value if no value is missing from either list.
    if (!listsValues(train) || (eval != nullptr && eval->distinct > 0 && !listsValues(*eval))) {
        return;
    }
    std::map<std::string, std::array<std::uint64_t, 2>> rows;
    for (const data::ValueCount& value : train.top) {
        rows[value.value][0] = value.count;
    }
    for (const data::ValueCount& value :
         eval == nullptr ? std::vector<data::ValueCount>() : eval->top) {
        rows[value.value][1] = value.count;
    }
    for (const auto& [value, counts] : rows) {
        reports::ValueRows& row = *column.add_values();
        row.set_value(value);
        row.set_train(counts[0]);
        row.set_eval(counts[1]);
    }
}

/// What the rows can be split by.
void addSplitFacts(const TableReport& report, reports::TableColumn& column)
{
    if (const data::ColumnStatistics* train = report.statistics.find(column.name())) {
        addValues(*train,
                  report.evalStatistics ? report.evalStatistics->find(column.name()) : nullptr,
                  column);
    }
    for (const ColumnTimes& times : report.times) {
        if (times.column == column.name()) {
            column.mutable_times()->Assign(times.quantiles.begin(), times.quantiles.end());
        }
    }
}

void addSource(const std::vector<std::string>& files, std::int64_t rows,
               reports::PreviewedRows& source)
{
    source.mutable_files()->Assign(files.begin(), files.end());
    source.set_rows(rows);
}

bool isMissing(const data::ColumnSchema& column, const std::string& cell)
{
    const bool isNumber = column.dtype != DType::String;
    // Blanks around a number do not count.
    const std::string_view bare = isNumber ? storage::trimmed(cell) : std::string_view(cell);
    return bare.empty() || (isNumber && storage::spellsNan(bare)) ||
           std::find(column.missingTokens.begin(), column.missingTokens.end(), bare) !=
               column.missingTokens.end();
}

} // namespace

Result<RowCount> countRows(const data::Dataset& dataset, const LentThreads& threads)
{
    data::FeatureRequest request{.labels = data::LabelNeed::None, .threads = threads};
    // Any one feature will do; a derived one reads more columns than a plain one.
    for (const data::FeatureInfo& feature : dataset.features()) {
        if (request.features.empty() || feature.columns.size() == 1) {
            request.features = {feature.name};
        }
    }
    CANNERY_TRY_ASSIGN(const std::unique_ptr<data::FeatureStream> stream, dataset.read(request));
    RowCount count;
    while (true) {
        CANNERY_TRY_ASSIGN(const std::optional<data::FeatureBatch> batch, stream->next());
        if (!batch) {
            count.otherRows = static_cast<std::int64_t>(stream->report().otherRows);
            // Known once all rows were read.
            return count;
        }
        count.rows += batch->rowCount;
    }
}

Result<RowCount> countRows(const data::Dataset& dataset, const features::FeatureEncoder& encoder,
                           const LentThreads& threads)
{
    // Only when rows are left out do encoded and read ones differ.
    if (!features::RowPolicy::of(encoder.experiment().data()).skipsAny()) {
        return countRows(dataset, threads);
    }
    CANNERY_TRY_ASSIGN(
        const train::UsedRows used,
        train::countUsedRows(dataset, encoder,
                             {.threads = threads, .labels = features::Labels::Optional}));
    return RowCount{.rows = used.rows, .otherRows = used.otherRows};
}

Result<std::int64_t> countEvalRows(const data::Dataset& evalData,
                                   const features::FeatureEncoder& encoder, std::int64_t otherRows,
                                   const LentThreads& threads)
{
    // A split has counted them in the pass of the training rows.
    if (otherRows > 0) {
        return otherRows;
    }
    CANNERY_TRY_ASSIGN(const RowCount count, countRows(evalData, encoder, threads));
    return count.rows;
}

Result<TableReport> reportTable(const spec::Experiment& resolved, const std::string& folder,
                                const features::FeatureEncoder& encoder,
                                const data::Dataset& trainData, std::int64_t previewRows,
                                const LentThreads& threads)
{
    TableReport report{.schema = trainData.schema(),
                       .settings = trainData.source().settings(),
                       .trainFiles = trainData.files()};
    report.uses = usesOf(resolved, encoder, trainData);
    report.label = joinedLabels(report.schema, report.uses);
    // It watches the pass of the statistics, so that leaks, twins and times need no pass of their
    // own.
    TableWatch watch(resolved, trainData, learnedColumns(report), threads);
    const auto see = [&](data::DataPart part, const storage::TableChunk& chunk) {
        return watch.see(part, chunk);
    };
    CANNERY_TRY_ASSIGN(
        report.statistics,
        trainData.statistics({}, threads, see, {.topValues = TableWatch::kListedValues}));
    const bool leavesOut = features::RowPolicy::of(resolved.data()).skipsAny();
    RowCount used{.rows = static_cast<std::int64_t>(report.statistics.rows),
                  .otherRows = static_cast<std::int64_t>(report.statistics.otherRows)};
    // Which rows are left out is only known when they are encoded.
    if (leavesOut) {
        CANNERY_TRY_ASSIGN(used, countRows(trainData, encoder, threads));
    }
    report.trainRows = used.rows;
    CANNERY_TRY_ASSIGN(report.texts,
                       trainData.source().preview(static_cast<std::size_t>(previewRows)));
    if (train::hasEvalData(resolved)) {
        CANNERY_TRY_ASSIGN(const data::Dataset evalData,
                           data::Dataset::openEval(resolved.data(), folder, trainData));
        report.evalFiles = evalData.files();
        // A table of its own needs a pass of its own.
        if (!evalData.isSplit()) {
            const auto seen = evalData.statistics(sharedColumns(trainData, evalData), threads, see);
            // Its errors are reported when it is evaluated.
            used.otherRows = seen && !leavesOut ? static_cast<std::int64_t>(seen->rows) : 0;
        }
        CANNERY_TRY_ASSIGN(report.evalRows,
                           countEvalRows(evalData, encoder, used.otherRows, threads));
    }
    report.evalStatistics = watch.evalStatistics();
    RowFindings findings = watch.findings(report.statistics);
    CANNERY_TRY_ASSIGN(report.remarks, schemaRemarks({.source = resolved.data().train(),
                                                      .folder = folder,
                                                      .table = report.schema,
                                                      .train = report.statistics,
                                                      .eval = report.evalStatistics}));
    const std::vector<TableRemark> others = tableRemarks(resolved, trainData, &findings);
    report.remarks.insert(report.remarks.end(), others.begin(), others.end());
    const std::vector<TableRemark> ofValues = valueRemarks({.experiment = resolved,
                                                            .folder = folder,
                                                            .schema = report.schema,
                                                            .statistics = report.statistics});
    report.remarks.insert(report.remarks.end(), ofValues.begin(), ofValues.end());
    report.times = std::move(findings.times);
    return report;
}

reports::ReportList<reports::TableColumn> columnsReport(const data::TableSchema& schema,
                                                        const data::TableStatistics* statistics,
                                                        const std::vector<std::string>& uses)
{
    reports::ReportList<reports::TableColumn> list;
    for (std::size_t i = 0; i < schema.columns.size(); ++i) {
        const data::ColumnSchema& column = schema.columns[i];
        reports::TableColumn& row = *list.Add();
        row.set_name(column.name);
        row.set_type(typeName(column));
        row.set_dtype(std::string(name(column.dtype)));
        row.set_reason(reasonOf(column));
        row.set_dtype_reason(column.reason);
        row.set_missing(column.missing);
        row.set_distinct(column.distinct);
        row.mutable_warnings()->Assign(column.warnings.begin(), column.warnings.end());
        if (const std::string notation = advice::notationText(schema, column); !notation.empty()) {
            row.set_reason(fmt::format("{}, written as {}", reasonOf(column), notation));
            row.set_notation(notation);
        }
        // Columns beyond the list have no use.
        if (i < uses.size() && !uses[i].empty()) {
            row.set_use(uses[i]);
        }
        const data::ColumnStatistics* seen =
            statistics == nullptr ? nullptr : statistics->find(column.name, i);
        if (seen != nullptr) {
            const bool asNumber = seen->dtype != DType::String && typeName(column) != "category";
            addStatistics(*seen, asNumber, row);
            if (column.kind == data::ColumnKind::Date) { // times as float32 numbers are fewer
                row.set_distinct(std::max(seen->distinct, column.distinct));
            }
        }
    }
    return list;
}

reports::ReportList<reports::CellRow>
textsReport(const data::TableSchema& schema, const std::vector<std::vector<std::string>>& texts)
{
    reports::ReportList<reports::CellRow> rows;
    for (const std::vector<std::string>& cells : texts) {
        reports::CellRow& row = *rows.Add();
        for (std::size_t i = 0; i < schema.columns.size(); ++i) {
            const std::string cell = i < cells.size() ? cells[i] : std::string();
            reports::Cell& written = *row.add_cells();
            if (!isMissing(schema.columns[i], cell)) {
                written.set_text(cell);
            }
        }
    }
    return rows;
}

reports::Preview previewReport(const TableReport& report)
{
    reports::Preview preview;
    addSource(report.trainFiles, report.trainRows, *preview.mutable_sources()->mutable_train());
    if (report.evalRows >= 0) {
        addSource(report.evalFiles, report.evalRows, *preview.mutable_sources()->mutable_eval());
    }
    *preview.mutable_settings() = settingsReport(report.settings);
    preview.set_label(report.label);
    *preview.mutable_columns() = columnsReport(report.schema, &report.statistics, report.uses);
    for (reports::TableColumn& column : *preview.mutable_columns()) {
        addSplitFacts(report, column);
    }
    *preview.mutable_remarks() = remarksReport(report.remarks).remarks();
    *preview.mutable_texts() = textsReport(report.schema, report.texts);
    return preview;
}

} // namespace cannery::survey
