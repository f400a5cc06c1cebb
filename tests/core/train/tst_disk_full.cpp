// SPDX-License-Identifier: Apache-2.0
#include "storage/io/files.h"
#include "storage/runs/run_files.h"
#include "tests/core/train/training_fixture.h"
#include "tests/storage/io/faulty_file_system.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <filesystem>

using namespace cannery;
using namespace cannery::train;
using cannery::tests::FaultyFileSystem;
using cannery::tests::TrainingFixture;

namespace {

constexpr const char* kTenSteps =
    "train_spec { max_steps: 10 } run_config { save_checkpoints_steps: 5 }";
constexpr const char* kFourSaves =
    "train_spec { max_steps: 20 } run_config { save_checkpoints_steps: 5 }";

} // namespace

class TstDiskFull : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyWriteMayFailAndNothingIsLost_data();
    void everyWriteMayFailAndNothingIsLost();
    void goesOnWhenThereIsRoomAgain();
};

void TstDiskFull::everyWriteMayFailAndNothingIsLost_data()
{
    QTest::addColumn<QString>("model");
    QTest::newRow("saved at once") << QString();
    QTest::newRow("saved behind") << QString(TrainingFixture::kLarge);
}

void TstDiskFull::everyWriteMayFailAndNothingIsLost()
{
    QFETCH(QString, model);
    TrainingFixture fixture;
    VERIFY_OK(trainAndEvaluate(fixture.request(model.toStdString(), kTenSteps)));
    const std::string kept = fixture.path("kept");
    std::filesystem::copy(fixture.modelDir(), kept, std::filesystem::copy_options::recursive);
    FaultyFileSystem counting;
    TrainRequest request = fixture.request(model.toStdString(), kFourSaves);
    request.system = &counting;
    VERIFY_OK(trainAndEvaluate(request));
    const int calls = static_cast<int>(counting.calls().size());
    QVERIFY(calls > 50);
    constexpr int kStride = 19;
    int failed = 0;
    for (int call = 1; call <= calls; call += kStride) {
        std::filesystem::remove_all(fixture.modelDir());
        std::filesystem::copy(kept, fixture.modelDir(), std::filesystem::copy_options::recursive);
        FaultyFileSystem full(call);
        request.system = &full;
        const auto report = trainAndEvaluate(request);
        if (!report) {
            ++failed;
            QVERIFY2(report.error().message().find("space") != std::string::npos,
                     report.error().message().c_str());
        }
        const auto step = TrainingFixture::readNewest(fixture.modelDir());
        VERIFY_OK(step);
        QVERIFY(*step >= 10);
    }
    QVERIFY(failed > calls / kStride / 2);
}

void TstDiskFull::goesOnWhenThereIsRoomAgain()
{
    TrainingFixture undisturbed;
    VERIFY_OK(undisturbed.train(kFourSaves));
    TrainingFixture fixture;
    VERIFY_OK(fixture.train(kTenSteps));
    FaultyFileSystem full(60);
    TrainRequest request = fixture.request(kFourSaves);
    request.system = &full;
    QVERIFY(!trainAndEvaluate(request).has_value());
    VERIFY_OK(fixture.train(kFourSaves));
    QCOMPARE(TrainingFixture::bytes(fixture.modelDir() + "/model.ckpt-20.index"),
             TrainingFixture::bytes(undisturbed.modelDir() + "/model.ckpt-20.index"));
}

CANNERY_TEST(TstDiskFull)
#include "tst_disk_full.moc"
