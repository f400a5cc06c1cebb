// SPDX-License-Identifier: Apache-2.0
#include "storage/io/files.h"
#include "storage/runs/run_files.h"
#include "storage/runs/run_store.h"
#include "storage/tf/checkpoints/checkpoint_reader.h"
#include "storage/tf/graphs/saved_model_reader.h"
#include "storage/tf/graphs/version_folders.h"
#include "tests/core/train/training_fixture.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QTest>

#include <algorithm>
#include <fstream>

using namespace cannery;
using namespace cannery::train;
using cannery::tests::TrainingFixture;

using Names = std::vector<std::string>;

namespace {

constexpr const char* kSteps = "train_spec { max_steps: 20 input { batch_size: 16 } } "
                               "eval_spec { throttle_secs: 0 } "
                               "run_config { save_checkpoints_steps: 4 } ";

/// A clock that is set back by an hour again and again.
class BackwardClock : public Clock
{
public:
    double wallTime() const override { return m_now -= 3600; }
    double steadyTime() const override { return systemClock().steadyTime(); }

private:
    mutable double m_now = 1.7e9;
};

Names versions(const std::string& base)
{
    Names names = storage::listFolder(base).value_or(Names());
    std::erase_if(names, [](const std::string& name) { return !storage::versionOf(name); });
    std::sort(names.begin(), names.end(), [](const std::string& left, const std::string& right) {
        return storage::versionOf(left) < storage::versionOf(right);
    });
    return names;
}

/// The paths of one exporter in the run's list of exports.
Names recorded(const std::string& modelDir, const std::string& exporter)
{
    Names paths;
    const auto exports = storage::RunFiles(modelDir).readExports();
    for (const storage::RunExport& entry : exports.value_or(std::vector<storage::RunExport>())) {
        if (entry.exporter == exporter) {
            paths.push_back(storage::baseName(entry.path));
        }
    }
    return paths;
}

Result<TrainReport> trainWith(const TrainingFixture& fixture, const std::string& evalSpec)
{
    return trainAndEvaluate(fixture.request(kSteps, "eval_spec { " + evalSpec + " }"));
}

std::int64_t stepOf(const std::string& savedModel)
{
    const auto reader = storage::CheckpointReader::open(savedModel + "/variables/variables");
    return reader ? reader->readInt64("global_step").value_or(-1) : -1;
}

void makeForeign(const std::string& folder)
{
    QVERIFY(storage::makeFolders(folder).has_value());
    std::ofstream(folder + "/saved_model.pb") << "mine";
}

} // namespace

/// What exporters write, delete and report.
class TstExports : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void newExportsStandAboveAllThatAreThere_data();
    void newExportsStandAboveAllThatAreThere();
    void exportersOfOneRunShareTheirNumbers();
    void aClockThatIsSetBackDeletesOnlyTheOldest();
    void whatOthersPutThereStays();
    void theListNamesWhatIsThere();
    void theStoreNamesWhatIsThere();
    void whatAKilledProgramLeftIsMended();
    void aListFromElsewhereDeletesNothingElsewhere();
    void aDamagedListEndsNoTraining();
    void aFolderFullOfNumbersIsSaidAtTheEnd();
    void receiverFeaturesAreTakenIn_data();
    void receiverFeaturesAreTakenIn();
    void namesThatAreNoFoldersAreRefused_data();
    void namesThatAreNoFoldersAreRefused();
};

void TstExports::newExportsStandAboveAllThatAreThere_data()
{
    QTest::addColumn<QByteArray>("exporter");
    QTest::addColumn<QByteArray>("there");
    for (const QByteArray there : {"8000000000", "0000000007", "20261122133700"}) {
        QTest::newRow("final, " + there) << QByteArray("final_exporter { name: \"e\" }") << there;
        QTest::newRow("latest, " + there)
            << QByteArray("latest_exporter { name: \"e\" exports_to_keep: 2 }") << there;
        QTest::newRow("best, " + there)
            << QByteArray("best_exporter { name: \"e\" exports_to_keep: 2 }") << there;
    }
}

void TstExports::newExportsStandAboveAllThatAreThere()
{
    QFETCH(const QByteArray, exporter);
    QFETCH(const QByteArray, there);
    TrainingFixture fixture;
    const std::string base = fixture.modelDir() + "/export/e";
    makeForeign(base + "/" + there.toStdString());
    VERIFY_OK(trainWith(fixture, ("exporter { " + exporter + " }").toStdString()));
    const Names names = versions(base);
    QVERIFY(names.size() >= 2);
    QCOMPARE(names.front(), there.toStdString());
    QCOMPARE(TrainingFixture::bytes(base + "/" + names.front() + "/saved_model.pb"),
             std::string("mine"));
    QCOMPARE(Names(names.begin() + 1, names.end()), recorded(fixture.modelDir(), "e"));
}

void TstExports::exportersOfOneRunShareTheirNumbers()
{
    TrainingFixture fixture;
    makeForeign(fixture.modelDir() + "/export/latest/8000000000");
    const auto report =
        trainWith(fixture, "exporter { latest_exporter { } } exporter { best_exporter { } } "
                           "exporter { final_exporter { } }");
    VERIFY_OK(report);
    QVERIFY(report->exports.size() >= 3);
    std::int64_t before = 8000000000;
    for (const ExportResult& made : report->exports) {
        const auto version = storage::versionOf(storage::baseName(made.path));
        QVERIFY(version.has_value());
        QVERIFY2(*version > before, made.path.c_str());
        before = *version;
    }
}

void TstExports::aClockThatIsSetBackDeletesOnlyTheOldest()
{
    TrainingFixture fixture;
    const BackwardClock clock;
    TrainRequest request = fixture.request(
        kSteps, "eval_spec { exporter { latest_exporter { exports_to_keep: 2 } } exporter { "
                "best_exporter { metric: \"loss\" exports_to_keep: 1 } } }");
    request.clock = &clock;
    VERIFY_OK(trainAndEvaluate(request));
    const std::string latest = fixture.modelDir() + "/export/latest/";
    const Names names = versions(latest);
    QCOMPARE(names.size(), std::size_t{2});
    QCOMPARE(stepOf(latest + names[0]), 16);
    QCOMPARE(stepOf(latest + names[1]), 20);
    // The best of all evaluations, according to their list.
    const auto evaluations = storage::RunFiles(fixture.modelDir()).readEvaluations();
    VERIFY_OK(evaluations);
    std::int64_t best = -1;
    double least = 1e9;
    for (const storage::RunEvaluation& evaluation : *evaluations) {
        for (const storage::MetricValue& metric : evaluation.metrics) {
            if (metric.name == "loss" && metric.value < least) {
                least = metric.value;
                best = evaluation.globalStep;
            }
        }
    }
    const std::string base = fixture.modelDir() + "/export/best_exporter/";
    QCOMPARE(versions(base).size(), std::size_t{1});
    QCOMPARE(stepOf(base + versions(base).front()), best);
    VERIFY_OK(storage::checkSavedModel(base + versions(base).front()));
}

void TstExports::whatOthersPutThereStays()
{
    TrainingFixture fixture;
    const std::string base = fixture.modelDir() + "/export/latest";
    const Names foreign{"0000000001", "0000000002", "1111111111", "notes"};
    for (const std::string& name : foreign) {
        makeForeign(base + "/" + name);
    }
    VERIFY_OK(trainWith(fixture, "exporter { latest_exporter { exports_to_keep: 1 } }"));
    for (const std::string& name : foreign) {
        QCOMPARE(TrainingFixture::bytes(base + "/" + name + "/saved_model.pb"),
                 std::string("mine"));
    }
    QCOMPARE(storage::listFolder(base)->size(), foreign.size() + 1);
}

void TstExports::theListNamesWhatIsThere()
{
    TrainingFixture fixture;
    const auto report = trainWith(fixture, "exporter { latest_exporter { exports_to_keep: 2 } }");
    VERIFY_OK(report);
    const std::string base = fixture.modelDir() + "/export/latest";
    QCOMPARE(recorded(fixture.modelDir(), "latest"), versions(base));
    QCOMPARE(report->exports.size(), std::size_t{2});
    // The log mentions every folder that was created and deleted.
    const std::string log = TrainingFixture::bytes(fixture.modelDir() + "/train.log");
    const auto count = [&](const std::string& what) {
        return QByteArray::fromStdString(log).count(QByteArray::fromStdString(what));
    };
    QCOMPARE(count(" Exported "), qsizetype{5});
    QCOMPARE(count(" Deleted the older export "), qsizetype{3});
}

void TstExports::theStoreNamesWhatIsThere()
{
    TrainingFixture fixture;
    TrainRequest request = fixture.request(
        kSteps, "eval_spec { exporter { latest_exporter { exports_to_keep: 2 } } }");
    request.modelDir.clear();
    const auto report = trainAndEvaluate(request);
    VERIFY_OK(report);
    auto store = storage::RunStore::open(fixture.path(""));
    VERIFY_OK(store);
    const auto shown = store->show(report->runName);
    VERIFY_OK(shown);
    QCOMPARE(shown->exports.size(), std::size_t{2});
    for (const storage::RunExport& entry : shown->exports) {
        VERIFY_OK(storage::checkSavedModel(report->modelDir + "/" + entry.path));
    }
    // A manually deleted one is not listed again.
    const std::string first = report->modelDir + "/" + shown->exports.front().path;
    VERIFY_OK(storage::removeTree(first));
    VERIFY_OK(storage::RunStore::rescan(fixture.path("")));
    const auto rescanned = store->show(report->runName);
    VERIFY_OK(rescanned);
    QCOMPARE(rescanned->exports.size(), std::size_t{1});
    QCOMPARE(rescanned->exports.front(), shown->exports.back());
}

void TstExports::whatAKilledProgramLeftIsMended()
{
    TrainingFixture fixture;
    const std::string more = "exporter { latest_exporter { exports_to_keep: 3 } }";
    VERIFY_OK(trainWith(fixture, more));
    storage::RunFiles files(fixture.modelDir());
    auto exports = files.readExports();
    VERIFY_OK(exports);
    QCOMPARE(exports->size(), std::size_t{3});
    // Killed while one was being deleted, one was written, and one was not started yet.
    (*exports)[0].state = storage::ExportState::Deleting;
    (*exports)[2].state = storage::ExportState::Writing;
    exports->push_back({.exporter = "latest",
                        .path = "export/latest/9000000000",
                        .globalStep = 20,
                        .state = storage::ExportState::Writing});
    VERIFY_OK(files.writeExports(*exports));
    QCOMPARE(files.readExports()->size(), std::size_t{1});
    VERIFY_OK(trainWith(fixture, more)); // nothing left to train
    const Names names = versions(fixture.modelDir() + "/export/latest");
    QCOMPARE(names,
             (Names{storage::baseName((*exports)[1].path), storage::baseName((*exports)[2].path)}));
    QCOMPARE(recorded(fixture.modelDir(), "latest"), names);
}

void TstExports::aListFromElsewhereDeletesNothingElsewhere()
{
    TrainingFixture fixture;
    makeForeign(fixture.path("important/0000000001"));
    makeForeign(fixture.path("important/0000000002"));
    VERIFY_OK(storage::makeFolders(fixture.modelDir() + "/export"));
    std::error_code failure;
    std::filesystem::create_directory_symlink(fixture.path("important"),
                                              fixture.modelDir() + "/export/linked", failure);
    QVERIFY(!failure);
    using storage::ExportState;
    const std::vector<storage::RunExport> exports{
        {.exporter = "..",
         .path = "export/../../important/0000000001",
         .state = ExportState::Deleting},
        {.exporter = "linked", .path = "export/linked/0000000002", .state = ExportState::Deleting},
        {.exporter = "x",
         .path = fixture.path("important/0000000001"),
         .state = ExportState::Deleting},
        {.exporter = "latest", .path = fixture.path("important/0000000002")},
    };
    VERIFY_OK(storage::RunFiles(fixture.modelDir()).writeExports(exports));
    VERIFY_OK(trainWith(fixture, "exporter { latest_exporter { exports_to_keep: 1 } }"));
    for (const char* name : {"important/0000000001", "important/0000000002"}) {
        QCOMPARE(TrainingFixture::bytes(fixture.path(name) + "/saved_model.pb"),
                 std::string("mine"));
    }
}

void TstExports::aDamagedListEndsNoTraining()
{
    TrainingFixture fixture;
    const std::string latest = "exporter { latest_exporter { exports_to_keep: 1 } }";
    VERIFY_OK(trainWith(fixture, latest));
    const std::string list = fixture.modelDir() + "/exports.jsonl";
    std::ofstream(list) << "{\"path\": 3}\n";
    const auto report = resumeRun(fixture.modelDir(), TrainRequest(), 24);
    VERIFY_OK(report);
    QCOMPARE(report->outcome.globalStep, 24);
    QCOMPARE(report->warnings.size(), std::size_t{1});
    QVERIFY2(report->warnings.front().find("exports.jsonl") != std::string::npos &&
                 report->warnings.front().find(
                     "A new list of exports is started; older exports are kept.") !=
                     std::string::npos,
             report->warnings.front().c_str());
    const Names names = versions(fixture.modelDir() + "/export/latest");
    QCOMPARE(names.size(), std::size_t{2});
    QCOMPARE(recorded(fixture.modelDir(), "latest"), Names{names.back()});
}

void TstExports::aFolderFullOfNumbersIsSaidAtTheEnd()
{
    TrainingFixture fixture;
    makeForeign(fixture.modelDir() + "/export/final/9223372036854775807");
    const auto report = trainWith(fixture, "exporter { final_exporter { } }");
    QVERIFY(!report);
    QCOMPARE(report.error().message(),
             fixture.modelDir() + "/export/final contains version 9223372036854775807, the largest "
                                  "possible number; rename it, or export elsewhere. [exporter "
                                  "final; every step is trained, and its checkpoint saved]");
    QVERIFY(QFile::exists(QString::fromStdString(fixture.modelDir() + "/model.ckpt-20.index")));
    QVERIFY(recorded(fixture.modelDir(), "final").empty());
}

void TstExports::receiverFeaturesAreTakenIn_data()
{
    QTest::addColumn<QByteArray>("exporter");
    QTest::addColumn<QList<QByteArray>>("inputs");
    const QList<QByteArray> all{"c", "x"};
    const QList<QByteArray> more{"c", "extra", "x"};
    const QByteArray wanted = "receiver: raw receiver_features: [\"c\", \"extra\", \"x\"]";
    for (const QByteArray kind : {"final_exporter", "latest_exporter", "best_exporter"}) {
        QTest::newRow(kind + ", none named") << kind + " { name: \"e\" receiver: raw }" << all;
        QTest::newRow(kind + ", one more") << kind + " { name: \"e\" " + wanted + " }" << more;
        QTest::newRow(kind + ", one fewer")
            << kind + " { name: \"e\" receiver: raw receiver_features: [\"x\"] }"
            << QList<QByteArray>{"x"};
    }
}

void TstExports::receiverFeaturesAreTakenIn()
{
    QFETCH(const QByteArray, exporter);
    QFETCH(const QList<QByteArray>, inputs);
    TrainingFixture fixture;
    for (const char* name : {"train.csv", "eval.csv"}) {
        const std::string table = TrainingFixture::bytes(fixture.path(name));
        std::ofstream file(fixture.path(name));
        std::size_t begin = 0;
        for (std::size_t end = table.find('\n'); end != std::string::npos;
             begin = end + 1, end = table.find('\n', begin)) {
            file << (begin == 0 ? "extra," : "1.5,") << table.substr(begin, end + 1 - begin);
        }
    }
    VERIFY_OK(trainWith(fixture, ("exporter { " + exporter + " }").toStdString()));
    const std::string base = fixture.modelDir() + "/export/e/";
    QVERIFY(!versions(base).empty());
    const auto model = storage::readSavedModel(base + versions(base).back());
    VERIFY_OK(model);
    const auto& signatures = model->metaGraphs.front().signatures;
    QVERIFY(signatures.contains("predict"));
    QList<QByteArray> found;
    for (const auto& [key, info] : signatures.at("predict").inputs) {
        found.append(QByteArray::fromStdString(key));
    }
    QCOMPARE(found, inputs);
}

void TstExports::namesThatAreNoFoldersAreRefused_data()
{
    QTest::addColumn<QByteArray>("name");
    QTest::newRow("zero byte") << QByteArray("be\0st", 5);
    QTest::newRow("slash") << QByteArray("best/of");
    QTest::newRow("above") << QByteArray("..");
    QTest::newRow("empty") << QByteArray("");
    QTest::newRow("line end") << QByteArray("a\nb");
}

/// An unchecked experiment: a frozen one from elsewhere.
void TstExports::namesThatAreNoFoldersAreRefused()
{
    QFETCH(const QByteArray, name);
    const std::string text(name.constData(), static_cast<std::size_t>(name.size()));
    TrainingFixture fixture;
    TrainRequest request = fixture.request(kSteps);
    request.experiment.mutable_eval_spec()->add_exporter()->mutable_final_exporter()->set_name(
        text);
    VERIFY_ERROR(trainAndEvaluate(request), "train.exporter_folder");
    request.experiment.mutable_eval_spec()->clear_exporter();
    request.experiment.mutable_eval_spec()->set_name(text);
    if (!text.empty()) {
        VERIFY_ERROR(trainAndEvaluate(request), "train.evaluation_name");
    }
}

CANNERY_TEST(TstExports)
#include "tst_exports.moc"
