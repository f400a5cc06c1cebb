// SPDX-License-Identifier: Apache-2.0
#include "core/data/dataset.h"
#include "core/serving/row_cells.h"
#include "core/spec/text/parsed_experiment.h"
#include "storage/tabular/csv/csv_cell.h"
#include "tests/core/serving/shown_values.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>

#include <fstream>

using namespace cannery;
using namespace cannery::serving;
using cannery::tests::shown;

namespace {

/// Every way in which a table writes its cells.
constexpr const char* kTable = R"(
    data {
        train { csv { files: "rows.csv" decimal_mark: comma na_value: "n/a" } }
        bad_rows: FAIL
        column { name: "plain" dtype: float32 missing_token: "-999" missing_token: " . " default_value: "4.5" }
        column { name: "price" dtype: float64 number_notation { group_mark: "." affix: "€" affix: "EUR" brackets_negative: true minus_behind: true magnitudes: true } }
        column { name: "share" dtype: float32 number_notation { decimal_mark: point affix: "%" } }
        column { name: "whole" dtype: int32 default_value: "3.0" }
        column { name: "large" dtype: int64 missing_token: "0" }
        column { name: "word" dtype: string missing_token: "none" }
        column { name: "p" dtype: float32 default_value: "7" }
        column { name: "q" dtype: float32 missing_token: "?" }
        column { name: "first" dtype: string }
        column { name: "last" dtype: string default_value: "Doe" missing_token: "?" }
        column { name: "tags" dtype: string missing_token: "?" default_value: "x;y" }
        column { name: "sizes" dtype: string }
        column { name: "codes" dtype: string default_value: "1;2" }
        column { name: "when" dtype: string date_notation: day_first missing_token: "never" }
        column { name: "since" dtype: string date_notation: iso default_value: "2024-03-05" }
        column { name: "y" dtype: float32 }
        feature { name: "pair" stack { columns: ["p", "q"] } }
        feature { name: "names" stack { columns: ["first", "last"] dtype: string } }
        feature { name: "tag" split { column: "tags" separator: ";" } }
        feature { name: "size" split { column: "sizes" separator: ";" dtype: float32 } }
        feature { name: "code" split { column: "codes" separator: ";" dtype: int32 } }
        feature { name: "month" date_part { column: "when" part: month } }
        feature { name: "day" date_part { column: "since" part: day } }
        label { column: "y" }
    }
    feature_column { name: "plain" numeric_column { key: "plain" } }
    feature_column { name: "price" numeric_column { key: "price" } }
    feature_column { name: "share" numeric_column { key: "share" } }
    feature_column { name: "pair" numeric_column { key: "pair" shape: 2 } }
    feature_column { name: "whole" numeric_column { key: "whole" } }
    feature_column { name: "large" categorical_column_with_hash_bucket { key: "large" hash_bucket_size: 9 dtype: int64 } }
    feature_column { name: "word" categorical_column_with_hash_bucket { key: "word" hash_bucket_size: 9 } }
    feature_column { name: "names" categorical_column_with_hash_bucket { key: "names" hash_bucket_size: 9 } }
    feature_column { name: "tag" categorical_column_with_hash_bucket { key: "tag" hash_bucket_size: 9 } }
    feature_column { name: "size" categorical_column_with_identity { key: "code" num_buckets: 9 default_value: 0 } }
    feature_column { name: "weights" weighted_categorical_column { categorical_column: "tag" weight_feature_key: "size" } }
    feature_column { name: "month" numeric_column { key: "month" } }
    feature_column { name: "day" numeric_column { key: "day" } }
    estimator { linear_regressor { feature_columns: ["plain", "price", "share", "pair", "whole", "large", "word", "names", "size", "weights", "month", "day"] } }
)";

const std::string kRefused = "refused";

void add(const char* column, const char* feature, const std::string& text,
         const std::string& expected)
{
    QTest::addRow("%s '%s'", column, text.c_str())
        << std::string(column) << std::string(feature) << text << expected;
}

/// Numbers with a decimal comma; missing ones have a default.
void addNumbers()
{
    add("plain", "plain", "1,5", "1.5");
    add("plain", "plain", " +1,5e3 ", "1500");
    add("plain", "plain", "1.5", kRefused);
    add("plain", "plain", "1.234,5", kRefused);
    for (const char* missing : {"", "  ", "n/a", " n/a ", "-999", ".", "NaN", "-nan", "1.#QNAN"}) {
        add("plain", "plain", missing, "4.5");
    }
    add("plain", "plain", "-999,0", "-999");
    add("plain", "plain", "inf", "inf");
    add("plain", "plain", "-Infinity", "-inf");
    add("plain", "plain", "1e99", "inf");
    add("plain", "plain", "warm", kRefused);
    add("plain", "plain", "\u22122,5", "-2.5"); // a minus sign of typography
}

/// A column with a notation of its own.
void addNotations()
{
    add("price", "price", "1.299,50 €", "1299.5");
    add("price", "price", "EUR 1.299,50", "1299.5");
    add("price", "price", "(22,5)", "-22.5");
    add("price", "price", "22,5-", "-22.5");
    add("price", "price", "1,5M", "1500000");
    add("price", "price", "1299.50", kRefused);
    add("price", "price", "1,299.50", kRefused);
    add("price", "price", "$5", kRefused);
    add("price", "price", "n/a", "-");
    add("share", "share", "36.5 %", "36.5");
    add("share", "share", "36,5 %", kRefused);
}

/// Integers.
void addIntegers()
{
    add("whole", "whole", "12", "12");
    add("whole", "whole", "", "3");
    add("whole", "whole", "1,0", kRefused);
    add("whole", "whole", "2147483648", kRefused);
    add("large", "large", "9007199254740993", "9007199254740993");
    add("large", "large", "9223372036854775808", kRefused);
    add("large", "large", "0", "-");
    add("large", "large", "00", "0");
    add("large", "large", "NaN", "-");
}

/// Texts are compared as they are.
void addTexts()
{
    add("word", "word", "blue", "blue");
    add("word", "word", " blue ", " blue ");
    add("word", "word", "none", "-");
    add("word", "word", " none", " none");
    add("word", "word", "NaN", "NaN");
    add("word", "word", "true", "true");
    add("word", "word", "say \"hi\", twice", "say \"hi\", twice");
    add("word", "word", "'quoted'", "'quoted'");
    add("word", "word", "two\nlines", "two\nlines");
    add("word", "word", "one", "one");
    add("word", "word", std::string("a\0b", 3), kRefused);
}

/// Stacks: each column has its own tokens and default.
void addStacks()
{
    add("p", "pair", "1,5", "1.5 -");
    add("q", "pair", "2", "7 2");
    add("q", "pair", "?", "7 -");
    add("p", "pair", "?", kRefused);
    add("first", "names", "Ada", "Ada Doe");
    add("last", "names", "?", "- Doe");
    add("last", "names", "Byron", "- Byron");
}

/// Split cells.
void addLists()
{
    add("tags", "tag", "a;b", "[a b]");
    add("tags", "tag", ";a;;b;", "[a b]");
    add("tags", "tag", " a ", "[ a ]");
    add("tags", "tag", "a|b", "[a|b]");
    add("tags", "tag", "?", "[x y]");
    add("tags", "tag", "", "[x y]");
    add("tags", "tag", "?;a", "[? a]");
    add("sizes", "size", "1,5;2", "[1.5 2]");
    add("sizes", "size", "1.5;2", kRefused);
    add("sizes", "size", "1;NaN", kRefused);
    add("sizes", "size", "1; ", kRefused);
    add("sizes", "size", "n/a", "[]");
    add("codes", "code", "", "[1 2]");
    add("codes", "code", "3; 4", "[3 4]");
    add("codes", "code", "3;2147483648", kRefused);
    add("codes", "code", "3,0", kRefused);
}

/// Dates.
void addDates()
{
    add("when", "month", "24.12.2023", "12");
    add("when", "month", "never", "-");
    add("when", "month", "2023-12-24x", kRefused);
    add("when", "month", "12", kRefused);
    add("since", "day", "", "5");
    add("since", "day", "2024-02-29T10:00:00", "29");
    add("since", "day", "2023-02-29", kRefused);
}

} // namespace

/// A text means the same in a table and in a row that is served, or is refused by both.
class TstCellMeanings : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void aCellMeansTheSameInATableAndInARow_data();
    void aCellMeansTheSameInATableAndInARow();

private:
    std::string inTable(const std::string& column, const std::string& text,
                        const std::string& feature) const;

    QTemporaryDir m_folder;
    spec::Experiment m_experiment;
    std::optional<RowCells> m_cells;
};

void TstCellMeanings::initTestCase()
{
    spec::ParsedExperiment parsed = spec::parseExperiment(kTable);
    for (const spec::Problem& problem : parsed.problems) {
        QVERIFY2(problem.severity != spec::Severity::Error, problem.error.sentence.c_str());
    }
    m_experiment = std::move(parsed.experiment);
    const auto encoder = features::FeatureEncoder::create(m_experiment, ".");
    VERIFY_OK(encoder);
    auto cells = RowCells::create(*encoder);
    VERIFY_OK(cells);
    m_cells.emplace(std::move(*cells));
}

/// What a row of a CSV file, whose other cells are empty, makes of the feature.
std::string TstCellMeanings::inTable(const std::string& column, const std::string& text,
                                     const std::string& feature) const
{
    const std::string path = m_folder.filePath("rows.csv").toStdString();
    std::string header;
    std::string row;
    for (const std::string& name : m_cells->columns()) {
        header += name + ",";
        row += (name == column ? storage::csvCell(text) : "") + ",";
    }
    std::ofstream(path) << header << "y\n" << row << "0\n";
    std::vector<std::string> absent;
    const auto rows = data::Dataset::openRows(m_experiment.data(), ".", {path}, absent);
    if (!rows) {
        return rows.error().message();
    }
    const auto stream =
        rows->read({.features = {feature}, .labels = data::LabelNeed::None, .keepsUnusable = true});
    if (!stream) {
        return stream.error().message();
    }
    const auto batch = (*stream)->next();
    if (!batch) {
        return (*stream)->report().badRowCount == 1 ? kRefused : batch.error().message();
    }
    return (*batch)->unusable.empty() ? shown((*batch)->features.front()) : kRefused;
}

void TstCellMeanings::aCellMeansTheSameInATableAndInARow_data()
{
    QTest::addColumn<std::string>("column");
    QTest::addColumn<std::string>("feature");
    QTest::addColumn<std::string>("text");
    QTest::addColumn<std::string>("expected");
    for (const auto addSome :
         {addNumbers, addNotations, addIntegers, addTexts, addStacks, addLists, addDates}) {
        addSome();
    }
}

void TstCellMeanings::aCellMeansTheSameInATableAndInARow()
{
    QFETCH(std::string, column);
    QFETCH(std::string, feature);
    QFETCH(std::string, text);
    QFETCH(std::string, expected);
    QCOMPARE(inTable(column, text, feature), expected);
    m_cells->clearAll();
    const Result<void> isSet = m_cells->setCell(column, text);
    const FeatureSlot slot = *m_cells->feature(feature);
    QCOMPARE(isSet ? shown(m_cells->row().features[slot.index]) : kRefused, expected);
}

CANNERY_TEST(TstCellMeanings)
#include "tst_cell_meanings.moc"
