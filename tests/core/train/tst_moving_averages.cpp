// SPDX-License-Identifier: Apache-2.0
#include "core/train/evaluation/model_evaluation.h"
#include "core/train/opened_model.h"
#include "storage/tf/checkpoints/checkpoint_reader.h"
#include "tests/core/train/training_fixture.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QtTest>

#include <cmath>

using namespace cannery;
using namespace cannery::tests;
using namespace cannery::train;

namespace {

std::string averaged(const std::string& optimizer, int steps = 20, int saveSteps = 5)
{
    return "estimator { dnn_linear_combined_classifier { dnn_dropout: 0 dnn_optimizer { " +
           optimizer + " } } } train_spec { max_steps: " + std::to_string(steps) +
           " input { batch_size: 10 } } eval_spec { throttle_secs: 0 steps: 0 input { batch_size: "
           "7 } } "
           "run_config { save_checkpoints_steps: " +
           std::to_string(saveSteps) + " }";
}

const std::string kAveraged = averaged("moving_average_decay: 0.8");
const std::string kPlain = averaged("");
constexpr const char* kData = "/model.ckpt-20.data-00000-of-00001";
const std::string kKernel = "dnn/hiddenlayer_0/kernel";

std::vector<float> tensor(const std::string& folder, int step, const std::string& name)
{
    const auto reader =
        storage::CheckpointReader::open(folder + "/model.ckpt-" + std::to_string(step));
    const auto value = reader->read(name);
    const auto numbers = value->values<float>();
    return {numbers.begin(), numbers.end()};
}

double lossOf(const EvaluationResult& result)
{
    for (const metrics::MetricValue& metric : result.metrics) {
        if (metric.name == "loss") {
            return metric.value;
        }
    }
    return -1;
}

} // namespace

class TstMovingAverages : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void theyFollowTheWeights();
    void theyDoNotChangeTheTraining();
    void evaluationsUseThem();
    void sameBitsAfterAResumeAndOnAnyNumberOfThreads_data();
    void sameBitsAfterAResumeAndOnAnyNumberOfThreads();
    void thoseOfKerasBecomeTheWeightsAtTheEnd();
    void theyBeginAtWarmStartedWeights();
};

void TstMovingAverages::theyFollowTheWeights()
{
    TrainingFixture fixture;
    VERIFY_OK(fixture.train(averaged("moving_average_decay: 0.8", 3, 1)));
    const auto average = [&](int step) {
        return tensor(fixture.modelDir(), step, kKernel + "/ExponentialMovingAverage");
    };
    std::vector<float> expected = tensor(fixture.modelDir(), 0, kKernel);
    QCOMPARE(average(0), expected);
    for (const int step : TrainingFixture::steps(fixture.modelDir())) {
        if (step == 0) {
            continue;
        }
        const std::vector<float> weights = tensor(fixture.modelDir(), step, kKernel);
        const std::vector<float> actual = average(step);
        for (std::size_t i = 0; i < weights.size(); ++i) {
            expected[i] -= (expected[i] - weights[i]) * (1.0F - 0.8F);
            QVERIFY(std::abs(actual[i] - expected[i]) <= 1e-6F);
        }
        expected = actual;
    }
}

void TstMovingAverages::theyDoNotChangeTheTraining()
{
    TrainingFixture with;
    TrainingFixture without;
    VERIFY_OK(with.train(kAveraged));
    VERIFY_OK(without.train(kPlain));
    QCOMPARE(tensor(with.modelDir(), 20, kKernel), tensor(without.modelDir(), 20, kKernel));
}

/// Those within the training and those of its checkpoint; a model without averages differs.
void TstMovingAverages::evaluationsUseThem()
{
    TrainingFixture with;
    TrainingFixture without;
    const auto averagedReport = with.train(kAveraged);
    const auto plainReport = without.train(kPlain);
    VERIFY_OK(averagedReport);
    VERIFY_OK(plainReport);
    auto model = openModel({.modelDir = with.modelDir()});
    VERIFY_OK(model);
    const auto evaluation = evaluateModel(*model, {});
    VERIFY_OK(evaluation);
    QVERIFY(averagedReport->evaluation.has_value());
    QCOMPARE(lossOf(*evaluation), lossOf(*averagedReport->evaluation));
    QVERIFY(lossOf(*averagedReport->evaluation) != lossOf(*plainReport->evaluation));
}

void TstMovingAverages::sameBitsAfterAResumeAndOnAnyNumberOfThreads_data()
{
    QTest::addColumn<QString>("optimizer");
    QTest::newRow("of tf.train") << "moving_average_decay: 0.8";
    QTest::newRow("of Keras") << "nadam {} rules: keras weight_decay: 0.1 ema_momentum: 0.8 "
                                 "ema_overwrite_frequency: 6";
    QTest::newRow("of whole matrices") << "adafactor {} rules: keras ema_momentum: 0.8";
}

void TstMovingAverages::sameBitsAfterAResumeAndOnAnyNumberOfThreads()
{
    QFETCH(QString, optimizer);
    const std::string experiment = averaged(optimizer.toStdString());
    TrainingFixture straight;
    VERIFY_OK(straight.train(experiment));
    const std::string expected = TrainingFixture::bytes(straight.modelDir() + kData);
    QVERIFY(!expected.empty());
    TrainingFixture threads;
    VERIFY_OK(threads.train(experiment, 3));
    QVERIFY(TrainingFixture::bytes(threads.modelDir() + kData) == expected);
    TrainingFixture fixture;
    RecordingObserver observer;
    observer.stopAfter = 7;
    TrainRequest request = fixture.request(experiment);
    request.observer = &observer;
    request.stop = &observer.stop;
    VERIFY_OK(trainAndEvaluate(request));
    VERIFY_OK(resumeRun(fixture.modelDir(), TrainRequest()));
    QVERIFY(TrainingFixture::bytes(fixture.modelDir() + kData) == expected);
}

/// Also where that step has been saved before it was known to be the last.
void TstMovingAverages::thoseOfKerasBecomeTheWeightsAtTheEnd()
{
    TrainingFixture fixture;
    VERIFY_OK(fixture.train(averaged("adam {} rules: keras ema_momentum: 0.8", 4, 1)));
    for (const int step : {2, 3, 4}) {
        const std::vector<float> weights = tensor(fixture.modelDir(), step, kKernel);
        const std::vector<float> average =
            tensor(fixture.modelDir(), step, "Adam/average/" + kKernel);
        QCOMPARE(weights == average, step == 4);
    }
}

void TstMovingAverages::theyBeginAtWarmStartedWeights()
{
    TrainingFixture first;
    VERIFY_OK(first.train(kPlain));
    TrainingFixture second;
    VERIFY_OK(second.train(kAveraged + " warm_start { ckpt_to_initialize_from: \"" +
                           first.modelDir() + "\" }"));
    QCOMPARE(tensor(second.modelDir(), 0, kKernel + "/ExponentialMovingAverage"),
             tensor(first.modelDir(), 20, kKernel));
}

CANNERY_TEST(TstMovingAverages)
#include "tst_moving_averages.moc"
