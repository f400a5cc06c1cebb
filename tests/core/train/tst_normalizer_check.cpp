// SPDX-License-Identifier: Apache-2.0
#include "core/spec/text/parsed_experiment.h"
#include "core/spec/text/spec_override.h"
#include "core/train/preparation/dataset_loader.h"
#include "core/train/preparation/normalizer_check.h"
#include "core/train/train_and_evaluate.h"
#include "tests/core/train/training_fixture.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <fstream>

using namespace cannery;
using namespace cannery::train;

namespace {

const char* const kExperiment = R"(data { train { csv { files: "t.csv" } } label { column: "y" } }
feature_column { name: "scaled" numeric_column { key: "x" normalizer { %1 } } }
feature_column { name: "other" numeric_column { key: "z" } }
estimator { linear_regressor { feature_columns: ["scaled", "other"] } }
train_spec { max_steps: 1 }
run_config { tf_random_seed: 1 }
)";

const char* const kLists = R"(data { train { csv { files: "t.csv" } } label { column: "y" }
  feature { name: "steps" split { column: "x" separator: "|" dtype: float32 } } }
feature_column { name: "scaled" sequence_numeric_column { key: "steps" normalizer { %1 } } }
estimator { rnn_classifier { units: 2 sequence_feature_columns: "scaled" } }
train_spec { max_steps: 1 }
)";

} // namespace

/// What a z-score, a range or a logarithm does to the training rows.
class TstNormalizerCheck : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void ordinaryNumbersAreNoProblem();
    void aColumnOfOneNumberBecomesZero_data();
    void aColumnOfOneNumberBecomesZero();
    void numbersThatAreGivenNeedNoDeviation();
    void aColumnThatIsPartOfAFeatureHasItsOwnStatistics_data();
    void aColumnThatIsPartOfAFeatureHasItsOwnStatistics();
    void aListHasTheStatisticsOfAllItsNumbers();
    void aNumberFarOffIsNamedWithItsRow();
    void manyNumbersFarOffAreCounted();
    void theLogarithmOfZeroIsFarOff();
    void trainingLogsTheSameWarning();

private:
    void writeTable(const std::vector<double>& numbers) const;
    spec::Experiment experiment(const QString& normalizer) const;
    Result<std::vector<Error>> check(const QString& normalizer) const;
    std::string path(const char* name) const { return m_folder->filePath(name).toStdString(); }

    std::unique_ptr<QTemporaryDir> m_folder;
};

void TstNormalizerCheck::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
}

void TstNormalizerCheck::writeTable(const std::vector<double>& numbers) const
{
    std::ofstream file(path("t.csv"));
    file << "x,z,y\n";
    for (std::size_t row = 0; row < numbers.size(); ++row) {
        file << numbers[row] << ',' << row % 7 << ".5," << row % 2 << ".25\n";
    }
}

spec::Experiment TstNormalizerCheck::experiment(const QString& normalizer) const
{
    return spec::parseExperiment(QString(kExperiment).arg(normalizer).toStdString()).experiment;
}

Result<std::vector<Error>> TstNormalizerCheck::check(const QString& normalizer) const
{
    const spec::Experiment experiment = this->experiment(normalizer);
    const std::string folder = m_folder->path().toStdString();
    CANNERY_TRY_ASSIGN(const data::Dataset rows,
                       data::Dataset::open(experiment.data(), folder, data::DataPart::Train));
    return checkNormalizers(experiment, folder, rows);
}

void TstNormalizerCheck::ordinaryNumbersAreNoProblem()
{
    writeTable({1, 2, 3, 4, 5, 6.5});
    for (const char* normalizer : {"z_score {}", "min_max {}", "log {}"}) {
        const auto problems = check(normalizer);
        VERIFY_OK(problems);
        QCOMPARE(problems->size(), std::size_t{0});
    }
}

void TstNormalizerCheck::aColumnOfOneNumberBecomesZero_data()
{
    QTest::addColumn<QString>("normalizer");
    QTest::newRow("z-score") << "z_score {}";
    QTest::newRow("range") << "min_max {}";
}

void TstNormalizerCheck::aColumnOfOneNumberBecomesZero()
{
    QFETCH(QString, normalizer);
    writeTable({2.5, 2.5, 2.5, 2.5});
    const auto problems = check(normalizer);
    VERIFY_OK(problems);
    QCOMPARE(problems->size(), std::size_t{1});
    QCOMPARE(problems->front().sentence,
             std::string("Every number of 'x' in the training rows is 2.5, so the feature column "
                         "'scaled' is 0 in all of them and the model learns nothing from it. "
                         "Remove the column, or train on rows that differ."));
    QCOMPARE(problems->front().path,
             std::string("feature_column[scaled].numeric_column.normalizer"));
    TrainRequest request;
    request.experiment = experiment(normalizer);
    request.experimentFile = path("e.cannery");
    request.modelDir = path("model");
    VERIFY_OK(trainAndEvaluate(request));
    const auto rows = data::Dataset::open(request.experiment.data(), m_folder->path().toStdString(),
                                          data::DataPart::Train);
    const auto resolved = resolveWithStatistics(request.experiment, *rows);
    VERIFY_OK(resolved);
    const spec::Normalizer& frozen = resolved->feature_column(0).numeric_column().normalizer();
    if (frozen.has_z_score()) {
        QCOMPARE(frozen.z_score().mean(), 2.5);
        QCOMPARE(frozen.z_score().stddev(), 1.0);
    } else {
        QCOMPARE(frozen.min_max().min(), 2.5);
        QCOMPARE(frozen.min_max().max(), 3.5);
    }
}

void TstNormalizerCheck::numbersThatAreGivenNeedNoDeviation()
{
    writeTable({2.5, 2.5, 2.5, 2.5});
    const auto problems = check("z_score { mean: 2 stddev: 1 }");
    VERIFY_OK(problems);
    QCOMPARE(problems->size(), std::size_t{0});
}

void TstNormalizerCheck::aColumnThatIsPartOfAFeatureHasItsOwnStatistics_data()
{
    QTest::addColumn<QString>("feature");
    QTest::newRow("stacked") << "stack { columns: ['x', 'z'] }";
    QTest::newRow("split") << "split { column: 'x' dtype: float32 }";
}

void TstNormalizerCheck::aColumnThatIsPartOfAFeatureHasItsOwnStatistics()
{
    QFETCH(QString, feature);
    writeTable({1, 2, 3, 6});
    for (const char* normalizer : {"z_score {}", "min_max {}"}) {
        spec::Experiment experiment = this->experiment(normalizer);
        VERIFY_OK(spec::applyOverride(experiment, "data.feature=[{ name: 'made' " +
                                                      feature.toStdString() + " }]"));
        const auto rows = data::Dataset::open(experiment.data(), m_folder->path().toStdString(),
                                              data::DataPart::Train);
        VERIFY_OK(rows);
        const auto resolved = resolveWithStatistics(experiment, *rows);
        VERIFY_OK(resolved);
        const spec::Normalizer& found = resolved->feature_column(0).numeric_column().normalizer();
        if (found.has_z_score()) {
            QCOMPARE(found.z_score().mean(), 3.0);
            QCOMPARE(found.z_score().stddev(), std::sqrt(3.5));
        } else {
            QCOMPARE(found.min_max().min(), 1.0);
            QCOMPARE(found.min_max().max(), 6.0);
        }
    }
}

void TstNormalizerCheck::aListHasTheStatisticsOfAllItsNumbers()
{
    std::ofstream(path("t.csv")) << "x,y\n1|2|3,1\n,0\n6,1\n";
    for (const char* normalizer : {"z_score {}", "min_max {}"}) {
        const spec::Experiment experiment =
            spec::parseExperiment(QString(kLists).arg(normalizer).toStdString()).experiment;
        const auto rows = data::Dataset::open(experiment.data(), m_folder->path().toStdString(),
                                              data::DataPart::Train);
        VERIFY_OK(rows);
        const auto resolved = resolveWithStatistics(experiment, *rows);
        VERIFY_OK(resolved);
        const spec::Normalizer& found =
            resolved->feature_column(0).sequence_numeric_column().normalizer();
        if (found.has_z_score()) {
            QCOMPARE(found.z_score().mean(), 3.0);
            QCOMPARE(found.z_score().stddev(), std::sqrt(3.5));
        } else {
            QCOMPARE(found.min_max().min(), 1.0);
            QCOMPARE(found.min_max().max(), 6.0);
        }
    }
}

void TstNormalizerCheck::aNumberFarOffIsNamedWithItsRow()
{
    writeTable({0, 1, 0.5, -200, 1});
    const auto problems = check("z_score { mean: 0 stddev: 2 }");
    VERIFY_OK(problems);
    QCOMPARE(problems->size(), std::size_t{1});
    QCOMPARE(problems->front().id, std::string("data.extreme_value"));
    QCOMPARE(problems->front().path,
             std::string("feature_column[scaled].numeric_column.normalizer"));
    QCOMPARE(problems->front().sentence,
             path("t.csv") + ":5: -200 of 'x' becomes -100 in the feature column 'scaled', beyond "
                             "50, while most numbers lie within 5. Correct the cell, or use a log "
                             "normalizer or a bucketized_column instead.");
}

void TstNormalizerCheck::manyNumbersFarOffAreCounted()
{
    writeTable({0, 1, 300, -200, 1, 400});
    const auto problems = check("subtract_divide { divide: 2 }");
    VERIFY_OK(problems);
    QCOMPARE(problems->size(), std::size_t{1});
    QCOMPARE(problems->front().arguments.at(5), std::string(" (2 more such numbers)"));
    QCOMPARE(problems->front().arguments.at(1), std::string("300"));
}

void TstNormalizerCheck::theLogarithmOfZeroIsFarOff()
{
    writeTable({1, 0, 3});
    const auto problems = check("log { offset: 0 }");
    VERIFY_OK(problems);
    QCOMPARE(problems->size(), std::size_t{1});
    QCOMPARE(problems->front().arguments.at(0), path("t.csv") + ":3");
    QCOMPARE(problems->front().arguments.at(3), std::string("-inf"));
}

void TstNormalizerCheck::trainingLogsTheSameWarning()
{
    std::vector<double> numbers(4000, 1);
    for (std::size_t row = 0; row < numbers.size(); row += 2) {
        numbers[row] = 2;
    }
    numbers[3000] = 1e6;
    writeTable(numbers);
    const auto problems = check("z_score {}");
    VERIFY_OK(problems);
    QCOMPARE(problems->size(), std::size_t{1});
    TrainRequest request;
    request.experiment = experiment("z_score {}");
    request.experimentFile = path("e.cannery");
    request.modelDir = path("model");
    const auto trained = trainAndEvaluate(request);
    VERIFY_OK(trained);
    QCOMPARE(trained->data.warnings, std::vector<std::string>{problems->front().sentence});
}

CANNERY_TEST(TstNormalizerCheck)
#include "tst_normalizer_check.moc"
