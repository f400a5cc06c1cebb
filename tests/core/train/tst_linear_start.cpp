// SPDX-License-Identifier: Apache-2.0
#include "storage/tf/checkpoints/checkpoint_reader.h"
#include "tests/core/train/training_fixture.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QtTest>

#include <algorithm>
#include <cmath>

using namespace cannery;
using namespace cannery::tests;
using namespace cannery::train;

namespace {

/// The label is whether x is above the middle: a linear model of x can learn it.
constexpr const char* kStart = R"(
estimator { dnn_linear_combined_classifier { linear_feature_columns: ["x"] } }
train_spec { max_steps: 20 input { batch_size: 100 } linear_start { l2_regularization_strength: 0.01 } }
run_config { save_checkpoints_steps: 5 }
)";
constexpr const char* kNoStart = R"(
estimator { dnn_linear_combined_classifier { linear_feature_columns: ["x"] } }
train_spec { max_steps: 20 input { batch_size: 100 } }
run_config { save_checkpoints_steps: 5 }
)";

Result<TrainReport> trainWatched(const std::string& text, RecordingObserver& observer)
{
    const TrainingFixture fixture;
    TrainRequest request = fixture.request(text);
    request.observer = &observer;
    return trainAndEvaluate(request);
}

std::vector<double> lossesOf(const std::string& text)
{
    RecordingObserver observer;
    return trainWatched(text, observer) ? observer.losses : std::vector<double>();
}

} // namespace

class TstLinearStart : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void theFirstLossIsThatOfTheSolution();
    void itIsToldInTheLog();
    void sameBitsOnAnyNumberOfThreads();
    void aRunThatGoesOnIsNotStartedAnew();
    void rowsCountByTheirClass();
    void aModelWithoutLinearPartStartsAsEver();
};

void TstLinearStart::theFirstLossIsThatOfTheSolution()
{
    const std::vector<double> with = lossesOf(kStart);
    const std::vector<double> without = lossesOf(kNoStart);
    QCOMPARE(with.size(), std::size_t(20));
    QCOMPARE(without.size(), std::size_t(20));
    QVERIFY2(with.front() < 0.3, qPrintable(QString::number(with.front())));
    QVERIFY2(without.front() > 0.5, qPrintable(QString::number(without.front())));
}

void TstLinearStart::itIsToldInTheLog()
{
    RecordingObserver observer;
    VERIFY_OK(trainWatched(kStart, observer));
    QVERIFY(std::find(observer.log.begin(), observer.log.end(),
                      "The linear part starts at its solution on 100 rows (L2 0.01).") !=
            observer.log.end());
}

void TstLinearStart::sameBitsOnAnyNumberOfThreads()
{
    TrainingFixture first;
    VERIFY_OK(first.train(kStart));
    const std::string file = "/model.ckpt-20.data-00000-of-00001";
    const std::string expected = TrainingFixture::bytes(first.modelDir() + file);
    QVERIFY(!expected.empty());
    for (const int threads : {2, 7}) {
        TrainingFixture other;
        VERIFY_OK(other.train(kStart, threads));
        QVERIFY(TrainingFixture::bytes(other.modelDir() + file) == expected);
    }
}

void TstLinearStart::aRunThatGoesOnIsNotStartedAnew()
{
    TrainingFixture straight;
    VERIFY_OK(straight.train(kStart));
    TrainingFixture fixture;
    RecordingObserver observer;
    observer.stopAfter = 7;
    TrainRequest request = fixture.request(kStart);
    request.observer = &observer;
    request.stop = &observer.stop;
    VERIFY_OK(trainAndEvaluate(request));
    RecordingObserver later;
    TrainRequest again;
    again.observer = &later;
    VERIFY_OK(resumeRun(fixture.modelDir(), again));
    QVERIFY(std::none_of(later.log.begin(), later.log.end(), [](const std::string& line) {
        return line.starts_with("The linear part starts");
    }));
    const std::string file = "/model.ckpt-20.data-00000-of-00001";
    QVERIFY(TrainingFixture::bytes(fixture.modelDir() + file) ==
            TrainingFixture::bytes(straight.modelDir() + file));
}

void TstLinearStart::rowsCountByTheirClass()
{
    // The penalty leaves the bias alone, so the prediction is the weighted share of class 1, which
    // 49 of the 100 rows have.
    constexpr const char* kWeighted = R"(
estimator { linear_classifier { feature_columns: ["x"] } }
train_spec { max_steps: 1 input { batch_size: 100 } linear_start { l2_regularization_strength: 1e6 }
  class_weight { label: "1" weight: 9 } }
)";
    TrainingFixture fixture;
    VERIFY_OK(fixture.train(kWeighted));
    const auto reader = storage::CheckpointReader::open(fixture.modelDir() + "/model.ckpt-0");
    VERIFY_OK(reader);
    const auto bias = reader->read("linear/linear_model/bias_weights");
    VERIFY_OK(bias);
    const auto value = static_cast<double>(bias->values<float>().front());
    QVERIFY2(std::abs(value - std::log(9.0 * 49 / 51)) < 1e-3, qPrintable(QString::number(value)));
}

void TstLinearStart::aModelWithoutLinearPartStartsAsEver()
{
    constexpr const char* kDeep = R"(
estimator { dnn_classifier { feature_columns: ["x"] hidden_units: [4] } }
train_spec { max_steps: 2 linear_start {} }
)";
    RecordingObserver observer;
    VERIFY_OK(trainWatched(kDeep, observer));
    QVERIFY(std::find(observer.log.begin(), observer.log.end(),
                      "The model has no linear part with a closed form: it starts at zero.") !=
            observer.log.end());
}

CANNERY_TEST(TstLinearStart)
#include "tst_linear_start.moc"
