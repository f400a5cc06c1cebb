// SPDX-License-Identifier: Apache-2.0
#include "tests/end_to_end/project_fixture.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace cannery;
using namespace cannery::tests;

/// A row of JSON means the same as a line of the model's table, however it is given.
class TstServedCells : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void jsonMeansWhatALineOfTheTableMeans_data();
    void jsonMeansWhatALineOfTheTableMeans();
    void rowsOfJsonKeepTheirPlaces_data();
    void rowsOfJsonKeepTheirPlaces();

private:
    ProjectFixture m_project; ///< of a table with decimal commas, dates and codes
};

namespace {

constexpr const char* kTable = R"(
name: "notations"
data {
  train { csv { files: "notations.csv" field_delim: ";" decimal_mark: comma na_value: "n/a" } }
  label { column: "label" }
  key_column: "id"
  column { name: "price" dtype: float32 number_notation { group_mark: "." affix: "€" } default_value: "4.5" }
  column { name: "code" dtype: int64 default_value: "1" }
  column { name: "sizes" dtype: string }
  column { name: "day" dtype: string date_notation: day_first }
  feature { name: "size" split { column: "sizes" separator: "/" dtype: float32 } }
  feature { name: "word" split { column: "words" separator: "/" } }
  feature { name: "month" date_part { column: "day" part: month } }
}
feature_column { name: "price" numeric_column { key: "price" } }
feature_column { name: "code" categorical_column_with_hash_bucket { key: "code" hash_bucket_size: 100 dtype: int64 } }
feature_column { name: "word" categorical_column_with_hash_bucket { key: "word" hash_bucket_size: 50 } }
feature_column { name: "size" weighted_categorical_column { categorical_column: "word" weight_feature_key: "size" } }
feature_column { name: "month" numeric_column { key: "month" default_value: 6 } }
estimator { linear_classifier { feature_columns: ["price", "code", "size", "month"] } }
train_spec { max_steps: 20 input { batch_size: 8 } }
)";

/// Without the places and words that differ between a table and a row that is served.
QString withoutReason(const QString& answer)
{
    return answer.contains("\"error\"") ? QStringLiteral("refused") : answer.trimmed();
}

} // namespace

void TstServedCells::initTestCase()
{
    QByteArray rows = "id;price;code;words;sizes;day;label\n";
    for (int i = 0; i < 40; ++i) {
        rows += QByteArray::number(i) + ";1." + QByteArray::number(100 + i) + ",50 €;" +
                QByteArray::number(i % 5) + ";a/b;1,5/" + QByteArray::number(i) + ";" +
                QByteArray::number(i % 28 + 1) + ".12.2023;" + (i % 3 == 0 ? "1" : "0") + "\n";
    }
    m_project.write("notations.csv", rows);
    m_project.write("notations.cannery", kTable);
    const ProgramResult notations = m_project.run({"train", "notations.cannery", "--quiet"});
    QVERIFY2(notations.exitCode == 0, qPrintable(notations.err));
}

void TstServedCells::jsonMeansWhatALineOfTheTableMeans_data()
{
    QTest::addColumn<QByteArray>("line");
    QTest::addColumn<QByteArray>("row");
    const auto add = [](const char* name, const char* line, const char* row) {
        QTest::newRow(name) << QByteArray(line) << QByteArray(row);
    };
    add("texts of the table", "7;1.299,50 €;3;a/b;0,5/2;24.12.2023",
        R"({"id":"7","price":"1.299,50 €","code":"3","words":"a/b","sizes":"0,5/2","day":"24.12.2023"})");
    add("numbers and lists", "7;1299,5;3;a/b;0,5/2;24.12.2023",
        R"({"id":7,"price":1299.5,"code":3,"words":["a","b"],"sizes":[0.5,2],"day":"24.12.2023"})");
    add("numbers with an exponent", "7;1,2995e3;3;a/b;5e-1/2;24.12.2023",
        R"({"id":7,"price":1.2995e3,"code":3.0,"words":["a","b"],"sizes":[5e-1,2],"day":"24.12.2023"})");
    add("a point in a text", "7;1299.5;3;a/b;1/2;24.12.2023",
        R"({"id":7,"price":"1299.5","code":3,"words":"a/b","sizes":[1,2],"day":"24.12.2023"})");
    add("a point in a text of a list", "7;5;3;a/b;0.5/2;24.12.2023",
        R"({"id":7,"price":5,"code":3,"words":"a/b","sizes":["0.5",2],"day":"24.12.2023"})");
    add("missing tokens", "n/a;n/a;n/a;a;1;n/a",
        R"({"id":"n/a","price":" n/a ","code":"n/a","words":"a","sizes":1,"day":"n/a"})");
    add("null, NaN and nothing", ";NaN;;a;1;",
        R"({"id":null,"price":NaN,"words":["a"],"sizes":[1]})");
    add("a large integer", "7;5;9007199254740993;a;1;1.1.2024",
        R"({"id":7,"price":5,"code":9007199254740993,"words":"a","sizes":1,"day":"1.1.2024"})");
    add("too large an integer", "7;5;9223372036854775808;a;1;1.1.2024",
        R"({"id":7,"price":5,"code":9223372036854775808,"words":"a","sizes":1,"day":"1.1.2024"})");
    add("a fraction for an integer", "7;5;3,5;a;1;1.1.2024",
        R"({"id":7,"price":5,"code":3.5,"words":"a","sizes":1,"day":"1.1.2024"})");
    add("a truth for a number", "7;true;3;a;1;1.1.2024",
        R"({"id":7,"price":true,"code":3,"words":"a","sizes":1,"day":"1.1.2024"})");
    add("no date", "7;5;3;a;1;2024-13-01",
        R"({"id":7,"price":5,"code":3,"words":"a","sizes":1,"day":"2024-13-01"})");
    add("a list for a number", "7;5|6;3;a;1;1.1.2024",
        R"({"id":7,"price":[5,6],"code":3,"words":"a","sizes":1,"day":"1.1.2024"})");
}

void TstServedCells::jsonMeansWhatALineOfTheTableMeans()
{
    QFETCH(QByteArray, line);
    QFETCH(QByteArray, row);
    const QStringList predict{"predict", "run-001", "--format", "jsonl"};
    const QString table =
        withoutReason(m_project.run(predict, "id;price;code;words;sizes;day\n" + line + "\n").out);
    QVERIFY(!table.isEmpty());
    m_project.write("row.jsonl", row);
    QCOMPARE(withoutReason(m_project.run(predict, row).out), table);
    QCOMPARE(withoutReason(m_project.run(predict, "[" + row + "]").out), table);
    QCOMPARE(withoutReason(m_project.run(predict + QStringList{"--input", "row.jsonl"}).out),
             table);
    QCOMPARE(withoutReason(m_project.run({"predict", "run-001", "--serve"}, row).out), table);
}

void TstServedCells::rowsOfJsonKeepTheirPlaces_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QStringList>("places");
    const QByteArray a = R"({"id":1,"price":1,"words":"a","sizes":1})";
    const QByteArray b = R"({"id":2,"price":"wide","words":"a","sizes":1})";
    const QByteArray c = R"({"id":3,"price":3,"words":"a","sizes":1})";
    QTest::newRow("array in a line")
        << QByteArray("[" + a + ",3," + b + ",[],{\"x\":1} {}," + c + "]")
        << QStringList{"1", "1", "1", "1"};
    QTest::newRow("array over lines")
        << QByteArray("\n[" + a + ",\n3,\n" + b + ",\n\n[\n],\n{x},\n" + c + "]\n")
        << QStringList{"3", "4", "6", "8"};
    QTest::newRow("lines") << QByteArray(a + "\n3\n" + b + "\n\n[1]\n{x}\n" + c + "\n")
                           << QStringList{"2", "3", "5", "6"};
}

/// Those that are no objects, too, and the places are those of what was given.
void TstServedCells::rowsOfJsonKeepTheirPlaces()
{
    QFETCH(QByteArray, text);
    QFETCH(QStringList, places);
    m_project.write("rows.json", text);
    for (const QString input : {"rows.json", "-"}) {
        const ProgramResult result =
            m_project.run({"predict", "run-001", "--format", "jsonl", "--input", input}, text);
        QVERIFY2(result.exitCode == 0, qPrintable(result.err));
        const QStringList rows = result.out.trimmed().split('\n');
        QCOMPARE(rows.size(), 6);
        QVERIFY2(rows[0].startsWith(R"({"id":"1","logits")"), qPrintable(rows[0]));
        QVERIFY2(rows[2].startsWith(R"({"id":"2","error")"), qPrintable(rows[2]));
        QVERIFY2(rows[5].startsWith(R"({"id":"3","logits")"), qPrintable(rows[5]));
        const QString name = input == "-" ? "standard input" : input;
        for (int i = 0; i < 4; ++i) {
            QVERIFY2(rows[i + 1].contains(R"("error")") &&
                         rows[i + 1].contains(name + ":" + places[i] + ":"),
                     qPrintable(rows[i + 1]));
        }
    }
}

CANNERY_TEST(TstServedCells)
#include "tst_served_cells.moc"
