// SPDX-License-Identifier: Apache-2.0
#include "core/cluster/yaml_text.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <nlohmann/json.hpp>

using namespace cannery::cluster;
using Yaml = nlohmann::ordered_json;

class TstYamlText : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void structuresAreIndented();
    void textsThatMeanSomethingElseAreQuoted_data();
    void textsThatMeanSomethingElseAreQuoted();
    void plainTextsStayPlain();
};

void TstYamlText::structuresAreIndented()
{
    const Yaml value = Yaml::parse(R"({"a": {"b": [1, {"c": true, "d": ["x", []]}], "e": {}},
                                       "no": [[1, 2], [3]], "f": null})");
    QCOMPARE(yamlText(value), std::string(R"(a:
  b:
    - 1
    - c: true
      d:
        - x
        - []
  e: {}
"no":
  - - 1
    - 2
  - - 3
f: null
)"));
}

void TstYamlText::textsThatMeanSomethingElseAreQuoted_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("yaml");
    QTest::newRow("nothing") << ""
                             << R"("")";
    QTest::newRow("a number") << "2222"
                              << R"("2222")";
    QTest::newRow("a sexagesimal number") << "1:30"
                                          << R"("1:30")";
    QTest::newRow("true or false") << "No"
                                   << R"("No")";
    QTest::newRow("true or false, short") << "y"
                                          << R"("y")";
    QTest::newRow("no value") << "null"
                              << R"("null")";
    QTest::newRow("no value, short") << "~"
                                     << R"("~")";
    QTest::newRow("infinity") << ".inf"
                              << R"(".inf")";
    QTest::newRow("a mapping") << "a: b"
                               << R"("a: b")";
    QTest::newRow("a comment") << "a #b"
                               << R"("a #b")";
    QTest::newRow("a list") << "- a"
                            << R"("- a")";
    QTest::newRow("a document") << "---"
                                << R"("---")";
    QTest::newRow("a reference") << "*a"
                                 << R"("*a")";
    QTest::newRow("a line break") << "a\n---\nb"
                                  << R"("a\n---\nb")";
    QTest::newRow("quotes") << "a\"b"
                            << R"("a\"b")";
    QTest::newRow("a backslash") << "a\\b"
                                 << R"("a\\b")";
    QTest::newRow("braces") << "m-{index}.m"
                            << R"("m-{index}.m")";
}

void TstYamlText::textsThatMeanSomethingElseAreQuoted()
{
    QFETCH(const QString, text);
    QFETCH(const QString, yaml);
    QCOMPARE(QString::fromStdString(yamlText(Yaml(text.toStdString()))), yaml);
}

void TstYamlText::plainTextsStayPlain()
{
    for (const std::string text :
         {"kubeflow.org/v1", "census-income", "/tmp", "ReadWriteMany", "yesterday"}) {
        const bool isPath = text.front() == '/';
        QCOMPARE(yamlText(Yaml(text)), isPath ? "\"" + text + "\"" : text);
    }
}

CANNERY_TEST(TstYamlText)
#include "tst_yaml_text.moc"
