// SPDX-License-Identifier: Apache-2.0
#include "storage/tabular/json_cells.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace cannery::storage;

class TstJsonCells : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void onlyAnObjectIsARow_data();
    void onlyAnObjectIsARow();
    void deepTextsAreNoRows();
    void membersAreCells();
    void numbersAreWrittenAsTheirColumnWritesThem();
    void listsHaveTheSeparatorOfTheirColumn();
};

namespace {

/// "name=text" of each cell.
std::vector<std::string> cellsOf(std::string_view object, const JsonColumns& columns = {})
{
    std::vector<JsonCell> cells;
    std::vector<std::string> texts;
    if (readJsonCells(object, columns, cells)) {
        for (const JsonCell& cell : cells) {
            texts.push_back(cell.name + "=" + cell.text);
        }
    }
    return texts;
}

using Texts = std::vector<std::string>;

} // namespace

void TstJsonCells::onlyAnObjectIsARow_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<bool>("isRow");
    QTest::newRow("an object") << QByteArray(R"({"x": 1, "tags": ["a", "b"]})") << true;
    QTest::newRow("an empty one") << QByteArray("{} ") << true;
    QTest::newRow("a list") << QByteArray("[1]") << false;
    QTest::newRow("a number") << QByteArray("1") << false;
    QTest::newRow("broken") << QByteArray(R"({"x": 1)") << false;
    QTest::newRow("two") << QByteArray("{} {}") << false;
    QTest::newRow("bytes that are no text") << QByteArray("{\"x\": \"\xff\"}") << false;
    QTest::newRow("nothing") << QByteArray() << false;
}

void TstJsonCells::onlyAnObjectIsARow()
{
    QFETCH(QByteArray, text);
    QFETCH(bool, isRow);
    std::vector<JsonCell> cells;
    QCOMPARE(readJsonCells(text.toStdString(), {}, cells), isRow);
}

/// Up to 64 levels, of lists and objects alike; brackets within texts are none.
void TstJsonCells::deepTextsAreNoRows()
{
    const auto nested = [](int levels) {
        const auto depth = static_cast<std::size_t>(levels - 1);
        return "{\"x\": " + std::string(depth, '[') + std::string(depth, ']') + "}";
    };
    std::vector<JsonCell> cells;
    QVERIFY(readJsonCells(nested(64), {}, cells));
    QVERIFY(!readJsonCells(nested(70), {}, cells));
    QVERIFY(!readJsonCells(nested(1'000'000), {}, cells));
    QVERIFY(readJsonCells("{\"x\": \"" + std::string(100, '[') + "\"}", {}, cells));
}

void TstJsonCells::membersAreCells()
{
    QCOMPARE(cellsOf(R"({"a": 1.50, "b": "x", "c": null, "d": true, "e": {"f": NaN}, "g": []})"),
             (Texts{"a=1.50", "b=x", "c=", "d=true", "e.f=", "g="}));
}

/// Texts are cells as they are.
void TstJsonCells::numbersAreWrittenAsTheirColumnWritesThem()
{
    const JsonColumns columns{{"comma", {.decimalMark = ','}},
                              {"whole", {.isInteger = true}},
                              {"list", {.decimalMark = ','}}};
    QCOMPARE(cellsOf(R"({"comma": -1.5e3, "text": 1.5, "list": [0.5, "0.5", 2]})", columns),
             (Texts{"comma=-1,5e3", "text=1.5", "list=0,5|0.5|2"}));
    QCOMPARE(cellsOf(R"({"comma": "1.5"})", columns), Texts{"comma=1.5"});
    QCOMPARE(cellsOf(R"({"whole": 7.0})", columns), Texts{"whole=7"});
    QCOMPARE(cellsOf(R"({"whole": -1e3})", columns), Texts{"whole=-1000"});
    QCOMPARE(cellsOf(R"({"whole": 7.5})", columns), Texts{"whole=7.5"});
    QCOMPARE(cellsOf(R"({"whole": "7.0"})", columns), Texts{"whole=7.0"});
    // From 2^53 on, neighbouring integers are the same double.
    QCOMPARE(cellsOf(R"({"whole": 9007199254740991.0})", columns), Texts{"whole=9007199254740991"});
    QCOMPARE(cellsOf(R"({"whole": 9007199254740993.0})", columns),
             Texts{"whole=9007199254740993.0"});
    QCOMPARE(cellsOf(R"({"whole": 9007199254740993})", columns), Texts{"whole=9007199254740993"});
}

void TstJsonCells::listsHaveTheSeparatorOfTheirColumn()
{
    const JsonColumns columns{{"tags", {.separator = "; "}}};
    QCOMPARE(cellsOf(R"({"tags": ["a", null, "b"], "other": ["a", "b"]})", columns),
             (Texts{"tags=a; b", "other=a|b"}));
    QCOMPARE(cellsOf(R"({"tags": ["a"], "other": [[1, 2], {"c": 0.5}]})", columns),
             (Texts{"tags=a", "other=[1,2]|{\"c\":0.5}"}));
}

CANNERY_TEST(TstJsonCells)
#include "tst_json_cells.moc"
