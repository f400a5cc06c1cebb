// SPDX-License-Identifier: Apache-2.0
#include "core/spec/spec_resolver.h"
#include "core/spec/text/parsed_experiment.h"
#include "core/survey/usable_columns.h"
#include "tests/core/data/text_file.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>
#include <QTest>

using namespace cannery;
using namespace cannery::survey;

/// Feature columns that cannot be made are taken out of the model's lists.
class TstUsableColumns : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void usableColumnsStayAsTheyAre();
    void missingVocabularyTakesItsColumnsOut();
    void columnOfBothPartsIsOneProblem();

private:
    spec::Experiment experimentWith(const std::string& estimator) const
    {
        tests::textFile(m_folder, "there.txt", "a\nb\n");
        return spec::resolve(spec::parseExperiment(R"(
name: "e" data { train { csv { files: "t.csv" } } label { column: "y" } }
feature_column { name: "age" numeric_column { key: "age" } }
feature_column { name: "there" categorical_column_with_vocabulary_file {
    key: "a" vocabulary_file: "there.txt" } }
feature_column { name: "gone" categorical_column_with_vocabulary_file {
    key: "b" vocabulary_file: "gone.txt" } }
feature_column { name: "embedded" embedding_column { categorical_column: "gone" dimension: 2 } }
estimator { )" + estimator + " } train_spec { max_steps: 1 }")
                                 .experiment);
    }

    std::vector<ColumnProblem> removedFrom(spec::Experiment& experiment) const
    {
        return removeUnusable(experiment, m_folder.path().toStdString());
    }

    QTemporaryDir m_folder;
};

namespace {

template <typename Handles>
std::vector<std::string> listOf(const Handles& handles)
{
    return {handles.begin(), handles.end()};
}

using Names = std::vector<std::string>;

} // namespace

void TstUsableColumns::usableColumnsStayAsTheyAre()
{
    spec::Experiment experiment =
        experimentWith("linear_classifier { feature_columns: [\"there\", \"age\"] }");
    const std::string before = experiment.DebugString();
    QVERIFY(removedFrom(experiment).empty());
    QCOMPARE(experiment.DebugString(), before);
}

void TstUsableColumns::missingVocabularyTakesItsColumnsOut()
{
    spec::Experiment experiment =
        experimentWith("linear_classifier { feature_columns: [\"there\", \"gone\", \"age\"] }");
    const std::vector<ColumnProblem> problems = removedFrom(experiment);
    QCOMPARE(problems.size(), std::size_t{1});
    QCOMPARE(problems[0].column, std::string("gone"));
    QVERIFY2(problems[0].error.sentence.find("gone.txt") != std::string::npos,
             problems[0].error.sentence.c_str());
    QCOMPARE(listOf(experiment.estimator().linear_classifier().feature_columns()),
             (Names{"there", "age"}));
    const auto report = columnProblemsReport(problems);
    QCOMPARE(report.size(), 1);
    QCOMPARE(report[0].column(), std::string("gone"));
    QCOMPARE(report[0].id(), problems[0].error.id);
    QCOMPARE(report[0].path(), problems[0].error.path);
    QCOMPARE(report[0].problem(), problems[0].error.message());
}

/// And a column that wraps it is another: by the name that the estimator has.
void TstUsableColumns::columnOfBothPartsIsOneProblem()
{
    spec::Experiment experiment = experimentWith(
        "dnn_linear_combined_classifier { linear_feature_columns: [\"gone\", \"embedded\"] "
        "dnn_feature_columns: [\"embedded\", \"age\"] dnn_hidden_units: [2] }");
    const std::vector<ColumnProblem> problems = removedFrom(experiment);
    QCOMPARE(problems.size(), std::size_t{2});
    QCOMPARE(problems[0].column, std::string("gone"));
    QCOMPARE(problems[1].column, std::string("embedded"));
    const auto& model = experiment.estimator().dnn_linear_combined_classifier();
    QVERIFY(model.linear_feature_columns().empty());
    QCOMPARE(listOf(model.dnn_feature_columns()), Names{"age"});
}

CANNERY_TEST(TstUsableColumns)
#include "tst_usable_columns.moc"
