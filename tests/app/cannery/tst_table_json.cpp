// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/tables/browse_json.h"
#include "app/cannery/tables/table_look.h"
#include "core/reports/new.pb.h"
#include "core/reports/report_json.h"
#include "core/survey/column_report.h"
#include "core/survey/feature_survey.h"
#include "core/survey/table_components.h"
#include "core/survey/usable_columns.h"
#include "tests/core/reports/report_golden.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <limits>

using namespace cannery;
using namespace cannery::app;
using cannery::tests::goldenLines;
using cannery::tests::goldenReport;

/// The bytes of the answers of `cannery preview`, `browse` and `new`.
class TstTableJson : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aTableIsPreviewed();
    void firstRowsShowHowATableIsRead();
    void everyLineOfABrowser();
    void componentsOfATable();
    void aFirstExperimentIsReadAndWrittenAgain();
};

namespace {

QByteArray onOneLine(const google::protobuf::Message& report)
{
    return QByteArray::fromStdString(reports::reportJson(report));
}

data::TableSchema schema()
{
    data::TableSchema schema;
    data::ColumnSchema age{.name = "age", .index = 0, .dtype = DType::Float32};
    age.kind = data::ColumnKind::Number;
    age.kindReason = "numbers";
    age.reason = "all values are numbers";
    age.missing = 1;
    age.distinct = 3;
    data::ColumnSchema town{.name = "town “é”", .index = 1};
    town.kind = data::ColumnKind::Category;
    town.kindReason = "2 different texts";
    town.reason = "\"Bonn\" (line 2) is text";
    town.missingTokens = {"?"};
    town.warnings = {"One blank too many."};
    schema.columns = {age, town};
    return schema;
}

data::TableStatistics statistics()
{
    data::ColumnStatistics age{.name = "age", .dtype = DType::Float32, .count = 3, .missing = 1};
    age.distinct = 3;
    age.nan = 1;
    age.min = 0.5;
    age.max = 80;
    age.mean = 30;
    age.deviation = 1.0 / 3;
    age.quantiles.assign(101, 28);
    age.histogram = {.begin = 0.5, .end = 80, .counts = {1, 0, 2}};
    data::ColumnStatistics town{.name = "town “é”", .count = 4, .distinct = 2};
    town.top = {{"Bonn", 3}, {"Köln", 1}};
    return {.rows = 4, .otherRows = 2, .columns = {age, town}};
}

std::vector<data::SourceSetting> settings()
{
    return {{.field = "field_delim",
             .value = "\t",
             .reason = "a tab cuts all records into 2 fields",
             .isDetected = true,
             .belongsInExperiment = true}};
}

const std::vector<std::vector<std::string>> kTexts{{"0.5", "Bonn"}, {" nan", "?"}, {"80"}};

survey::FeatureSurvey hashed()
{
    survey::FeatureSurvey found{.targets = {"yes"}, .areShares = true, .columns = {}};
    survey::HashedColumn cross{.name = "cross", .inputs = {"town", "age"}, .buckets = 100};
    cross.occurrences = 4;
    cross.distinct = 2;
    cross.uncounted = 1;
    cross.bucketsUsed = 1;
    cross.shared = 2;
    cross.sharedOccurrences = 4;
    cross.values = {{.values = {std::string("Bonn"), std::int64_t{3}},
                     .count = 3,
                     .bucket = 7,
                     .isShared = true,
                     .means = {0.25}},
                    {.values = {std::string("Köln"), {}},
                     .count = 1,
                     .bucket = 7,
                     .isShared = true,
                     .means = {std::numeric_limits<double>::quiet_NaN()}}};
    found.columns = {cross, {.name = "gone", .problem = "The table has no feature 'x'."}};
    return found;
}

/// What the model receives of a row: numbers, ids, weighted ids and steps.
void addRow(reports::Preview& report)
{
    const auto add = [&, row = report.add_rows()](const char* name) {
        reports::EncodedCell& cell = *row->add_cells();
        cell.set_key(name);
        return &cell;
    };
    reports::EncodedCell& numbers = *add("age");
    numbers.add_values()->set_number(28);
    numbers.add_values()->set_number(0.1F);
    add("town_indicator")->add_values()->set_id(1);
    reports::WeightedId& weighted = *add("tags")->add_values()->mutable_weighted();
    weighted.set_id(3);
    weighted.set_weight(0.5);
    reports::EncodedCell& steps = *add("visits");
    steps.add_values()->mutable_step()->add_numbers(1);
    steps.add_values()->mutable_step()->add_numbers(2.5);
    add("none");
    add("label")->add_values()->set_number(1);
}

void addInput(const char* name, const char* kind, std::int64_t width, reports::Preview& report)
{
    reports::EncodedInput& input = *report.add_inputs();
    input.set_name(name);
    input.set_column(std::string(name) + "_column");
    input.set_kind(kind);
    input.set_width(width);
    input.set_weighted(std::string_view(name) == "tags");
    input.set_steps(std::string_view(kind) == "sequence");
}

} // namespace

void TstTableJson::aTableIsPreviewed()
{
    survey::TableReport table{
        .schema = schema(), .settings = settings(), .statistics = statistics()};
    table.evalStatistics = statistics();
    table.evalStatistics->columns[1].top = {{"Bonn", 1}, {"Ulm", 1}};
    table.times = {{.column = "age", .quantiles = {"2020-01-01", "2021-01-01"}}};
    table.remarks = {{.error = {.id = "remark.few", .sentence = "Few rows."}, .isNote = true}};
    table.uses = {"feature", "label"};
    table.trainFiles = {"train.csv"};
    table.evalFiles = {"eval.csv"};
    table.trainRows = 4;
    table.evalRows = 2;
    table.label = "town “é”";
    table.texts = kTexts;
    reports::Preview report = survey::previewReport(table);
    addInput("age", "dense", 2, report);
    addInput("town_indicator", "ids", 2, report);
    addInput("tags", "ids", 50, report);
    addInput("visits", "sequence", 1, report);
    survey::ColumnProblem problem{.column = "words", .error = {}};
    problem.error = {.id = "io.no_file", .sentence = "There is no file.", .path = "f[2].file"};
    *report.mutable_column_problems() = survey::columnProblemsReport({problem});
    addRow(report);
    *report.mutable_feature_columns() = survey::surveyReport(hashed());
    QCOMPARE(onOneLine(report), goldenReport("preview.json"));
    reports::Preview read;
    QVERIFY(reports::readReport(goldenReport("preview.json").toStdString(), read));
    QCOMPARE(onOneLine(read), goldenReport("preview.json"));
}

void TstTableJson::firstRowsShowHowATableIsRead()
{
    QCOMPARE(onOneLine(lookReport({.files = {"t.csv"},
                                   .settings = settings(),
                                   .schema = schema(),
                                   .texts = kTexts,
                                   .badRowCount = 2,
                                   .badRows = {"t.csv:7 has 3 fields."}})),
             goldenReport("first_rows.json"));
}

void TstTableJson::everyLineOfABrowser()
{
    std::vector<reports::BrowseLine> lines(8);
    lines[0].mutable_table()->add_files("t.csv");
    *lines[0].mutable_table()->mutable_columns() =
        survey::columnsReport(schema(), nullptr, {"", "label"});
    *lines[1].mutable_rows() = pageReport(
        schema(), {.first = 40, .total = 43, .isSoFar = true, .numbers = {7, 8}, .texts = kTexts});
    *lines[2].mutable_statistics() = statisticsReport(schema(), statistics(), {}, false);
    reports::RefusedRows& refused = *lines[3].mutable_bad_rows();
    refused.set_total(1);
    refused.add_rows()->set_file("t.csv");
    lines[4].mutable_check();
    *lines[5].mutable_check()->mutable_error() =
        problemReport({.position = 3, .error = {.id = "filter.end", .sentence = "It ends."}});
    *lines[6].mutable_progress() =
        stepReport({.step = data::BrowseStep::Sorting, .done = 1, .total = 4});
    *lines[7].mutable_error() =
        errorReport({.id = "data.browse_cancelled", .arguments = {"a"}, .sentence = "Cancelled."});
    for (std::size_t i = 1; i < lines.size(); ++i) {
        lines[i].set_id(static_cast<std::int64_t>(i));
    }
    *lines.emplace_back().mutable_extent() = extentReport({.rows = 9, .refused = 1});
    QByteArrayList texts;
    for (const reports::BrowseLine& line : lines) {
        texts << onOneLine(line);
    }
    QCOMPARE(texts, goldenLines("browse.jsonl"));
}

void TstTableJson::componentsOfATable()
{
    survey::TableComponents found;
    found.columns = {{.name = "a", .mean = 1, .deviation = 2, .missing = 3, .loadings = {0.75}},
                     {.name = "b", .loadings = {-0.25}}};
    found.constant = {"always"};
    found.beyond = {"last"};
    found.others = {{.name = "town", .why = "texts"}};
    found.rows = 500;
    found.usedRows = 250;
    found.components.variances = {1.5, 0.5};
    found.components.totalVariance = 2;
    found.points = {2, 3, -2, 1};
    found.groupOfPoint = {1, 0};
    found.label = "bought";
    found.groups = {"no", ""};
    QCOMPARE(onOneLine(survey::componentsReport(found)), goldenReport("components.json"));
    found.groupOfPoint.clear();
    QVERIFY(!onOneLine(survey::componentsReport(found)).contains("\"group\""));
}

void TstTableJson::aFirstExperimentIsReadAndWrittenAgain()
{
    const QByteArray golden = goldenReport("new.json");
    reports::NewExperiment read;
    QVERIFY(reports::readReport(golden.toStdString(), read));
    QCOMPARE(QByteArray::fromStdString(reports::reportJson(read, 2)), golden);
    QCOMPARE(read.starting().model().kinds(0).loss(), 0.5);
    // Without a label to predict, its members are left out.
    read.clear_starting();
    QVERIFY(!onOneLine(read).contains("model"));
    QVERIFY(!onOneLine(read).contains("left_out"));
}

CANNERY_TEST(TstTableJson)
#include "tst_table_json.moc"
