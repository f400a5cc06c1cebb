// SPDX-License-Identifier: Apache-2.0
#include "core/serving/json_document.h"
#include "core/serving/json_row.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <nlohmann/json.hpp>

using namespace cannery;
using namespace cannery::serving;

class TstJsonDocument : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void anArrayIsCutAtItsCommas();
    void otherTextsAreNotCut_data();
    void otherTextsAreNotCut();
    void findsTheListOfRows();
    void aRowIsAnObject_data();
    void aRowIsAnObject();
    void deepTextsAreNoRows();
};

void TstJsonDocument::anArrayIsCutAtItsCommas()
{
    const auto pieces =
        cutJsonArray("[ {\"a\": \"x,]\\\"}\",\n \"b\": [1, 2]},\n\n  3, \"c,d\" , ]\n");
    QVERIFY(pieces.has_value());
    QCOMPARE(pieces->size(), std::size_t{3});
    QCOMPARE((*pieces)[0].text, std::string_view("{\"a\": \"x,]\\\"}\",\n \"b\": [1, 2]}"));
    QCOMPARE((*pieces)[0].line, std::size_t{1});
    QCOMPARE((*pieces)[1].text, std::string_view("3"));
    QCOMPARE((*pieces)[1].line, std::size_t{4});
    QCOMPARE((*pieces)[2].text, std::string_view("\"c,d\""));
    QCOMPARE(cutJsonArray("[]")->size(), std::size_t{0});
}

void TstJsonDocument::otherTextsAreNotCut_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("open") << QByteArray("[1, 2");
    QTest::newRow("open text") << QByteArray("[\"a]");
    QTest::newRow("more behind") << QByteArray("[1] 2");
    QTest::newRow("nothing") << QByteArray();
}

void TstJsonDocument::otherTextsAreNotCut()
{
    QFETCH(QByteArray, text);
    QVERIFY(!cutJsonArray(text.toStdString()));
}

void TstJsonDocument::findsTheListOfRows()
{
    QCOMPARE(findArrayOfObjects("{\"a\": [1], \"b\": [ {\"c\": [{}]}]}"), std::size_t{16});
    QCOMPARE(findArrayOfObjects("{\"a\": \"[{\", \"b\": {\"c\": [{}]}}"), std::string_view::npos);
}

void TstJsonDocument::aRowIsAnObject_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<bool>("isRow");
    QTest::newRow("an object") << QByteArray(R"({"x": 1, "tags": ["a", "b"]})") << true;
    QTest::newRow("an empty one") << QByteArray(" {} ") << true;
    QTest::newRow("a list") << QByteArray("[1]") << false;
    QTest::newRow("a number") << QByteArray("1") << false;
    QTest::newRow("broken") << QByteArray(R"({"x": 1)") << false;
    QTest::newRow("two") << QByteArray("{} {}") << false;
    QTest::newRow("nothing") << QByteArray() << false;
}

void TstJsonDocument::aRowIsAnObject()
{
    QFETCH(QByteArray, text);
    QFETCH(bool, isRow);
    QCOMPARE(jsonRow<nlohmann::json>(text.toStdString()).has_value(), isRow);
}

/// Up to 64 levels, of lists and objects alike; brackets within texts are none.
void TstJsonDocument::deepTextsAreNoRows()
{
    const auto nested = [](int levels) {
        const auto depth = static_cast<std::size_t>(levels - 1);
        return "{\"x\": " + std::string(depth, '[') + std::string(depth, ']') + "}";
    };
    QVERIFY(jsonRow<nlohmann::json>(nested(64)).has_value());
    QVERIFY(!jsonRow<nlohmann::json>(nested(65)).has_value());
    const std::string brackets(100, '[');
    QVERIFY(isFlatJson("{\"x\": \"" + brackets + "\\\"" + brackets + "\"}"));
    QVERIFY(!isFlatJson("{\"x\": \"\\\\\"" + brackets));
    QVERIFY(isFlatJson(std::string(100, ']')));
}

CANNERY_TEST(TstJsonDocument)
#include "tst_json_document.moc"
