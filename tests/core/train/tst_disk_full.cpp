#include "storage/io/files.h"
#include "storage/runs/run_files.h"
#include "storage/tf/checkpoint_reader.h"
#include "storage/tf/checkpoint_state.h"
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
constexpr const char* kTwentySteps =
    "train_spec { max_steps: 20 } run_config { save_checkpoints_steps: 5 }";

/// Every tensor of the newest checkpoint can be read, checksums and all.
Result<std::int64_t> readLatest(const std::string& modelDir)
{
    CANNERY_TRY_ASSIGN(const auto latest, storage::latestCheckpoint(modelDir));
    CANNERY_TRY_ASSIGN(const auto reader, storage::CheckpointReader::open(latest.value_or("none")));
    for (const storage::CheckpointEntry& entry : reader.entries()) {
        CANNERY_TRY(reader.read(entry.name));
    }
    return reader.readInt64("global_step");
}

} // namespace

class TstDiskFull : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyWriteMayFailAndNothingIsLost();
    void goesOnWhenThereIsRoomAgain();
};

void TstDiskFull::everyWriteMayFailAndNothingIsLost()
{
    TrainingFixture fixture;
    VERIFY_OK(fixture.train(kTenSteps));
    const std::string kept = fixture.path("kept");
    std::filesystem::copy(fixture.modelDir(), kept, std::filesystem::copy_options::recursive);
    FaultyFileSystem counting;
    TrainRequest request = fixture.request(kTwentySteps);
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
        const auto step = readLatest(fixture.modelDir());
        VERIFY_OK(step);
        QVERIFY(*step >= 10);
    }
    QVERIFY(failed > calls / kStride / 2);
}

void TstDiskFull::goesOnWhenThereIsRoomAgain()
{
    TrainingFixture undisturbed;
    VERIFY_OK(undisturbed.train(kTwentySteps));
    TrainingFixture fixture;
    VERIFY_OK(fixture.train(kTenSteps));
    FaultyFileSystem full(60);
    TrainRequest request = fixture.request(kTwentySteps);
    request.system = &full;
    QVERIFY(!trainAndEvaluate(request).has_value());
    VERIFY_OK(fixture.train(kTwentySteps));
    QCOMPARE(TrainingFixture::bytes(fixture.modelDir() + "/model.ckpt-20.index"),
             TrainingFixture::bytes(undisturbed.modelDir() + "/model.ckpt-20.index"));
}

CANNERY_TEST(TstDiskFull)
#include "tst_disk_full.moc"
