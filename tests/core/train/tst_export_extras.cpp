// SPDX-License-Identifier: Apache-2.0
#include "core/train/exporters/verified_export.h"
#include "storage/io/files.h"
#include "storage/tf/graphs/saved_model_reader.h"
#include "storage/tf/record_file.h"
#include "tests/core/train/training_fixture.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QtTest>

#include <fstream>

using namespace cannery;
using namespace cannery::train;
using cannery::tests::TrainingFixture;

namespace {

constexpr const char* kFourSteps = "train_spec { max_steps: 4 input { batch_size: 16 } } "
                                   "eval_spec { throttle_secs: 0 } ";
constexpr const char* kWarmup = "/assets.extra/tf_serving_warmup_requests";

/// Records of a file; -1 if it is damaged or missing.
int recordsOf(const std::string& path)
{
    auto reader = storage::RecordReader::open(path);
    int count = 0;
    while (reader) {
        const auto record = reader->next();
        if (!record) {
            return -1;
        }
        if (!*record) {
            return count;
        }
        ++count;
    }
    return -1;
}

} // namespace

/// What an export contains beyond the model.
class TstExportExtras : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyExporterAddsThem_data();
    void everyExporterAddsThem();
    void requestsFollowTheReceiver_data();
    void requestsFollowTheReceiver();
    void thereAreNoMoreRequestsThanRows();
    void splitRowsBecomeRequests();
    void columnsOfMadeFeaturesAreReadToo_data();
    void columnsOfMadeFeaturesAreReadToo();
    void filesOutsideAreRefused_data();
    void filesOutsideAreRefused();
    void aMissingFileLeavesNothing();
};

void TstExportExtras::everyExporterAddsThem_data()
{
    QTest::addColumn<QByteArray>("kind");
    for (const char* kind : {"final_exporter", "latest_exporter", "best_exporter"}) {
        QTest::newRow(kind) << QByteArray(kind);
    }
}

void TstExportExtras::everyExporterAddsThem()
{
    QFETCH(const QByteArray, kind);
    TrainingFixture fixture;
    std::ofstream(fixture.path("README.txt")) << "about";
    const auto report = trainAndEvaluate(
        fixture.request(kFourSteps, "eval_spec { exporter { " + kind.toStdString() +
                                        " { as_text: true warmup_rows: 3 assets_extra { name: "
                                        "\"notes/readme.txt\" file: \"README.txt\" } } } }"));
    VERIFY_OK(report);
    QVERIFY(!report->exports.empty());
    const std::string& path = report->exports.back().path;
    QCOMPARE(TrainingFixture::bytes(path + "/assets.extra/notes/readme.txt"), std::string("about"));
    QCOMPARE(recordsOf(path + kWarmup), 3);
    QVERIFY(!storage::exists(path + "/saved_model.pb"));
    const std::string text = TrainingFixture::bytes(path + "/saved_model.pbtxt");
    QVERIFY(text.starts_with("saved_model_schema_version: 1\n"));
    VERIFY_OK(storage::checkSavedModel(path));
    std::ofstream(path + "/assets.extra/notes/readme.txt") << "other";
    VERIFY_ERROR(storage::checkSavedModel(path), "saved_model.file_damaged");
}

void TstExportExtras::requestsFollowTheReceiver_data()
{
    QTest::addColumn<int>("receiver");
    QTest::newRow("examples") << static_cast<int>(spec::Receiver::parsing);
    QTest::newRow("tensors") << static_cast<int>(spec::Receiver::raw);
}

void TstExportExtras::requestsFollowTheReceiver()
{
    QFETCH(int, receiver);
    TrainingFixture fixture;
    VERIFY_OK(fixture.train(kFourSteps));
    OpenedModel model = *openModel({.modelDir = fixture.modelDir()});
    const auto made =
        exportVerified(model, {.exportBase = fixture.path("served"),
                               .checkpoint = model.checkpoint,
                               .receiver = static_cast<spec::Receiver::Kind>(receiver),
                               .extras = {.warmupRows = 5}});
    VERIFY_OK(made);
    auto reader = storage::RecordReader::open(made->path + kWarmup);
    VERIFY_OK(reader);
    const auto first = reader->next();
    VERIFY_OK(first);
    const std::string record(**first);
    const bool isExample = receiver == static_cast<int>(spec::Receiver::parsing);
    QVERIFY(record.find("predict") != std::string::npos);
    QCOMPARE(record.find("examples") != std::string::npos, isExample);
    QCOMPARE(recordsOf(made->path + kWarmup), 5);
}

void TstExportExtras::thereAreNoMoreRequestsThanRows()
{
    TrainingFixture fixture;
    const auto report = trainAndEvaluate(fixture.request(
        kFourSteps, "eval_spec { exporter { final_exporter { warmup_rows: 1000 } } }"));
    VERIFY_OK(report);
    QCOMPARE(recordsOf(report->exports.back().path + kWarmup), 30); // rows of eval.csv
}

void TstExportExtras::splitRowsBecomeRequests()
{
    TrainingFixture fixture;
    TrainRequest request =
        fixture.request(kFourSteps, "data { split { fraction { eval_fraction: 0.25 seed: 3 } } } "
                                    "eval_spec { exporter { final_exporter { warmup_rows: 7 } } }");
    request.experiment.mutable_data()->clear_eval();
    const auto report = trainAndEvaluate(request);
    VERIFY_OK(report);
    QCOMPARE(recordsOf(report->exports.back().path + kWarmup), 7);
}

void TstExportExtras::columnsOfMadeFeaturesAreReadToo_data()
{
    requestsFollowTheReceiver_data();
}

/// A column that another feature is made of is none of the data set's own features.
void TstExportExtras::columnsOfMadeFeaturesAreReadToo()
{
    QFETCH(int, receiver);
    TrainingFixture fixture;
    VERIFY_OK(fixture.train(
        std::string(kFourSteps) +
        "data { feature { name: \"parts\" split { column: \"c\" separator: \"|\" } } }"));
    OpenedModel model = *openModel({.modelDir = fixture.modelDir()});
    const auto made =
        exportVerified(model, {.exportBase = fixture.path("served"),
                               .checkpoint = model.checkpoint,
                               .receiver = static_cast<spec::Receiver::Kind>(receiver),
                               .extras = {.warmupRows = 5}});
    VERIFY_OK(made);
    QCOMPARE(recordsOf(made->path + kWarmup), 5);
    QCOMPARE(made->verification.rows, 20);
    QCOMPARE(made->verification.equal, 20);
}

void TstExportExtras::filesOutsideAreRefused_data()
{
    QTest::addColumn<QByteArray>("name");
    QTest::newRow("above") << QByteArray("../saved_model.pb");
    QTest::newRow("absolute") << QByteArray("/tmp/x");
    QTest::newRow("empty") << QByteArray("");
    QTest::newRow("checksums") << QByteArray("checksums.crc32c");
    QTest::newRow("experiment") << QByteArray("cannery/experiment.cannery");
    QTest::newRow("warm-up requests") << QByteArray("tf_serving_warmup_requests");
}

void TstExportExtras::filesOutsideAreRefused()
{
    QFETCH(const QByteArray, name);
    TrainingFixture fixture;
    VERIFY_OK(fixture.train(kFourSteps));
    OpenedModel model = *openModel({.modelDir = fixture.modelDir()});
    const auto made = exportVerified(
        model, {.exportBase = fixture.path("served"),
                .checkpoint = model.checkpoint,
                .extras = {.assets = {{name.toStdString(), "train.csv"}}, .warmupRows = 1}});
    VERIFY_ERROR(made, "train.asset_name");
    QVERIFY(!storage::exists(fixture.path("served")));
}

void TstExportExtras::aMissingFileLeavesNothing()
{
    TrainingFixture fixture;
    VERIFY_OK(fixture.train(kFourSteps));
    OpenedModel model = *openModel({.modelDir = fixture.modelDir()});
    const auto made =
        exportVerified(model, {.exportBase = fixture.path("served"),
                               .checkpoint = model.checkpoint,
                               .extras = {.assets = {{"notes.txt", "no_such_file.txt"}}}});
    QVERIFY(!made);
    QVERIFY(made.error().message().find("no_such_file.txt") != std::string::npos);
    QVERIFY(!storage::exists(fixture.path("served")));
}

CANNERY_TEST(TstExportExtras)
#include "tst_export_extras.moc"
