// SPDX-License-Identifier: Apache-2.0
#include "storage/runs/ordered_json.h"
#include "storage/runs/run_json.h"
#include "tests/support/result_compare.h"
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
    void writesParametersAsTheLibraryDoes_data();
    void writesParametersAsTheLibraryDoes();
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

void TstOrderedJson::writesParametersAsTheLibraryDoes_data()
{
    QTest::addColumn<std::vector<storage::RunParameter>>("parameters");
    QTest::addColumn<std::vector<storage::RunParameter>>("expected");
    const auto row = [](const char* name, const std::vector<storage::RunParameter>& parameters,
                        const std::vector<storage::RunParameter>& expected) {
        QTest::newRow(name) << parameters << expected;
    };
    const std::vector<storage::RunParameter> escaped = {
        {"quo\"te", "back\\slash"}, {"line\n", "\x01\x7f"}, {"\xC3\xB6", "plain"}, {"", ""}};
    row("none", {}, {});
    row("escaped", escaped, escaped);
    row("twice", {{"a", "1"}, {"b", "2"}, {"a", "3"}}, {{"a", "3"}, {"b", "2"}});
    row("no text", {{"a", "\xff"}}, {{"a", "\xEF\xBF\xBD"}});
}

void TstOrderedJson::writesParametersAsTheLibraryDoes()
{
    QFETCH(const std::vector<storage::RunParameter>, parameters);
    QFETCH(const std::vector<storage::RunParameter>, expected);
    const std::string text = storage::toJson(storage::RunInfo{.parameters = parameters});
    QCOMPARE(text, Json::parse(text).dump(2) + "\n");
    const Result<storage::RunInfo> read = storage::runInfoFromJson(text); // with its checksum
    VERIFY_OK(read);
    QVERIFY(read->parameters == expected);
}

CANNERY_TEST(TstOrderedJson)
#include "tst_ordered_json.moc"
