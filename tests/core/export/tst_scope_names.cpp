// SPDX-License-Identifier: Apache-2.0
#include "core/export/program/experiment_program.h"
#include "core/export/program/scope_names.h"
#include "core/spec/text/parsed_experiment.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace cannery;
using namespace cannery::exporting;

class TstScopeNames : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void namesAreScopesAsInTensorFlow();
    void featuresAreRenamedWhereverTheyAreRead();
    void aProgramReadsTheColumnsOfTheTable();
    void rowsThatCannotBeUsedAreLeftOutBehindTheSplit();
    void aStratifiedSplitReadsTheLabelsColumn();

private:
    static spec::Experiment experiment(const std::string& data, const std::string& label);
};

/// Two features that are no scopes, one of them made of two columns.
spec::Experiment TstScopeNames::experiment(const std::string& data, const std::string& label)
{
    const std::string text = "data { " + data + " label { " + label + R"text( }
  train { csv { files: "t.csv" field_delim: "," header: true } }
  column { name: "length (cm)" dtype: float32 } column { name: "a" dtype: float32 }
  column { name: "y" dtype: string }
  feature { name: "both of them" stack { columns: ["a", "b"] shape: 2 } } }
feature_column { name: "l" numeric_column { key: "length (cm)" } }
feature_column { name: "k" categorical_column_with_hash_bucket {
  key: "доход" hash_bucket_size: 9 } }
feature_column { name: "b" numeric_column { key: "both of them" shape: 2 } }
feature_column { name: "e" embedding_column { categorical_column: "k" dimension: 2 } }
estimator { dnn_classifier { feature_columns: ["l", "b", "e"] hidden_units: 2 n_classes: 2
  label_vocabulary: ["n", "p"] } }
train_spec { max_steps: 1 })text";
    return spec::parseExperiment(text).experiment;
}

void TstScopeNames::namesAreScopesAsInTensorFlow()
{
    for (const char* name : {"a", "9", ".a", "a_b", "a-b", "a/b>c\\d", "A.b"}) {
        QVERIFY2(isScopeName(name), name);
    }
    for (const char* name : {"", "_a", "-a", "a b", "a(b)", "a$", "д", "a\n"}) {
        QVERIFY2(!isScopeName(name), name);
    }
}

void TstScopeNames::featuresAreRenamedWhereverTheyAreRead()
{
    const spec::Experiment renamed = withScopeNames(experiment("", "column: \"y\""));
    QCOMPARE(renamed.feature_column(0).numeric_column().key(), std::string("length__cm_"));
    QCOMPARE(renamed.feature_column(1).categorical_column_with_hash_bucket().key(),
             std::string("f__________"));
    QCOMPARE(renamed.feature_column(2).numeric_column().key(), std::string("both_of_them"));
    QCOMPARE(renamed.data().feature(0).name(), std::string("both_of_them"));
    QCOMPARE(renamed.data().feature_size(), 3);
    QCOMPARE(renamed.data().feature(1).column(), std::string("length (cm)"));
    QCOMPARE(renamed.data().feature(1).name(), std::string("length__cm_"));
}

void TstScopeNames::aProgramReadsTheColumnsOfTheTable()
{
    const auto program = experimentProgram({.experiment = experiment("", "column: \"y\"")});
    VERIFY_OK(program);
    const QString text = QString::fromStdString(*program);
    QVERIFY(text.contains("'length__cm_': dense(rows, 'length (cm)')"));
    QVERIFY(text.contains("numeric_column(key='length__cm_'"));
    QVERIFY(text.contains("'length (cm)': (float,"));
    QVERIFY(!text.contains("@usable"));
}

void TstScopeNames::rowsThatCannotBeUsedAreLeftOutBehindTheSplit()
{
    const auto unlabelled =
        experimentProgram({.experiment = experiment("unlabelled_rows: SKIP", "column: \"y\"")});
    VERIFY_OK(unlabelled);
    QVERIFY(QString::fromStdString(*unlabelled).contains("@usable\ndef part(is_training):"));
    QVERIFY(QString::fromStdString(*unlabelled).contains("if row['y'] not in TABLE['y'][2]]"));
    const auto all =
        experimentProgram({.experiment = experiment("bad_rows: SKIP", "column: \"y\"")});
    VERIFY_OK(all);
    QVERIFY(QString::fromStdString(*all).contains("row['y'] in ['n', 'p'] and"));
}

void TstScopeNames::aStratifiedSplitReadsTheLabelsColumn()
{
    const auto program =
        experimentProgram({.experiment = experiment("split { fraction { stratify: true } }",
                                                    "split { column: \"y\" }")});
    const QString text = program ? QString::fromStdString(*program) : QString();
    QVERIFY(text.contains("fingerprints([row['y'] for row in rows])"));
}

CANNERY_TEST(TstScopeNames)
#include "tst_scope_names.moc"
