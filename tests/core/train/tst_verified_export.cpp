// SPDX-License-Identifier: Apache-2.0
#include "core/train/evaluation/model_evaluation.h"
#include "core/train/exporters/verified_export.h"
#include "storage/io/files.h"
#include "storage/tf/checkpoints/checkpoint_reader.h"
#include "storage/tf/checkpoints/checkpoint_writer.h"
#include "storage/tf/graphs/saved_model_reader.h"
#include "tests/core/train/training_fixture.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QtTest>

#include <filesystem>
#include <fstream>

using namespace cannery;
using namespace cannery::train;
using cannery::tests::TrainingFixture;

namespace {

std::string variables(const std::string& folder)
{
    return folder + "/variables/variables";
}

/// Adds to every number of every variable.
void changeWeights(const std::string& folder, float by)
{
    const auto reader = storage::CheckpointReader::open(variables(folder));
    std::vector<storage::HostTensor> tensors;
    std::vector<std::string> names;
    for (const storage::CheckpointEntry& entry : reader->entries()) {
        storage::HostTensor tensor = *reader->read(entry.name);
        if (tensor.dtype == DType::Float32) {
            for (float& value : tensor.values<float>()) {
                value += by;
            }
        }
        names.push_back(entry.name);
        tensors.push_back(std::move(tensor));
    }
    std::vector<storage::NamedTensor> views;
    for (std::size_t i = 0; i < names.size(); ++i) {
        views.push_back({names[i], tensors[i]});
    }
    (void)storage::writeCheckpoint(variables(folder), views);
}

/// `to` is as long as `from`.
void renameOperation(const std::string& file, const std::string& from, const std::string& to)
{
    std::string bytes = TrainingFixture::bytes(file);
    for (std::size_t at = bytes.find(from); at != std::string::npos; at = bytes.find(from, at)) {
        bytes.replace(at, from.size(), to);
    }
    std::ofstream(file, std::ios::binary) << bytes;
}

void flipAByte(const std::string& path, std::streamoff place)
{
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(place);
    const char byte = static_cast<char>(file.get() ^ 0x10);
    file.seekp(place);
    file.put(byte);
}

} // namespace

class TstVerifiedExport : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void everyRowAgrees_data();
    void everyRowAgrees();
    void evaluationAndTrainingAreGraphsOfTheirOwn();
    void aDecayThatNoVariableHoldsIsWritten();
    void anotherLossInTheEvaluationGraphLeavesNothing();
    void anExportIsEvaluatedLikeItsRun();
    void anExportWithoutVariablesIsRefused();
    void leftOutFeaturesAreNotCompared();
    void whatIsWrongLeavesNothing_data();
    void whatIsWrongLeavesNothing();
    void anEarlierExportStays();

private:
    OpenedModel opened() const { return *openModel({.modelDir = m_fixture.modelDir()}); }

    TrainingFixture m_fixture;
};

void TstVerifiedExport::initTestCase()
{
    VERIFY_OK(m_fixture.train("train_spec { max_steps: 30 input { batch_size: 16 } }"));
}

void TstVerifiedExport::everyRowAgrees_data()
{
    QTest::addColumn<int>("receiver");
    QTest::newRow("examples") << static_cast<int>(spec::Receiver::parsing);
    QTest::newRow("tensors") << static_cast<int>(spec::Receiver::raw);
}

void TstVerifiedExport::everyRowAgrees()
{
    QFETCH(int, receiver);
    OpenedModel model = opened();
    const std::string base = m_fixture.path("served_" + std::to_string(receiver));
    const auto made =
        exportVerified(model, {.exportBase = base,
                               .checkpoint = model.checkpoint,
                               .receiver = static_cast<spec::Receiver::Kind>(receiver)});
    VERIFY_OK(made);
    QCOMPARE(made->verification.rows, std::int64_t{20});
    QCOMPARE(made->verification.equal, std::int64_t{20});
    QVERIFY(made->verification.maxDifference < 1e-5);
    QVERIFY(storage::exists(made->path + "/saved_model.pb"));
    QCOMPARE(storage::listFolder(base)->size(), std::size_t{1});
}

void TstVerifiedExport::evaluationAndTrainingAreGraphsOfTheirOwn()
{
    OpenedModel model = opened();
    const auto made = exportVerified(model, {.exportBase = m_fixture.path("all"),
                                             .checkpoint = model.checkpoint,
                                             .modes = exporting::ExportModes::All});
    VERIFY_OK(made);
    QCOMPARE(made->verification.equal, std::int64_t{20});
    QCOMPARE(made->verifiedMetrics, std::int64_t{10}); // those of a binary head, and loss
    const auto content = storage::readSavedModel(made->path);
    VERIFY_OK(content);
    std::vector<std::string> tags;
    for (const storage::MetaGraph& graph : content->metaGraphs) {
        QCOMPARE(graph.tags.size(), std::size_t{1});
        tags.push_back(graph.tags.front());
    }
    QCOMPARE(tags, (std::vector<std::string>{"train", "eval", "serve"}));
    QVERIFY(!content->metaGraphs[0].trainOp.empty());
    QVERIFY(content->metaGraphs[1].trainOp.empty());
    QVERIFY(content->metaGraphs[0].signatures.at("train").inputs.contains("label"));
    // Whatever the training graph restores is there: the slots of the optimizer, too.
    const auto saved = storage::CheckpointReader::open(variables(made->path));
    const auto trained = storage::CheckpointReader::open(model.checkpoint);
    for (const storage::VariableInfo& variable : content->metaGraphs[0].variables) {
        const std::string name = variable.variable.substr(0, variable.variable.rfind(':'));
        QVERIFY2(saved->find(name) != nullptr, name.c_str());
        QVERIFY2(trained->find(name) != nullptr, name.c_str());
    }
    QVERIFY(content->metaGraphs[0].variables.size() > content->metaGraphs[1].variables.size());
}

/// Optimizers of compat.v1 save no scalars.
void TstVerifiedExport::aDecayThatNoVariableHoldsIsWritten()
{
    TrainingFixture fixture;
    VERIFY_OK(
        fixture.train("train_spec { max_steps: 2 } estimator { dnn_linear_combined_classifier "
                      "{ dnn_optimizer { proximal_gradient_descent { learning_rate: 0.01 } "
                      "decay: 0.5 } } }"));
    auto model = openModel({.modelDir = fixture.modelDir()});
    VERIFY_OK(model);
    const auto made = exportVerified(*model, {.exportBase = fixture.path("all"),
                                              .checkpoint = model->checkpoint,
                                              .modes = exporting::ExportModes::All});
    VERIFY_OK(made);
    const auto content = storage::readSavedModel(made->path);
    VERIFY_OK(content);
    QVERIFY(!content->metaGraphs[0].trainOp.empty());
}

void TstVerifiedExport::anotherLossInTheEvaluationGraphLeavesNothing()
{
    OpenedModel model = opened();
    const std::string base = m_fixture.path("other_loss");
    const auto made =
        exportVerified(model,
                       {.exportBase = base,
                        .checkpoint = model.checkpoint,
                        .modes = exporting::ExportModes::Evaluation},
                       {.written = [](const std::string& folder) {
                           std::filesystem::remove(folder + "/assets.extra/checksums.crc32c");
                           renameOperation(folder + "/saved_model.pb", "Log1p", "Relu6");
                       }});
    VERIFY_ERROR(made, "export.evaluation_disagrees");
    QVERIFY(!storage::exists(base));
}

void TstVerifiedExport::anExportIsEvaluatedLikeItsRun()
{
    OpenedModel model = opened();
    const auto made = exportVerified(
        model, {.exportBase = m_fixture.path("evaluated"), .checkpoint = model.checkpoint});
    VERIFY_OK(made);
    VERIFY_ERROR(openModel({.modelDir = made->path}), "train.export_alone");
    OpenModelRequest request{
        .modelDir = made->path, .experiment = model.experiment, .experimentFolder = model.folder};
    auto exported = openModel(request);
    VERIFY_OK(exported);
    QCOMPARE(exported->globalStep, model.globalStep);
    const auto ofRun = evaluateModel(model, {});
    const auto ofExport = evaluateModel(*exported, {});
    VERIFY_OK(ofRun);
    VERIFY_OK(ofExport);
    QVERIFY(!ofRun->metrics.empty());
    QVERIFY(ofRun->metrics == ofExport->metrics);
    request.checkpoint.kind = CheckpointChoice::Kind::Best;
    VERIFY_ERROR(openModel(request), "train.export_has_one_state");
}

void TstVerifiedExport::anExportWithoutVariablesIsRefused()
{
    OpenedModel model = opened();
    const auto made = exportVerified(
        model, {.exportBase = m_fixture.path("emptied"), .checkpoint = model.checkpoint});
    VERIFY_OK(made);
    std::filesystem::remove_all(made->path + "/variables");
    std::filesystem::remove(made->path + "/assets.extra/checksums.crc32c");
    VERIFY_ERROR(openModel({.modelDir = made->path,
                            .experiment = model.experiment,
                            .experimentFolder = model.folder}),
                 "train.saved_model_empty");
    VERIFY_ERROR(openSavedModel(made->path, 1), "saved_model.incomplete"); // its graph has some
}

void TstVerifiedExport::leftOutFeaturesAreNotCompared()
{
    OpenedModel model = opened();
    const auto made = exportVerified(model, {.exportBase = m_fixture.path("partial"),
                                             .checkpoint = model.checkpoint,
                                             .receiver = spec::Receiver::raw,
                                             .rawFeatures = {"x"}});
    VERIFY_OK(made);
    QCOMPARE(made->verification.rows, std::int64_t{0});
}

void TstVerifiedExport::whatIsWrongLeavesNothing_data()
{
    QTest::addColumn<QString>("fault");
    QTest::addColumn<QString>("id");
    QTest::newRow("other weights") << "weights"
                                   << "export.disagrees";
    QTest::newRow("a flipped bit") << "bit"
                                   << "checkpoint.";
    QTest::newRow("no graph") << "graph"
                              << "saved_model.";
    QTest::newRow("no variables") << "variables"
                                  << "export.graph_invalid";
    QTest::newRow("an unknown operation") << "operation"
                                          << "export.graph_unsupported";
}

void TstVerifiedExport::whatIsWrongLeavesNothing()
{
    QFETCH(QString, fault);
    QFETCH(QString, id);
    OpenedModel model = opened();
    const std::string base = m_fixture.path("broken_" + fault.toStdString());
    const auto made =
        exportVerified(model, {.exportBase = base, .checkpoint = model.checkpoint},
                       {.written = [&](const std::string& folder) {
                           if (fault == "weights") {
                               changeWeights(folder, 0.01F);
                           } else if (fault == "bit") {
                               flipAByte(variables(folder) + ".data-00000-of-00001", 40);
                           } else if (fault == "graph") {
                               std::filesystem::resize_file(folder + "/saved_model.pb", 100);
                           } else if (fault == "operation") {
                               // Written like this, not damaged: otherwise its checksum would be
                               // wrong.
                               std::filesystem::remove(folder + "/assets.extra/checksums.crc32c");
                               renameOperation(folder + "/saved_model.pb", "Softmax", "Softmox");
                           } else {
                               std::filesystem::remove(variables(folder) + ".index");
                           }
                       }});
    QVERIFY(!made.has_value());
    QVERIFY2(QString::fromStdString(made.error().id).startsWith(id),
             made.error().message().c_str());
    QVERIFY(fault != "operation" || made.error().sentence.find("Softmox") != std::string::npos);
    QVERIFY(!storage::exists(base));
}

void TstVerifiedExport::anEarlierExportStays()
{
    OpenedModel model = opened();
    const std::string base = m_fixture.path("served_twice");
    const auto first = exportVerified(model, {.exportBase = base, .checkpoint = model.checkpoint});
    VERIFY_OK(first);
    const auto second =
        exportVerified(model, {.exportBase = base, .checkpoint = model.checkpoint},
                       {.written = [](const std::string& folder) { changeWeights(folder, 1.0F); }});
    VERIFY_ERROR(second, "export.disagrees");
    QCOMPARE(storage::listFolder(base)->size(), std::size_t{1});
    // The leftovers of a killed export are removed by the next one.
    std::filesystem::create_directories(base + "/temp-verify-999999999/1");
    const auto third = exportVerified(model, {.exportBase = base, .checkpoint = model.checkpoint});
    VERIFY_OK(third);
    QVERIFY(third->path != first->path);
    QCOMPARE(storage::listFolder(base)->size(), std::size_t{2});
}

CANNERY_TEST(TstVerifiedExport)
#include "tst_verified_export.moc"
