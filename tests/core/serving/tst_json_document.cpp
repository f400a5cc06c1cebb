// SPDX-License-Identifier: Apache-2.0
#include "core/serving/json_document.h"
#include "tests/support/test_main.h"

#include <QTest>

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

CANNERY_TEST(TstJsonDocument)
#include "tst_json_document.moc"
