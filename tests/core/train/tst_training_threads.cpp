// SPDX-License-Identifier: Apache-2.0
#include "core/train/loop/training_control.h"
#include "tests/core/train/training_fixture.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <thread>

using namespace cannery;
using namespace cannery::train;
using cannery::tests::TrainingFixture;

/// Short trainings that use every thread of the engine: few enough steps for ThreadSanitizer, under
/// which the test command runs this program again.
class TstTrainingThreads : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void threeThreadsTrainSaveAndEvaluateAsOneDoes();
    void wishesOfAnotherThreadAreFulfilled();
};

namespace {

const std::string kTraining =
    std::string(TrainingFixture::kLarge) +
    "train_spec { max_steps: 6 input { batch_size: 64 } } "
    "eval_spec { throttle_secs: 0 exporter { final_exporter {} } } "
    "run_config { save_checkpoints_steps: 2 save_summary_steps: 2 cache_memory_mb: 0 }";

/// The last step of a training with this many threads.
QByteArray trainedWith(int threads)
{
    TrainingFixture fixture;
    const auto report = fixture.train(kTraining, threads);
    if (!report) {
        return QByteArray::fromStdString(report.error().message());
    }
    const std::string prefix = fixture.modelDir() + "/model.ckpt-6";
    return QByteArray::fromStdString(TrainingFixture::bytes(prefix + ".index") +
                                     TrainingFixture::bytes(prefix + ".data-00000-of-00001"));
}

} // namespace

void TstTrainingThreads::threeThreadsTrainSaveAndEvaluateAsOneDoes()
{
    const QByteArray expected = trainedWith(1);
    QVERIFY2(expected.size() > 1 << 20, expected.left(200));
    QVERIFY(trainedWith(3) == expected);
}

void TstTrainingThreads::wishesOfAnotherThreadAreFulfilled()
{
    TrainingFixture fixture;
    TrainingControl control;
    control.pause();
    TrainRequest request = fixture.request(kTraining, "train_spec { max_steps: 1000000 }");
    request.threads = 2;
    request.control = &control;
    std::jthread person([&control] {
        control.checkpointNow();
        control.stopAndKeep();
        control.resume();
    });
    const auto report = trainAndEvaluate(request);
    VERIFY_OK(report);
    QVERIFY(report->outcome.reason == StopReason::Requested);
    QVERIFY(control.ending() != Ending::None);
    QCOMPARE(*TrainingFixture::readNewest(fixture.modelDir()),
             TrainingFixture::steps(fixture.modelDir()).back());
}

CANNERY_TEST(TstTrainingThreads)
#include "tst_training_threads.moc"
