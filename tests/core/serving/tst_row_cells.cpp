// SPDX-License-Identifier: Apache-2.0
#include "core/serving/row_cells.h"
#include "core/spec/text/parsed_experiment.h"
#include "tests/core/serving/shown_values.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <cmath>
#include <limits>

using namespace cannery;
using namespace cannery::serving;
using cannery::tests::shown;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// A number, an integer, a text, a stack of two numbers and one of two texts, and lists of texts
/// and of integers.
constexpr const char* kExperiment = R"(
    data {
        column { name: "x" missing_token: "?" missing_token: "-9" default_value: "4.5" }
        column { name: "price" number_notation { decimal_mark: comma group_mark: "." } }
        feature { name: "pair" stack { columns: ["p", "q"] } }
        feature { name: "names" stack { columns: ["first", "last"] dtype: string } }
        feature { name: "tags" split { column: "tags" separator: "|" } }
        feature { name: "codes" split { column: "codes" separator: "|" dtype: int64 } }
        label { column: "y" }
    }
    feature_column { name: "x" numeric_column { key: "x" } }
    feature_column { name: "price" numeric_column { key: "price" } }
    feature_column { name: "pair" numeric_column { key: "pair" shape: 2 } }
    feature_column { name: "id" categorical_column_with_identity { key: "id" num_buckets: 9 default_value: 0 } }
    feature_column { name: "word" categorical_column_with_hash_bucket { key: "word" hash_bucket_size: 9 } }
    feature_column { name: "names" categorical_column_with_hash_bucket { key: "names" hash_bucket_size: 9 } }
    feature_column { name: "tags" categorical_column_with_hash_bucket { key: "tags" hash_bucket_size: 9 } }
    feature_column { name: "codes" categorical_column_with_hash_bucket { key: "codes" hash_bucket_size: 9 dtype: int64 } }
    estimator { linear_regressor { feature_columns: ["x", "price", "pair", "id", "word", "names", "tags", "codes"] } }
)";

} // namespace

/// The cells of a row that a program sets, without a model.
class TstRowCells : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cellsAreMissingAtFirst();
    void numbersAreOfTheTypeOfTheirFeature();
    void integersKeepEveryDigit();
    void textsAreReadAsCellsOfATable();
    void missingTokensAreThoseOfTheColumn();
    void severalValuesAreSetTogether();
    void listsHoldAnyNumber();
    void aRefusedCellIsMissing();
    void rowsAreCollected();

private:
    FeatureSlot slot(const char* name) { return *m_cells->feature(name); }
    std::string now(const char* name) { return shown(m_cells->row().features[slot(name).index]); }

    std::optional<RowCells> m_cells;
};

void TstRowCells::init()
{
    const spec::ParsedExperiment parsed = spec::parseExperiment(kExperiment);
    for (const spec::Problem& problem : parsed.problems) {
        QVERIFY2(problem.severity != spec::Severity::Error, problem.error.sentence.c_str());
    }
    const auto encoder = features::FeatureEncoder::create(parsed.experiment, ".");
    VERIFY_OK(encoder);
    auto cells = RowCells::create(*encoder);
    VERIFY_OK(cells);
    m_cells.emplace(std::move(*cells));
}

void TstRowCells::cellsAreMissingAtFirst()
{
    QCOMPARE(m_cells->features().size(), std::size_t{8});
    QCOMPARE(m_cells->row().rowCount, std::int64_t{1});
    QCOMPARE(now("x"), std::string("4.5")); // the column's default
    QCOMPARE(now("price"), std::string("-"));
    QCOMPARE(now("pair"), std::string("- -"));
    QCOMPARE(now("word"), std::string("-"));
    QCOMPARE(now("tags"), std::string("[]"));
    const auto wrong = m_cells->feature("wort");
    VERIFY_ERROR(wrong, "predict.no_feature");
    QVERIFY2(wrong.error().sentence.find("word") != std::string::npos,
             wrong.error().sentence.c_str());
}

void TstRowCells::numbersAreOfTheTypeOfTheirFeature()
{
    VERIFY_OK(m_cells->setNumber(slot("x"), -0.25));
    QCOMPARE(now("x"), std::string("-0.25"));
    VERIFY_OK(m_cells->setNumber(slot("x"), kNan));
    QCOMPARE(now("x"), std::string("4.5"));
    VERIFY_OK(m_cells->setNumber(slot("id"), 7));
    QCOMPARE(now("id"), std::string("7"));
    VERIFY_ERROR(m_cells->setNumber(slot("id"), 7.5), "predict.cell");
    VERIFY_ERROR(m_cells->setNumber(slot("id"), INFINITY), "predict.cell");
    VERIFY_ERROR(m_cells->setNumber(slot("id"), 0x1p63), "predict.cell");
    // From there on, neighbouring integers are the same double.
    VERIFY_OK(m_cells->setNumber(slot("id"), -0x1p53));
    VERIFY_ERROR(m_cells->setNumber(slot("id"), -0x1p53 - 2), "predict.cell");
    VERIFY_OK(m_cells->setNumber(slot("word"), 12));
    QCOMPARE(now("word"), std::string("12"));
    VERIFY_OK(m_cells->setNumber(slot("word"), 1.5));
    QCOMPARE(now("word"), std::string("1.5"));
}

/// 2^53 + 1 is no double.
void TstRowCells::integersKeepEveryDigit()
{
    const std::int64_t odd = (std::int64_t{1} << 53U) + 1;
    for (const char* name : {"id", "word"}) {
        VERIFY_OK(m_cells->setInteger(slot(name), odd));
        QCOMPARE(now(name), std::string("9007199254740993"));
        VERIFY_OK(m_cells->setInteger(slot(name), std::numeric_limits<std::int64_t>::min()));
        QCOMPARE(now(name), std::string("-9223372036854775808"));
        VERIFY_OK(m_cells->setInteger(slot(name), -3));
        QCOMPARE(now(name), std::string("-3"));
    }
}

void TstRowCells::textsAreReadAsCellsOfATable()
{
    VERIFY_OK(m_cells->setText(slot("x"), " 1e3 "));
    QCOMPARE(now("x"), std::string("1000"));
    VERIFY_OK(m_cells->setText(slot("price"), "1.299,50"));
    QCOMPARE(now("price"), std::string("1299.5"));
    VERIFY_OK(m_cells->setText(slot("word"), " blue "));
    QCOMPARE(now("word"), std::string(" blue "));
    VERIFY_ERROR(m_cells->setText(slot("x"), "warm"), "predict.cell");
    VERIFY_ERROR(m_cells->setText(slot("id"), "1.5"), "predict.cell");
    VERIFY_ERROR(m_cells->setText(slot("pair"), "1"), "predict.cell_count");
}

void TstRowCells::missingTokensAreThoseOfTheColumn()
{
    for (const char* text : {"?", "-9", "", "  ", "NaN", " ? "}) {
        VERIFY_OK(m_cells->setText(slot("x"), "1"));
        VERIFY_OK(m_cells->setText(slot("x"), text));
        QCOMPARE(now("x"), std::string("4.5"));
    }
    // A number that is a token, too.
    VERIFY_OK(m_cells->setNumber(slot("x"), 1));
    VERIFY_OK(m_cells->setNumber(slot("x"), -9));
    QCOMPARE(now("x"), std::string("4.5"));
    VERIFY_OK(m_cells->setText(slot("word"), "?"));
    QCOMPARE(now("word"), std::string("?"));
    VERIFY_OK(m_cells->setText(slot("word"), "NaN"));
    QCOMPARE(now("word"), std::string("NaN"));
}

void TstRowCells::severalValuesAreSetTogether()
{
    VERIFY_OK(m_cells->setNumbers(slot("pair"), std::vector<double>{1, kNan}));
    QCOMPARE(now("pair"), std::string("1 -"));
    const std::vector<std::string_view> texts{"", "2.5"};
    VERIFY_OK(m_cells->setTexts(slot("pair"), texts));
    QCOMPARE(now("pair"), std::string("- 2.5"));
    const std::vector<std::string_view> names{"Ada", ""};
    VERIFY_OK(m_cells->setTexts(slot("names"), names));
    QCOMPARE(now("names"), std::string("Ada -"));
    const auto three = m_cells->setNumbers(slot("pair"), std::vector<double>{1, 2, 3});
    VERIFY_ERROR(three, "predict.cell_count");
    QVERIFY2(three.error().sentence.find("2 values of type float32, but 3 are given") !=
                 std::string::npos,
             three.error().sentence.c_str());
    VERIFY_ERROR(m_cells->setNumber(slot("pair"), 1), "predict.cell_count");
}

void TstRowCells::listsHoldAnyNumber()
{
    const std::vector<std::string_view> tags{"a", "", "b"};
    VERIFY_OK(m_cells->setTexts(slot("tags"), tags));
    // An empty text is no piece, as where two separators meet.
    QCOMPARE(m_cells->row().features[slot("tags").index].rowOffsets,
             (std::vector<std::int64_t>{0, 2}));
    VERIFY_OK(m_cells->setText(slot("tags"), "a|b||c"));
    QCOMPARE(now("tags"), std::string("[a b c]"));
    QCOMPARE(m_cells->row().features[slot("tags").index].rowOffsets,
             (std::vector<std::int64_t>{0, 3}));
    VERIFY_OK(m_cells->setNumbers(slot("codes"), std::vector<double>{3, -4}));
    QCOMPARE(now("codes"), std::string("[3 -4]"));
    VERIFY_ERROR(m_cells->setNumbers(slot("codes"), std::vector<double>{3, 0.5}), "predict.cell");
    QCOMPARE(now("codes"), std::string("[]"));
    VERIFY_ERROR(m_cells->setNumbers(slot("codes"), std::vector<double>{kNan}), "predict.cell");
    VERIFY_OK(m_cells->setNumbers(slot("tags"), std::vector<double>{3, 0.5}));
    QCOMPARE(now("tags"), std::string("[3 0.5]"));
    VERIFY_OK(m_cells->setTexts(slot("tags"), {}));
    QCOMPARE(now("tags"), std::string("[]"));
}

void TstRowCells::aRefusedCellIsMissing()
{
    VERIFY_OK(m_cells->setNumber(slot("x"), 1));
    VERIFY_ERROR(m_cells->setText(slot("x"), "warm"), "predict.cell");
    QCOMPARE(now("x"), std::string("4.5"));
    VERIFY_OK(m_cells->setText(slot("word"), "blue"));
    m_cells->clear(slot("word"));
    QCOMPARE(now("word"), std::string("-"));
    VERIFY_OK(m_cells->setNumber(slot("id"), 3));
    VERIFY_OK(m_cells->setText(slot("word"), "blue"));
    m_cells->clearAll();
    QCOMPARE(now("word") + now("id"), std::string("--"));
}

void TstRowCells::rowsAreCollected()
{
    data::FeatureBatch rows;
    const std::vector<std::string_view> tags{"a", "b"};
    VERIFY_OK(m_cells->setTexts(slot("tags"), tags));
    VERIFY_OK(m_cells->setNumber(slot("x"), 1));
    m_cells->appendTo(rows);
    m_cells->clearAll();
    m_cells->appendTo(rows);
    VERIFY_OK(m_cells->setTexts(slot("tags"), std::span(tags).first(1)));
    m_cells->appendTo(rows);
    QCOMPARE(rows.rowCount, std::int64_t{3});
    QCOMPARE(shown(rows.features[slot("x").index]), std::string("1 4.5 4.5"));
    QCOMPARE(shown(rows.features[slot("pair").index]), std::string("- - - - - -"));
    QCOMPARE(shown(rows.features[slot("tags").index]), std::string("[a b a]"));
    QCOMPARE(rows.features[slot("tags").index].rowOffsets, (std::vector<std::int64_t>{0, 2, 2, 3}));
    RowCells::removeAll(rows);
    QCOMPARE(rows.rowCount, std::int64_t{0});
    m_cells->appendTo(rows);
    QCOMPARE(shown(rows.features[slot("tags").index]), std::string("[a]"));
    QCOMPARE(rows.features[slot("tags").index].rowOffsets, (std::vector<std::int64_t>{0, 1}));
}

CANNERY_TEST(TstRowCells)
#include "tst_row_cells.moc"
