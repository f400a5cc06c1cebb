// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/input/experiment_input.h"
#include "core/data/dataset.h"
#include "core/survey/feature_survey.h"
#include "core/train/preparation/dataset_loader.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <string>

using namespace cannery;
using namespace cannery::app;
using namespace cannery::survey;

namespace {

constexpr const char* kTable = "label,sex,class,age,tags\n"
                               "1,f,First,10,a|b\n"
                               "0,m,Third,20,a\n"
                               "0,m,Third,30,\n"
                               "1,m,First,40,b|c\n"
                               "1,f,First,,c\n"
                               "0,m,,20,a|b|c\n";

/// The survey of an experiment with these columns and this estimator.
class Surveyed
{
public:
    Surveyed(const QByteArray& columns, const QByteArray& estimator,
             const QByteArray& table = kTable)
    {
        write("t.csv", table);
        write("e.cannery",
              "name: \"e\" data { train { csv { files: \"t.csv\" } } label { column: \"label\" } "
              "column { name: \"age\" default_value: \"15\" } "
              "feature { name: \"tags\" split { column: \"tags\" separator: \"|\" } } }\n" +
                  columns + " estimator { " + estimator +
                  " } train_spec { max_steps: 1 } run_config { tf_random_seed: 1 }\n");
        const ExperimentReport report =
            checkExperimentFile(m_folder.filePath("e.cannery").toStdString(), {});
        auto dataset = data::Dataset::open(report.experiment.data(), report.folder.string(),
                                           data::DataPart::Train);
        if (!dataset) {
            qFatal("%s", dataset.error().sentence.c_str());
        }
        const auto resolved = train::resolveWithStatistics(report.experiment, *dataset, {}, {});
        if (!resolved) {
            qFatal("%s", resolved.error().sentence.c_str());
        }
        auto found = surveyFeatures(*resolved, report.folder, *dataset, {});
        if (!found) {
            qFatal("%s", found.error().sentence.c_str());
        }
        survey = std::move(*found);
    }

    const HashedColumn& column(const std::string& name) const
    {
        for (const HashedColumn& one : survey.columns) {
            if (one.name == name) {
                return one;
            }
        }
        qFatal("no such column");
    }

    FeatureSurvey survey;

private:
    void write(const QString& name, const QByteArray& text) const
    {
        QFile file(m_folder.filePath(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size()) {
            qFatal("cannot write");
        }
    }

    QTemporaryDir m_folder;
};

QByteArray cross(const QByteArray& keys, int buckets)
{
    return "feature_column { name: \"x\" crossed_column { " + keys +
           " hash_bucket_size: " + QByteArray::number(buckets) + " } }\n";
}

const QByteArray kBinary = "linear_classifier { feature_columns: \"x\" }";
const QByteArray kSexByClass = "key { feature: \"sex\" } key { feature: \"class\" }";

/// "f First 2 1.00 -": values, count, first mean, whether it shares its bucket.
QStringList linesOf(const HashedColumn& column)
{
    QStringList lines;
    for (const HashedValue& value : column.values) {
        QStringList words;
        for (const SeenValue& one : value.values) {
            const auto* text = std::get_if<std::string>(&one);
            const auto* id = std::get_if<std::int64_t>(&one);
            words << (text != nullptr ? QString::fromStdString(*text)
                      : id != nullptr ? QStringLiteral("#%1").arg(*id)
                                      : QStringLiteral("?"));
        }
        words << QString::number(value.count);
        words << (value.means.empty() ? QStringLiteral("-")
                                      : QString::number(value.means.front(), 'f', 2));
        lines << words.join(' ');
    }
    return lines;
}

} // namespace

class TstFeatureSurvey : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void pairsThatOccurAreCountedWithTheLabelInEach();
    void sharingIsThatOfTheBuckets();
    void bucketsAndWordsAreReadableTexts();
    void eachValueOfASplitCellCounts();
    void aHashedColumnIsCountedLikeACross();
    void aRegressionHasMeansAndSeveralClassesAShareEach();
    void moreValuesThanAreToldApartAreSaid();
    void aColumnThatCannotBeCountedSaysWhy();
    void reportHasWhatTheEditorShows();
};

void TstFeatureSurvey::pairsThatOccurAreCountedWithTheLabelInEach()
{
    const Surveyed surveyed(cross(kSexByClass, 1000), kBinary);
    QCOMPARE(surveyed.survey.targets, std::vector<std::string>{"1"});
    QVERIFY(surveyed.survey.areShares);
    const HashedColumn& column = surveyed.column("x");
    // A missing text of a raw feature is a value in a cross, as in TensorFlow.
    QCOMPARE(linesOf(column),
             QStringList({"f First 2 1.00", "m Third 2 0.00", "m ? 1 0.00", "m First 1 1.00"}));
    QCOMPARE(column.distinct, 4U);
    QCOMPARE(column.occurrences, 6U);
    QCOMPARE(column.inputs, (std::vector<std::string>{"sex", "class"}));
}

void TstFeatureSurvey::sharingIsThatOfTheBuckets()
{
    for (const int buckets : {1, 2, 3, 5, 1000}) {
        const Surveyed surveyed(cross(kSexByClass, buckets), kBinary);
        const HashedColumn& column = surveyed.column("x");
        std::uint64_t shared = 0;
        std::uint64_t occurrences = 0;
        for (const HashedValue& value : column.values) {
            QVERIFY(value.bucket >= 0 && value.bucket < buckets);
            bool isShared = false;
            for (const HashedValue& other : column.values) {
                isShared |= &other != &value && other.bucket == value.bucket;
            }
            QCOMPARE(value.isShared, isShared);
            shared += isShared ? 1 : 0;
            occurrences += isShared ? value.count : 0;
        }
        QCOMPARE(column.shared, shared);
        QCOMPARE(column.sharedOccurrences, occurrences);
    }
    const Surveyed one(cross(kSexByClass, 1), kBinary);
    QCOMPARE(one.column("x").shared, 4U);
    QCOMPARE(one.column("x").bucketsUsed, 1U);
    QCOMPARE(expectedSharing(one.column("x")), 1.0);
}

void TstFeatureSurvey::bucketsAndWordsAreReadableTexts()
{
    const Surveyed surveyed(
        "feature_column { name: \"age\" numeric_column { key: \"age\" } }\n"
        "feature_column { name: \"ages\" bucketized_column { source_column: \"age\" boundaries: "
        "[15, 30.5] } }\n"
        "feature_column { name: \"class\" categorical_column_with_vocabulary_list { key: \"class\" "
        "vocabulary_list: [\"Third\"] num_oov_buckets: 1 } }\n" +
            cross("key { column: \"class\" } key { column: \"ages\" }", 100),
        kBinary);
    // In a categorical column it does not count as a value: the row has no pair.
    QCOMPARE(linesOf(surveyed.column("x")),
             QStringList({"Third 15 – 30.5 2 0.00", "#1 15 – 30.5 1 1.00", "#1 < 15 1 1.00",
                          "#1 ≥ 30.5 1 1.00"}));
    QCOMPARE(surveyed.column("x").occurrences, 5U);
}

void TstFeatureSurvey::eachValueOfASplitCellCounts()
{
    const Surveyed surveyed(cross("key { feature: \"sex\" } key { feature: \"tags\" }", 1000),
                            kBinary);
    const HashedColumn& column = surveyed.column("x");
    QCOMPARE(linesOf(column), QStringList({"m a 2 0.00", "m b 2 0.50", "m c 2 0.50", "f a 1 1.00",
                                           "f b 1 1.00", "f c 1 1.00"}));
    QCOMPARE(column.occurrences, 9U);
}

void TstFeatureSurvey::aHashedColumnIsCountedLikeACross()
{
    const Surveyed surveyed("feature_column { name: \"x\" categorical_column_with_hash_bucket { "
                            "key: \"class\" hash_bucket_size: 1 } }\n",
                            kBinary);
    const HashedColumn& column = surveyed.column("x");
    // A missing category does not count as a value.
    QCOMPARE(linesOf(column), QStringList({"First 3 1.00", "Third 2 0.00"}));
    QCOMPARE(column.shared, 2U);
    QCOMPARE(column.sharedOccurrences, 5U);
}

void TstFeatureSurvey::aRegressionHasMeansAndSeveralClassesAShareEach()
{
    const Surveyed mean(cross(kSexByClass, 1000), "linear_regressor { feature_columns: \"x\" }",
                        "label,sex,class,age,tags\n4.5,f,First,1,a\n1.5,f,First,1,a\n");
    QVERIFY(!mean.survey.areShares);
    QCOMPARE(linesOf(mean.column("x")), QStringList{"f First 2 3.00"});
    const Surveyed classes(cross(kSexByClass, 1000),
                           "linear_classifier { feature_columns: \"x\" n_classes: 3 }",
                           "label,sex,class,age,tags\n2,f,First,1,a\n0,f,First,1,a\n");
    QCOMPARE(classes.survey.targets, (std::vector<std::string>{"0", "1", "2"}));
    QCOMPARE(classes.column("x").values.front().means, (std::vector<double>{0.5, 0, 0.5}));
}

void TstFeatureSurvey::moreValuesThanAreToldApartAreSaid()
{
    QByteArray table = "label,sex,class,age,tags\n";
    for (int i = 0; i < 50'100; ++i) {
        table += "1,s" + QByteArray::number(i) + ",First,1,a\n";
    }
    const Surveyed surveyed(cross(kSexByClass, 1000), kBinary, table);
    const HashedColumn& column = surveyed.column("x");
    QCOMPARE(column.distinct, 50'000U);
    QCOMPARE(column.uncounted, 100U);
    QCOMPARE(column.values.size(), std::size_t{100});
}

void TstFeatureSurvey::aColumnThatCannotBeCountedSaysWhy()
{
    const Surveyed surveyed("feature_column { name: \"odd\" categorical_column_with_hash_bucket { "
                            "key: \"nowhere\" hash_bucket_size: 3 } }\n"
                            "feature_column { name: \"number\" "
                            "categorical_column_with_hash_bucket { key: \"age\" "
                            "hash_bucket_size: 3 dtype: string } }\n" +
                                cross(kSexByClass, 1000),
                            kBinary);
    QCOMPARE(surveyed.column("odd").problem, std::string("The table has no feature 'nowhere'."));
    QVERIFY(!surveyed.column("number").problem.empty());
    QCOMPARE(surveyed.column("x").distinct, 4U);
}

void TstFeatureSurvey::reportHasWhatTheEditorShows()
{
    const Surveyed surveyed(cross(kSexByClass, 1), kBinary);
    const reports::FeatureSurvey report = surveyReport(surveyed.survey);
    QCOMPARE(report.targets_size(), 1);
    QCOMPARE(report.targets(0), std::string("1"));
    QCOMPARE(report.targets_are(), std::string("shares"));
    QCOMPARE(report.columns(0).column(), std::string("x"));
    const reports::HashedCounts& counts = report.columns(0).counts();
    QCOMPARE(counts.distinct(), 4U);
    QCOMPARE(counts.shared(), 4U);
    QVERIFY(counts.distinct_is_exact());
    QCOMPARE(counts.values_size(), 4);
    QCOMPARE(counts.values(0).values(0).text(), std::string("f"));
    QCOMPARE(counts.values(0).values(1).text(), std::string("First"));
    QCOMPARE(counts.values(2).values(1).kind_case(), reports::Value::KIND_NOT_SET);
    QVERIFY(counts.values(0).shared());
    // For people: a sentence and a table.
    const std::vector<std::string> lines = surveyLines(surveyed.survey);
    QCOMPARE(lines.front(), std::string("x: 4 values of sex × class in 1 of 1 buckets; 100.0 % of "
                                        "them share a bucket (expected: 100.0 %)"));
    QCOMPARE(lines.size(), std::size_t{6});
}

CANNERY_TEST(TstFeatureSurvey)
#include "tst_feature_survey.moc"
