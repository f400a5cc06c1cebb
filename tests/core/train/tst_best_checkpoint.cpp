// SPDX-License-Identifier: Apache-2.0
#include "core/train/checkpoints/checkpoint_recovery.h"
#include "core/train/checkpoints/checkpoint_store.h"
#include "core/train/opened_model.h"
#include "storage/io/files.h"
#include "storage/runs/decision_metric.h"
#include "storage/runs/run_files.h"
#include "storage/runs/run_store.h"
#include "storage/tf/checkpoints/checkpoint_reader.h"
#include "storage/tf/checkpoints/checkpoint_state.h"
#include "tests/core/train/training_fixture.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

using namespace cannery;
using namespace cannery::train;
using cannery::tests::RecordingObserver;
using cannery::tests::TrainingFixture;

using Steps = std::vector<std::int64_t>;

namespace {

/// The loss falls from the beginning, so "the highest loss" always belongs to the first evaluation:
/// a best that is soon far behind the newest checkpoints.
constexpr const char* kFarPast =
    "train_spec { max_steps: 20 input { batch_size: 16 } } "
    "eval_spec { throttle_secs: 0 exporter { best_exporter { name: \"worst\" metric: \"loss\" "
    "higher_is_better: true exports_to_keep: 2 } } } "
    "run_config { save_checkpoints_steps: 2 keep_checkpoint_max: 2 } "
    "estimator { dnn_linear_combined_classifier { dnn_optimizer { adam { learning_rate: 0.05 } } } "
    "} ";

/// The step of the highest (or lowest) value of a metric in the run's own list.
std::int64_t extreme(const std::string& modelDir, const std::string& metric, bool highest)
{
    const auto evaluations = storage::RunFiles(modelDir).readEvaluations();
    std::int64_t step = -1;
    double best = 0;
    for (const storage::RunEvaluation& evaluation : *evaluations) {
        for (const storage::MetricValue& value : evaluation.metrics) {
            if (value.name == metric &&
                (step < 0 || (highest ? value.value > best : value.value < best))) {
                step = evaluation.globalStep;
                best = value.value;
            }
        }
    }
    return step;
}

/// The checkpoints that must exist if two of the newest are kept.
Steps wanted(const std::string& modelDir, std::int64_t last, std::int64_t before)
{
    std::set<std::int64_t> steps{before, last, extreme(modelDir, "auc", true),
                                 extreme(modelDir, "loss", true)};
    return Steps(steps.begin(), steps.end());
}

std::string reason(const std::vector<storage::RunCheckpoint>& checkpoints, std::int64_t step)
{
    for (const storage::RunCheckpoint& checkpoint : checkpoints) {
        if (checkpoint.globalStep == step) {
            return checkpoint.keptBecause;
        }
    }
    return "(not listed)";
}

void copyCheckpoint(const std::string& modelDir, std::int64_t from, std::int64_t to)
{
    for (const char* end : {".index", ".data-00000-of-00001", ".cannery"}) {
        std::error_code failure;
        std::filesystem::copy_file(checkpointPrefix(modelDir, from) + end,
                                   checkpointPrefix(modelDir, to) + end, failure);
        QVERIFY(!failure);
    }
}

} // namespace

/// The best checkpoint is kept, whatever happens, and everything that mentions it means it.
class TstBestCheckpoint : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void staysBesideTheNewest();
    void isWhatBestMeans();
    void staysWhenTrainingIsContinued();
    void staysWhenTrainingIsKilled();
    void stopAndKeepLeavesItUsable();
    void aWorseModelIsNotExportedInAnotherSession();
    void whatWasBestWhenItWasKilledIsExported();
    void comesBackWithARescan();
    void thoseKeptByTheHourStayListed();
    void whatAKillHasLeftIsDeletedByTheNextSession();
    void whatAKillKeptFromBeingNamedIsTakenUp_data();
    void whatAKillKeptFromBeingNamedIsTakenUp();
    void decisionMetricOfARun_data();
    void decisionMetricOfARun();
};

void TstBestCheckpoint::staysBesideTheNewest()
{
    TrainingFixture fixture;
    VERIFY_OK(fixture.train(kFarPast));
    const std::string dir = fixture.modelDir();
    const std::int64_t worst = extreme(dir, "loss", true);
    QVERIFY2(worst < 18, "the scenario is none: the newest two hold it anyway");
    QCOMPARE(TrainingFixture::steps(dir), wanted(dir, 20, 18));
    const auto listed = storage::RunFiles(dir).readCheckpoints();
    VERIFY_OK(listed);
    Steps listedSteps;
    for (const storage::RunCheckpoint& checkpoint : *listed) {
        listedSteps.push_back(checkpoint.globalStep);
        QVERIFY(checkpoint.bytes > 0);
    }
    QCOMPARE(listedSteps, TrainingFixture::steps(dir));
    QVERIFY2(reason(*listed, worst).find("loss") != std::string::npos,
             reason(*listed, worst).c_str());
    QVERIFY(reason(*listed, extreme(dir, "auc", true)).find("best auc") != std::string::npos);
    QVERIFY(reason(*listed, 20).starts_with("latest"));
    // TensorFlow counts only the newest, and ignores the others.
    const auto state = storage::readCheckpointState(dir);
    VERIFY_OK(state);
    QCOMPARE((*state)->all,
             (std::vector<std::string>{dir + "/model.ckpt-18", dir + "/model.ckpt-20"}));
}

void TstBestCheckpoint::isWhatBestMeans()
{
    TrainingFixture fixture;
    VERIFY_OK(fixture.train(kFarPast));
    const std::int64_t best = extreme(fixture.modelDir(), "auc", true);
    const auto model = openModel(
        {.modelDir = fixture.modelDir(), .checkpoint = {.kind = CheckpointChoice::Kind::Best}});
    VERIFY_OK(model);
    QCOMPARE(model->globalStep, best);
}

void TstBestCheckpoint::staysWhenTrainingIsContinued()
{
    TrainingFixture fixture;
    VERIFY_OK(fixture.train(kFarPast));
    VERIFY_OK(resumeRun(fixture.modelDir(), TrainRequest(), 31));
    const std::string dir = fixture.modelDir();
    QCOMPARE(TrainingFixture::steps(dir), wanted(dir, 31, 30));
    QVERIFY(extreme(dir, "loss", true) < 20);
}

void TstBestCheckpoint::staysWhenTrainingIsKilled()
{
    TrainingFixture fixture;
    for (const std::int64_t step : {9, 13, 19}) {
        QVERIFY(fixture.trainUntilKilled(kFarPast, step));
        QCOMPARE(TrainingFixture::steps(fixture.modelDir()),
                 wanted(fixture.modelDir(), step - 1, step - 3));
    }
    VERIFY_OK(resumeRun(fixture.modelDir(), TrainRequest()));
    QCOMPARE(TrainingFixture::steps(fixture.modelDir()), wanted(fixture.modelDir(), 20, 18));
}

void TstBestCheckpoint::stopAndKeepLeavesItUsable()
{
    TrainingFixture fixture;
    TrainingControl control;
    class Stopping : public TrainingObserver
    {
    public:
        explicit Stopping(TrainingControl& control) : m_control(control) {}
        void stepDone(std::int64_t globalStep, double) override
        {
            if (globalStep == 15) {
                m_control.stopAndKeep();
            }
        }

    private:
        TrainingControl& m_control;
    } observer(control);
    TrainRequest request = fixture.request(kFarPast);
    request.control = &control;
    request.observer = &observer;
    const auto report = trainAndEvaluate(request);
    VERIFY_OK(report);
    QVERIFY(report->outcome.reason == StopReason::Requested);
    QCOMPARE(TrainingFixture::steps(fixture.modelDir()), wanted(fixture.modelDir(), 15, 14));
    const auto model = openModel(
        {.modelDir = fixture.modelDir(), .checkpoint = {.kind = CheckpointChoice::Kind::Best}});
    VERIFY_OK(model);
    QCOMPARE(model->globalStep, extreme(fixture.modelDir(), "auc", true));
}

void TstBestCheckpoint::aWorseModelIsNotExportedInAnotherSession()
{
    TrainingFixture fixture;
    const auto first = fixture.train(kFarPast);
    VERIFY_OK(first);
    const std::int64_t worst = extreme(fixture.modelDir(), "loss", true);
    QCOMPARE(first->exports.back().globalStep, worst);
    const auto second = resumeRun(fixture.modelDir(), TrainRequest(), 40);
    VERIFY_OK(second);
    QCOMPARE(extreme(fixture.modelDir(), "loss", true), worst); // otherwise the scenario is void
    QVERIFY(second->exports.empty());
    const auto exports = storage::RunFiles(fixture.modelDir()).readExports();
    VERIFY_OK(exports);
    QCOMPARE(exports->back().globalStep, worst);
}

void TstBestCheckpoint::whatWasBestWhenItWasKilledIsExported()
{
    TrainingFixture fixture;
    VERIFY_OK(fixture.train(kFarPast));
    const std::int64_t worst = extreme(fixture.modelDir(), "loss", true);
    // Killed between the evaluation and its export.
    VERIFY_OK(storage::removeTree(fixture.modelDir() + "/export"));
    VERIFY_OK(storage::RunFiles(fixture.modelDir()).writeExports({}));
    const auto second = resumeRun(fixture.modelDir(), TrainRequest(), 30);
    VERIFY_OK(second);
    QCOMPARE(second->exports.size(), std::size_t{1});
    QCOMPARE(second->exports.front().globalStep, worst);
}

void TstBestCheckpoint::comesBackWithARescan()
{
    TrainingFixture fixture;
    TrainRequest request = fixture.request(kFarPast);
    request.modelDir.clear();
    const auto report = trainAndEvaluate(request);
    VERIFY_OK(report);
    const std::int64_t best = extreme(report->modelDir, "auc", true);
    for (const char* end : {"", "-wal", "-shm"}) {
        VERIFY_OK(storage::removeTree(fixture.path("cannery.db") + end));
    }
    VERIFY_OK(storage::RunStore::rescan(fixture.path("")));
    auto store = storage::RunStore::open(fixture.path(""));
    VERIFY_OK(store);
    const auto run = store->show(report->runName);
    VERIFY_OK(run);
    const auto told = storage::bestCheckpoint(*run);
    QVERIFY(told.has_value());
    QCOMPARE(told->globalStep, best);
    QCOMPARE(told->metric.name, std::string("auc"));
    QVERIFY(told->metric.higherIsBetter);
    QVERIFY(reason(run->checkpoints, best).find("best auc") != std::string::npos);
}

void TstBestCheckpoint::thoseKeptByTheHourStayListed()
{
    TrainingFixture fixture;
    const std::string often = "run_config { save_checkpoints_steps: 5 keep_checkpoint_max: 1 "
                              "keep_checkpoint_every_n_hours: 1e-12 } ";
    const std::string steps = "train_spec { max_steps: 20 } eval_spec { throttle_secs: 600 } ";
    VERIFY_OK(fixture.train(steps + often));
    QCOMPARE(TrainingFixture::steps(fixture.modelDir()), (Steps{0, 5, 10, 15, 20}));
    VERIFY_OK(resumeRun(fixture.modelDir(), TrainRequest(), 25));
    const auto listed = storage::RunFiles(fixture.modelDir()).readCheckpoints();
    VERIFY_OK(listed);
    Steps listedSteps;
    for (const storage::RunCheckpoint& checkpoint : *listed) {
        listedSteps.push_back(checkpoint.globalStep);
    }
    QCOMPARE(listedSteps, TrainingFixture::steps(fixture.modelDir()));
    QCOMPARE(listedSteps, (Steps{0, 5, 10, 15, 20, 25}));
}

void TstBestCheckpoint::whatAKillHasLeftIsDeletedByTheNextSession()
{
    TrainingFixture fixture;
    const std::string text = "train_spec { max_steps: 20 } eval_spec { throttle_secs: 600 } "
                             "run_config { save_checkpoints_steps: 5 keep_checkpoint_max: 2 } ";
    VERIFY_OK(fixture.train(text));
    storage::RunFiles files(fixture.modelDir());
    auto listed = files.readCheckpoints();
    VERIFY_OK(listed);
    const Steps before = TrainingFixture::steps(fixture.modelDir());
    // As after a kill between the state file and the deletion; and a foreign one.
    copyCheckpoint(fixture.modelDir(), 15, 11);
    copyCheckpoint(fixture.modelDir(), 15, 12);
    listed->insert(listed->begin(), {.globalStep = 11, .keptBecause = "recent"});
    VERIFY_OK(files.writeCheckpoints(*listed));
    VERIFY_OK(resumeRun(fixture.modelDir(), TrainRequest(), 21));
    const Steps after = TrainingFixture::steps(fixture.modelDir());
    QVERIFY(std::find(after.begin(), after.end(), 11) == after.end());
    QVERIFY(std::find(after.begin(), after.end(), 12) != after.end());
    QVERIFY(!storage::exists(checkpointPrefix(fixture.modelDir(), 11) + ".cannery"));
}

void TstBestCheckpoint::whatAKillKeptFromBeingNamedIsTakenUp_data()
{
    QTest::addColumn<bool>("isListed");
    QTest::addColumn<bool>("hasSidecar");
    QTest::addColumn<bool>("isEdited");
    QTest::addColumn<bool>("isDamaged");
    QTest::addColumn<int>("from");
    QTest::newRow("killed before the state file") << false << true << false << false << 20;
    QTest::newRow("listed already") << true << true << false << false << 15;
    QTest::newRow("not written by us") << false << false << false << false << 15;
    QTest::newRow("somebody went back to an older one") << false << true << true << false << 15;
    QTest::newRow("damaged") << false << true << false << true << 15;
}

void TstBestCheckpoint::whatAKillKeptFromBeingNamedIsTakenUp()
{
    QFETCH(const bool, isListed);
    QFETCH(const bool, hasSidecar);
    QFETCH(const bool, isEdited);
    QFETCH(const bool, isDamaged);
    QFETCH(const int, from);
    TrainingFixture fixture;
    VERIFY_OK(fixture.train("train_spec { max_steps: 20 } eval_spec { throttle_secs: 600 } "
                            "run_config { save_checkpoints_steps: 5 } "));
    const std::string dir = fixture.modelDir();
    const std::string newest = checkpointPrefix(dir, 20);
    storage::CheckpointState state{.latest = checkpointPrefix(dir, 15),
                                   .all = {checkpointPrefix(dir, 10), checkpointPrefix(dir, 15)}};
    VERIFY_OK(storage::writeCheckpointState(dir, state));
    if (isEdited) {
        std::ofstream(dir + "/checkpoint") << "model_checkpoint_path: \"model.ckpt-15\"\n";
    }
    if (!isListed) {
        auto listed = storage::RunFiles(dir).readCheckpoints();
        VERIFY_OK(listed);
        std::erase_if(*listed, [](const auto& checkpoint) { return checkpoint.globalStep == 20; });
        VERIFY_OK(storage::RunFiles(dir).writeCheckpoints(*listed));
    }
    if (!hasSidecar) {
        QVERIFY(std::filesystem::remove(newest + ".cannery"));
    }
    if (isDamaged) {
        std::filesystem::resize_file(newest + ".data-00000-of-00001", 100);
    }
    const auto recovered = recoverLatestCheckpoint(dir, storage::realFileSystem());
    VERIFY_OK(recovered);
    QCOMPARE(recovered->latest, std::optional(checkpointPrefix(dir, from)));
    QVERIFY(recovered->warnings.empty());
    QVERIFY(storage::checkpointExists(newest));
    const auto after = storage::readCheckpointState(dir);
    VERIFY_OK(after);
    QCOMPARE((*after)->latest, checkpointPrefix(dir, from));
}

void TstBestCheckpoint::decisionMetricOfARun_data()
{
    QTest::addColumn<QByteArray>("path");
    QTest::addColumn<QByteArray>("metric");
    QTest::addColumn<QByteArray>("expected");
    QTest::addColumn<int>("step");
    QTest::newRow("nothing is watched")
        << QByteArray("name") << QByteArray("x") << QByteArray("auc") << 10;
    QTest::newRow("a hook watches")
        << QByteArray("train_spec.hook[0].stop_if_no_decrease_hook.metric_name")
        << QByteArray("\"average_loss\"") << QByteArray("average_loss") << 30;
    QTest::newRow("an exporter watches")
        << QByteArray("eval_spec.exporter[0].best_exporter.metric") << QByteArray("\"precision\"")
        << QByteArray("precision") << 20;
    QTest::newRow("an exporter's default")
        << QByteArray("eval_spec.exporter[0].best_exporter.metric") << QByteArray("\"loss\"")
        << QByteArray("auc") << 10;
    QTest::newRow("what is watched is not evaluated")
        << QByteArray("eval_spec.exporter[0].best_exporter.metric") << QByteArray("\"recall\"")
        << QByteArray("auc") << 10;
}

void TstBestCheckpoint::decisionMetricOfARun()
{
    QFETCH(const QByteArray, path);
    QFETCH(const QByteArray, metric);
    QFETCH(const QByteArray, expected);
    QFETCH(const int, step);
    const std::vector<storage::RunParameter> parameters{{path.toStdString(), metric.toStdString()}};
    const auto evaluation = [](std::int64_t at, double auc, double precision, double loss) {
        return storage::RunEvaluation{
            .globalStep = at,
            .metrics = {
                {"auc", auc}, {"average_loss", loss}, {"loss", loss}, {"precision", precision}}};
    };
    const std::vector<storage::RunEvaluation> evaluations{
        evaluation(10, 0.9, 0.5, 0.7), evaluation(20, 0.8, 0.6, 0.6), evaluation(30, 0.9, 0.6, 0.5),
        evaluation(40, std::nan(""), std::nan(""), std::nan(""))};
    const auto best = storage::bestEvaluation(parameters, evaluations);
    QVERIFY(best.has_value());
    QCOMPARE(QByteArray::fromStdString(best->metric.name), expected);
    QCOMPARE(best->globalStep, step);
}

CANNERY_TEST(TstBestCheckpoint)
#include "tst_best_checkpoint.moc"
