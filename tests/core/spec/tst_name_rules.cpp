// SPDX-License-Identifier: Apache-2.0
#include "core/spec/checks/name_rules.h"
#include "core/spec/spec_validator.h"
#include "core/spec/text/parsed_experiment.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace cannery;
using namespace cannery::spec;

namespace {

std::string sentenceOf(const std::optional<Error>& problem)
{
    return problem ? problem->sentence : std::string();
}

/// The errors of an experiment that contains a given text.
std::string errorsWith(const std::string& before, const std::string& name,
                       const std::string& after = "")
{
    const std::string text = "data { train { csv { files: \"a.csv\" } } label { column: \"y\" } } "
                             "estimator { baseline_classifier {} } train_spec { max_steps: 1 }\n" +
                             before + '"' + name + '"' + after;
    std::string errors;
    for (const Problem& problem : checkExperiment(text, {}).problems) {
        errors += problem.severity == Severity::Error ? problem.error.id + "\n" : "";
    }
    return errors;
}

} // namespace

class TstNameRules : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void namesHoldNothingInvisible();
    void namesHaveALength();
    void namesOfFoldersAreOneStep();
    void everyNameOfAnExperimentIsChecked_data();
    void everyNameOfAnExperimentIsChecked();
};

void TstNameRules::namesHoldNothingInvisible()
{
    QCOMPARE(sentenceOf(nameProblem("age of größe/2")), std::string());
    QCOMPARE(sentenceOf(nameProblem(std::string("a\0b", 3))),
             std::string("The name \"a\\000b\" has a zero byte: remove it."));
    QCOMPARE(sentenceOf(nameProblem("a\x1B[31m")),
             std::string("The name \"a\\033[31m\" has a control character (0x1B): remove it."));
    QCOMPARE(nameProblem("caf\xE9").value().arguments.at(1),
             std::string("a byte that is not UTF-8"));
}

void TstNameRules::namesHaveALength()
{
    QCOMPARE(sentenceOf(nameProblem(std::string(kMostNameBytes, 'a'))), std::string());
    QCOMPARE(sentenceOf(nameProblem(std::string(100'000, 'a'))),
             "The name \"" + std::string(60, 'a') +
                 "\"… has 100000 bytes: at most 1000 are allowed, so shorten it.");
}

void TstNameRules::namesOfFoldersAreOneStep()
{
    QCOMPARE(sentenceOf(folderNameProblem("best model.2")), std::string());
    for (const char* name : {"", ".", "..", "/", "a/b", "../../important"}) {
        QCOMPARE(sentenceOf(folderNameProblem(name)),
                 std::string("\"") + name +
                     "\" cannot be a name here: it becomes the name of a folder, so it must not be "
                     "empty, '.' or '..', nor contain '/'. Choose another.");
    }
    QCOMPARE(sentenceOf(folderNameProblem(std::string(240, 'a'))), std::string());
    QCOMPARE(folderNameProblem(std::string(241, 'a')).value().id, std::string("spec.long_name"));
    QCOMPARE(folderNameProblem(std::string("a\0", 2)).value().id, std::string("spec.bad_name"));
}

void TstNameRules::everyNameOfAnExperimentIsChecked_data()
{
    QTest::addColumn<QString>("before");
    QTest::addColumn<QString>("after");
    QTest::newRow("experiment") << "name: "
                                << "";
    QTest::newRow("feature column") << "feature_column { name: "
                                    << " numeric_column { key: \"a\" } }";
    QTest::newRow("key") << "feature_column { name: \"a\" numeric_column { key: "
                         << " } }";
    QTest::newRow("evaluation") << "eval_spec { name: "
                                << " }";
    QTest::newRow("exporter") << "eval_spec { exporter { latest_exporter { name: "
                              << " } } }";
}

void TstNameRules::everyNameOfAnExperimentIsChecked()
{
    QFETCH(QString, before);
    QFETCH(QString, after);
    const auto errors = [&](const std::string& name) {
        return QString::fromStdString(errorsWith(before.toStdString(), name, after.toStdString()))
            .split('\n');
    };
    QVERIFY(!errors("good").contains("spec.bad_name"));
    QVERIFY(errors("a\\000b").contains("spec.bad_name"));
    QVERIFY(errors("a\\nb").contains("spec.bad_name"));
    QVERIFY(errors(std::string(100'000, 'n')).contains("spec.long_name"));
}

CANNERY_TEST(TstNameRules)
#include "tst_name_rules.moc"
