// SPDX-License-Identifier: Apache-2.0
#include "core/plan/memory_limit.h"
#include "core/spec/text/parsed_experiment.h"
#include "core/train/preparation/size_check.h"
#include "tests/support/test_main.h"

#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <fstream>

using namespace cannery;
using namespace cannery::train;

namespace {

const char* const kBefore = R"(data { train { csv { files: "a.csv" } } label { column: "y" } }
feature_column { name: "x" numeric_column { key: "x" } }
feature_column { name: "h" categorical_column_with_hash_bucket { key: "h" hash_bucket_size: 1000 } }
feature_column { name: "v" embedding_column { categorical_column: "h" dimension: 8 } }
train_spec { max_steps: 1 input { batch_size: 32 } }
)";

const char* const kDnn = "estimator { dnn_classifier { hidden_units: [64, 32] feature_columns: "
                         "[\"x\", \"v\"] } }\n";

spec::Experiment experiment(const QString& what, const QString& with,
                            const QString& estimator = kDnn)
{
    QString text = kBefore + estimator;
    if (!text.contains(what)) {
        qFatal("there is no '%s'", qPrintable(what));
    }
    return spec::parseExperiment(text.replace(what, with).toStdString()).experiment;
}

std::optional<Error> problemOf(const spec::Experiment& experiment)
{
    return findSizeProblem({.experiment = experiment, .folder = "."});
}

/// The number in "At most 123 would fit."
QString fitIn(const Error& problem)
{
    static const QRegularExpression kFit("At most (\\d+) would fit\\.$");
    return kFit.match(QString::fromStdString(problem.sentence)).captured(1);
}

} // namespace

class TstSizeCheck : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup();
    void whatFitsIsNoProblem();
    void namesTheFieldAndTheNumberThatFits_data();
    void namesTheFieldAndTheNumberThatFits();
    void saysWhatIsNeededAndWhatThereIs();
    void saysWhenNoNumberOfOneFieldHelps();
    void checkpointsMustFitOnTheDisk();
    void aMissingVocabularyIsFoundAtItsField();
    void aShortVocabularyIsFoundAtItsSize();
    void tooManyBucketsAreFoundAtTheirColumn();
    void limitOfTheEnvironmentMustBeANumber();
};

void TstSizeCheck::init()
{
    qputenv(plan::kMemoryVariable, "100000000");
}

void TstSizeCheck::cleanup()
{
    qunsetenv(plan::kMemoryVariable);
}

void TstSizeCheck::whatFitsIsNoProblem()
{
    QVERIFY(!problemOf(experiment("32]", "32]")));
}

void TstSizeCheck::namesTheFieldAndTheNumberThatFits_data()
{
    QTest::addColumn<QString>("what");
    QTest::addColumn<QString>("with");
    QTest::addColumn<QString>("estimator");
    QTest::addColumn<QString>("path");
    const auto row = [](const char* name, const QString& what, const QString& with,
                        const QString& path, const QString& estimator = kDnn) {
        QTest::newRow(name) << what << with << estimator << path;
    };
    row("hidden units", "64,", "%1,", "estimator.dnn_classifier.hidden_units[0]");
    row("last hidden units", "32]", "%1]", "estimator.dnn_classifier.hidden_units[1]");
    row("dimension", "dimension: 8", "dimension: %1",
        "feature_column[v].embedding_column.dimension");
    row("hash buckets", "size: 1000", "size: %1",
        "feature_column[h].categorical_column_with_hash_bucket.hash_bucket_size");
    row("batch", "batch_size: 32", "batch_size: %1", "train_spec.input.batch_size");
    row("classes", "n_classes: 3", "n_classes: %1", "estimator.dnn_classifier.n_classes",
        "estimator { dnn_classifier { hidden_units: 64 feature_columns: \"x\" n_classes: 3 } }");
    row("label dimension", "label_dimension: 1", "label_dimension: %1",
        "estimator.linear_regressor.label_dimension",
        "estimator { linear_regressor { feature_columns: \"h\" label_dimension: 1 } }");
}

void TstSizeCheck::namesTheFieldAndTheNumberThatFits()
{
    QFETCH(QString, what);
    QFETCH(QString, with);
    QFETCH(QString, estimator);
    QFETCH(QString, path);
    for (const QString number : {"2147483647", "1000000000000", "9223372036854775807"}) {
        const auto problem = problemOf(experiment(what, with.arg(number), estimator));
        QVERIFY2(problem, qPrintable(number));
        QCOMPARE(QString::fromStdString(problem->path), path);
        QVERIFY2(QString::fromStdString(problem->sentence).contains("' is " + number + ": "),
                 problem->sentence.c_str());
        const QString fit = fitIn(*problem);
        QVERIFY2(!fit.isEmpty(), problem->sentence.c_str());
        // It does fit, and a hundredth more does not.
        QVERIFY(!problemOf(experiment(what, with.arg(fit), estimator)));
        const QString more = QString::number(fit.toLongLong() * 101 / 100 + 1);
        QVERIFY2(problemOf(experiment(what, with.arg(more), estimator)), qPrintable(more));
    }
}

void TstSizeCheck::saysWhatIsNeededAndWhatThereIs()
{
    const auto problem = problemOf(experiment("64, 32", "10000, 10000"));
    QVERIFY(problem);
    QCOMPARE(problem->id, std::string("spec.too_large"));
    // Adagrad keeps one slot: 2 * 4 bytes of each of 100,130,001 + 8,000 weights, 4 of a gradient.
    const QString sentence = QString::fromStdString(problem->sentence);
    QVERIFY2(sentence.startsWith("'hidden_units[0]' is 10000: training would need 1.2 GB of memory "
                                 "(801.0 MB of weights and optimizer slots, 400.5 MB of gradients "
                                 "and "),
             problem->sentence.c_str());
    QVERIFY2(sentence.contains("for a batch), but CANNERY_MEMORY_BYTES leaves 100.0 MB. At most "),
             problem->sentence.c_str());
}

void TstSizeCheck::saysWhenNoNumberOfOneFieldHelps()
{
    const auto problem = problemOf(experiment("64, 32", "10000, 10000, 10000, 10000, 10000"));
    QVERIFY(problem);
    QVERIFY2(QString::fromStdString(problem->sentence)
                 .endsWith("No number in its place would fit: make other fields smaller too."),
             problem->sentence.c_str());
}

void TstSizeCheck::checkpointsMustFitOnTheDisk()
{
    // No machine has a disk of 10^17 bytes.
    qputenv(plan::kMemoryVariable, "18000000000000000000");
    const auto problem = problemOf(experiment("64, 32", "100000000, 100000000"));
    QVERIFY(problem);
    QCOMPARE(problem->id, std::string("spec.checkpoint_too_large"));
    QCOMPARE(problem->path, std::string("estimator.dnn_classifier.hidden_units[0]"));
    QVERIFY2(QString::fromStdString(problem->sentence)
                 .startsWith("'hidden_units[0]' is 100000000: a checkpoint would take 80.0 PB, and "
                             "the previous one is kept until it is written, but the disk has "),
             problem->sentence.c_str());
    QVERIFY(!fitIn(*problem).isEmpty());
}

void TstSizeCheck::aMissingVocabularyIsFoundAtItsField()
{
    const auto problem = problemOf(experiment(
        "categorical_column_with_hash_bucket { key: \"h\" hash_bucket_size: 1000 }",
        "categorical_column_with_vocabulary_file { key: \"h\" vocabulary_file: \"none.txt\" }"));
    QVERIFY(problem);
    QCOMPARE(problem->id, std::string("features.vocabulary_unreadable"));
    QCOMPARE(
        problem->path,
        std::string("feature_column[h].categorical_column_with_vocabulary_file.vocabulary_file"));
}

void TstSizeCheck::aShortVocabularyIsFoundAtItsSize()
{
    const QTemporaryDir folder;
    std::ofstream(folder.filePath("words.txt").toStdString()) << "a\nb\n";
    const spec::Experiment wrong = experiment(
        "categorical_column_with_hash_bucket { key: \"h\" hash_bucket_size: 1000 }",
        "categorical_column_with_vocabulary_file { key: \"h\" vocabulary_file: \"words.txt\" "
        "vocabulary_size: 3 }");
    const auto problem =
        findSizeProblem({.experiment = wrong, .folder = folder.path().toStdString()});
    QVERIFY(problem);
    QCOMPARE(
        problem->path,
        std::string("feature_column[h].categorical_column_with_vocabulary_file.vocabulary_size"));
    QCOMPARE(problem->sentence, "Feature column 'h' has vocabulary_size 3, but " +
                                    folder.filePath("words.txt").toStdString() +
                                    " has 2 lines; lower it or leave it out.");
}

void TstSizeCheck::tooManyBucketsAreFoundAtTheirColumn()
{
    const auto problem = problemOf(
        experiment("categorical_column_with_hash_bucket { key: \"h\" hash_bucket_size: 1000 }",
                   "categorical_column_with_vocabulary_list { key: \"h\" vocabulary_list: \"a\" "
                   "num_oov_buckets: 2147483647 }"));
    QVERIFY(problem);
    QCOMPARE(problem->path, std::string("feature_column[h]"));
    QCOMPARE(problem->sentence, std::string("Feature column 'h' has 2147483648 buckets; at most "
                                            "2147483647 are possible."));
}

void TstSizeCheck::limitOfTheEnvironmentMustBeANumber()
{
    qputenv(plan::kMemoryVariable, "8 GB");
    const auto problem = problemOf(experiment("32]", "32]"));
    QVERIFY(problem);
    QCOMPARE(problem->sentence,
             std::string("CANNERY_MEMORY_BYTES is '8 GB': set it to a number of bytes, such as "
                         "8000000000, or unset it."));
}

CANNERY_TEST(TstSizeCheck)
#include "tst_size_check.moc"
