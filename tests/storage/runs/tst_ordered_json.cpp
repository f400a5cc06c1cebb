// SPDX-License-Identifier: Apache-2.0
#include "storage/runs/ordered_json.h"
#include "tests/support/test_main.h"

#include <nlohmann/json.hpp>

using namespace cannery;
using Json = nlohmann::ordered_json;

class TstOrderedJson : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void readsWhatTheLibraryReads_data();
    void readsWhatTheLibraryReads();
    void saysWhatTheLibrarySays_data();
    void saysWhatTheLibrarySays();
};

void TstOrderedJson::readsWhatTheLibraryReads_data()
{
    QTest::addColumn<QString>("text");
    for (const char* text :
         {"null", "true", "-7", "18446744073709551615", "0.25", "\"a\\u00e4\\n\"", "[]", "{}",
          "[1, [2, {}], {\"b\": [], \"a\": null}]",
          R"({"z": 1, "a": {"y": [true, false], "b": "c"}, "m": -1.5e3})",
          R"({"twice": 1, "once": 2, "twice": {"twice": 3}, "": 4})"}) {
        QTest::newRow(text) << text;
    }
}

void TstOrderedJson::readsWhatTheLibraryReads()
{
    QFETCH(QString, text);
    const auto read = storage::parseOrderedJson<Json>(text.toStdString());
    QVERIFY(std::holds_alternative<Json>(read));
    QCOMPARE(std::get<Json>(read).dump(), Json::parse(text.toStdString()).dump());
    QVERIFY(std::get<Json>(read) == Json::parse(text.toStdString()));
}

void TstOrderedJson::saysWhatTheLibrarySays_data()
{
    QTest::addColumn<QString>("text");
    for (const char* text : {"", "{", "[1,]", "{\"a\" 1}", "{} {}", "\"open", "1e999", "nul"}) {
        QTest::newRow(text) << text;
    }
}

void TstOrderedJson::saysWhatTheLibrarySays()
{
    QFETCH(QString, text);
    const auto result = storage::parseOrderedJson<Json>(text.toStdString());
    QVERIFY(std::holds_alternative<std::string>(result));
    std::string said;
    try {
        const Json read = Json::parse(text.toStdString());
        QVERIFY2(false, read.dump().c_str());
    } catch (const Json::exception& failure) {
        said = failure.what();
    }
    QVERIFY(!said.empty());
    QCOMPARE(std::get<std::string>(result), said);
}

CANNERY_TEST(TstOrderedJson)
#include "tst_ordered_json.moc"
