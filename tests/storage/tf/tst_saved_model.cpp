// SPDX-License-Identifier: Apache-2.0
#include "storage/io/atomic_write.h"
#include "storage/io/files.h"
#include "storage/tf/graphs/saved_model_reader.h"
#include "storage/tf/graphs/saved_model_writer.h"
#include "storage/tf/graphs/warmup_requests.h"
#include "storage/tf/record_file.h"
#include "tests/storage/io/faulty_file_system.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>

using namespace cannery;
using namespace cannery::storage;

namespace {

/// y = x·w, and the id of a word in a vocabulary file: variables, a table and an asset.
MetaGraph smallModel(const std::string& vocabulary)
{
    GraphDefBuilder graph;
    const NodeRef x = graph.placeholder("x", DType::Float32, {-1, 2});
    const NodeRef word = graph.placeholder("word", DType::String, {-1});
    const GraphVariable& weights = graph.variable({.name = "dense/kernel", .shape = {2, 1}});
    graph.variable({.name = "global_step",
                    .dtype = DType::Int64,
                    .trainable = false,
                    .aggregation = VariableAggregation::OnlyFirstReplica});
    const NodeRef y = graph.add("MatMul", "y", {x, weights.read}, {{"T", DType::Float32}});
    const Attrs types{{"key_dtype", DType::String}, {"value_dtype", DType::Int64}};
    const NodeRef table = graph.add("HashTableV2", "table", {}, types);
    graph.addTableInitializer(
        graph.add("InitializeTableFromTextFileV2", "table_init",
                  {table, graph.asset("vocabulary_path", vocabulary)},
                  {{"key_index", -2}, {"value_index", -1}, {"delimiter", "\t"}}));
    const NodeRef missing = graph.constant("missing", std::int64_t{-1});
    const NodeRef id = graph.add("LookupTableFindV2", "id", {table, word, missing},
                                 {{"Tin", DType::String}, {"Tout", DType::Int64}});
    Signature signature{.methodName = std::string(kPredictMethod), .inputs = {}, .outputs = {}};
    signature.inputs["x"] = {.name = x.tensor(), .dtype = DType::Float32, .shape = {-1, 2}};
    signature.inputs["word"] = {.name = word.tensor(), .dtype = DType::String, .shape = {-1}};
    signature.outputs["y"] = {.name = y.tensor(), .dtype = DType::Float32, .shape = {-1, 1}};
    signature.outputs["id"] = {.name = id.tensor(), .dtype = DType::Int64, .shape = {-1}};
    return makeMetaGraph(graph, {{"serving_default", signature}});
}

struct Parts
{
    HostTensor kernel = HostTensor::of(std::vector<float>{2, 3}, {2, 1});
    HostTensor step = HostTensor::scalar(std::int64_t{5});
    std::vector<NamedTensor> named{{"dense/kernel", kernel}, {"global_step", step}};
};

} // namespace

class TstSavedModel : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void appearsWholeUnderItsTimestamp();
    void comesBackAsItWas();
    void severalGraphsShareVariablesAndAssets();
    void modelsOfTensorFlowAreComplete();
    void textIsReadLikeBytes();
    void extraFilesAreCopiedAndWritten();
    void warmupRequestsAreAsServingReadsThem();
    void fullDiskLeavesNothing();
    void modelsAppearWhenTheyAreChecked();
    void saysWhatIsMissing_data();
    void saysWhatIsMissing();
};

void TstSavedModel::appearsWholeUnderItsTimestamp()
{
    const QTemporaryDir folder;
    const std::string base = folder.filePath("export/last").toStdString();
    const std::string vocabulary = folder.filePath("words.txt").toStdString();
    VERIFY_OK(writeFileAtomically(vocabulary, "red\ngreen\n"));
    const MetaGraph metaGraph = smallModel(vocabulary);
    for (const char* name : {"1700000000", "1700000001"}) {
        const auto path =
            writeSavedModel(base, metaGraph, Parts().named, {.timestamp = 1700000000});
        VERIFY_OK(path);
        QCOMPARE(*path, base + "/" + name);
        VERIFY_OK(checkSavedModel(*path));
        QCOMPARE(*readWholeFile(*path + "/assets/words.txt"), std::string("red\ngreen\n"));
    }
    QCOMPARE(listFolder(base)->size(), std::size_t{2});
}

void TstSavedModel::comesBackAsItWas()
{
    const QTemporaryDir folder;
    const std::string vocabulary = folder.filePath("words.txt").toStdString();
    VERIFY_OK(writeFileAtomically(vocabulary, "red\n"));
    const MetaGraph metaGraph = smallModel(vocabulary);
    const auto path = writeSavedModel(folder.path().toStdString(), metaGraph, Parts().named);
    VERIFY_OK(path);
    const auto content = readSavedModel(*path);
    VERIFY_OK(content);
    QCOMPARE(content->checkpointPrefix, std::optional(*path + "/variables/variables"));
    const MetaGraph& back = content->metaGraphs.front();
    QVERIFY(back.graph == metaGraph.graph && back.signatures == metaGraph.signatures);
    QVERIFY(back.variables == metaGraph.variables && back.saver == metaGraph.saver);
    QVERIFY(back.tableInitializers == metaGraph.tableInitializers);
    QCOMPARE(back.initOp, metaGraph.initOp);
    QCOMPARE(back.tags, std::vector<std::string>{"serve"});
    QCOMPARE(back.assets.front().fileName, std::string("words.txt"));
}

void TstSavedModel::severalGraphsShareVariablesAndAssets()
{
    const QTemporaryDir folder;
    const std::string vocabulary = folder.filePath("words.txt").toStdString();
    VERIFY_OK(writeFileAtomically(vocabulary, "red\n"));
    GraphDefBuilder graph;
    const GraphVariable& weights = graph.variable({.name = "dense/kernel", .shape = {2, 1}});
    const NodeRef step = graph.add("AssignAddVariableOp", "step", {weights.handle, weights.read},
                                   {{"dtype", DType::Float32}});
    const GraphVariable sum = addLocalVariable(graph, "sum", Shape{3});
    const MetaGraph training =
        makeMetaGraph(graph, {{"train", {.methodName = "tensorflow/supervised/training"}}},
                      {.tags = {"train"}, .localVariables = {sum}, .trainOp = step});
    const std::vector<MetaGraph> graphs{training, smallModel(vocabulary)};
    const auto path = writeSavedModel(folder.path().toStdString(), graphs, Parts().named);
    VERIFY_OK(path);
    VERIFY_OK(checkSavedModel(*path));
    const auto content = readSavedModel(*path);
    VERIFY_OK(content);
    QCOMPARE(content->metaGraphs.size(), std::size_t{2});
    const MetaGraph& back = content->metaGraphs.front();
    QCOMPARE(back.tags, std::vector<std::string>{"train"});
    QCOMPARE(back.trainOp, std::string("step"));
    QVERIFY(back.localVariables == training.localVariables);
    QCOMPARE(back.localVariables.front().initializer, std::string("sum/Assign"));
    QCOMPARE(back.variables.size(), std::size_t{1}); // a local one is in no checkpoint
    QCOMPARE(content->metaGraphs.back().tags, std::vector<std::string>{"serve"});
    QCOMPARE(content->metaGraphs.back().trainOp, std::string());
}

void TstSavedModel::modelsOfTensorFlowAreComplete()
{
    const std::string folder = CANNERY_SOURCE_DIR "/tests/golden/saved_model/vocabulary_file_oov";
    VERIFY_OK(checkSavedModel(folder));
    const MetaGraph metaGraph = readSavedModel(folder)->metaGraphs.front();
    QCOMPARE(metaGraph.tensorflowVersion, std::string("2.15.1"));
    QCOMPARE(metaGraph.initOp, std::string("group_deps"));
    QCOMPARE(metaGraph.variables.size(), std::size_t{6});
    QCOMPARE(metaGraph.tableInitializers.size(), std::size_t{2});
    QCOMPARE(metaGraph.assets.size(), std::size_t{2});
    QCOMPARE(metaGraph.assets[1].fileName, std::string("jobs.txt"));
    QVERIFY(metaGraph.signatures.count("serving_default") == 1);
    QCOMPARE(metaGraph.saver->restoreOp, std::string("save/restore_all"));
}

void TstSavedModel::textIsReadLikeBytes()
{
    const QTemporaryDir folder;
    const std::string vocabulary = folder.filePath("words.txt").toStdString();
    VERIFY_OK(writeFileAtomically(vocabulary, "red\n"));
    const MetaGraph metaGraph = smallModel(vocabulary);
    const auto path = writeSavedModel(folder.filePath("text").toStdString(), metaGraph,
                                      Parts().named, {.asText = true});
    VERIFY_OK(path);
    QVERIFY(isSavedModel(*path));
    QVERIFY(!exists(*path + "/saved_model.pb") && exists(*path + "/saved_model.pbtxt"));
    VERIFY_OK(checkSavedModel(*path));
    const MetaGraph back = readSavedModel(*path)->metaGraphs.front();
    QVERIFY(back.graph == metaGraph.graph && back.signatures == metaGraph.signatures);
    QVERIFY(back.variables == metaGraph.variables && back.saver == metaGraph.saver);
}

void TstSavedModel::extraFilesAreCopiedAndWritten()
{
    const QTemporaryDir folder;
    const std::string vocabulary = folder.filePath("words.txt").toStdString();
    VERIFY_OK(writeFileAtomically(vocabulary, "red\n"));
    const auto path =
        writeSavedModel(folder.path().toStdString(), smallModel(vocabulary), Parts().named,
                        {.assetsExtra = {{"lists/words", vocabulary}},
                         .extraContents = {{"notes", "made"}, {"deep/er/notes", "below"}}});
    VERIFY_OK(path);
    QCOMPARE(*readWholeFile(*path + "/assets.extra/lists/words"), std::string("red\n"));
    QCOMPARE(*readWholeFile(*path + "/assets.extra/notes"), std::string("made"));
    QCOMPARE(*readWholeFile(*path + "/assets.extra/deep/er/notes"), std::string("below"));
    VERIFY_OK(checkSavedModel(*path));
    VERIFY_OK(writeFileAtomically(*path + "/assets.extra/notes", "forged"));
    QVERIFY(!checkSavedModel(*path));
}

/// PredictionLog { predict_log = 6 { request = 1 { model_spec = 1 { signature_name = 3 },
/// inputs = 2 { key = 1, value = 2 TensorProto } } } }, by hand.
void TstSavedModel::warmupRequestsAreAsServingReadsThem()
{
    const std::string content = warmupRequestsFile(
        {{.signature = "predict", .inputs = {{"x", HostTensor::of(std::vector<float>{1}, {1})}}}});
    const auto field = [](int number, const std::string& bytes) {
        std::string text(1, static_cast<char>(number << 3 | 2));
        text += static_cast<char>(bytes.size());
        return text + bytes;
    };
    const std::string tensor = std::string("\x08\x01", 2) + field(2, field(2, "\x08\x01")) +
                               field(5, std::string("\0\0\x80\x3f", 4));
    const std::string request =
        field(1, field(3, "predict")) + field(2, field(1, "x") + field(2, tensor));
    QCOMPARE(content, frameRecord(field(6, field(1, request))));
    QCOMPARE(warmupRequestsFile({}), std::string());
}

void TstSavedModel::fullDiskLeavesNothing()
{
    const QTemporaryDir folder;
    const std::string vocabulary = folder.filePath("words.txt").toStdString();
    VERIFY_OK(writeFileAtomically(vocabulary, "red\n"));
    const MetaGraph metaGraph = smallModel(vocabulary);
    const std::string base = folder.filePath("export").toStdString();
    VERIFY_OK(makeFolders(base));
    tests::FaultyFileSystem counter;
    VERIFY_OK(writeSavedModel(base, metaGraph, Parts().named, {}, counter));
    VERIFY_OK(removeTree(base));
    VERIFY_OK(makeFolders(base));
    // The very last call syncs the folder that holds the finished model.
    QVERIFY(counter.calls().size() > 10);
    for (int failFrom = 1; failFrom < static_cast<int>(counter.calls().size()); ++failFrom) {
        tests::FaultyFileSystem full(failFrom);
        const auto path = writeSavedModel(base, metaGraph, Parts().named, {}, full);
        VERIFY_ERROR(path, "io.system");
        QVERIFY(path.error().code == ErrorCode::ResourceExhausted);
        QVERIFY(listFolder(base)->empty());
    }
}

void TstSavedModel::modelsAppearWhenTheyAreChecked()
{
    const QTemporaryDir folder;
    const std::string vocabulary = folder.filePath("words.txt").toStdString();
    VERIFY_OK(writeFileAtomically(vocabulary, "red\n"));
    const MetaGraph metaGraph = smallModel(vocabulary);
    const std::string base = folder.filePath("export").toStdString();
    std::string checked;
    SavedModelOptions options{.timestamp = 7, .check = [&](const std::string& found) {
                                  checked = found;
                                  return checkSavedModel(found);
                              }};
    const auto path = writeSavedModel(base, metaGraph, Parts().named, options);
    VERIFY_OK(path);
    QVERIFY(checked != *path && !exists(checked));
    options.check = [](const std::string&) -> Result<void> {
        constexpr ErrorKind kNo{"test.no", "No."};
        return fail(ErrorCode::DataLoss, kNo);
    };
    VERIFY_ERROR(writeSavedModel(base, metaGraph, Parts().named, options), "test.no");
    QCOMPARE(listFolder(base)->size(), std::size_t{1});
}

void TstSavedModel::saysWhatIsMissing_data()
{
    QTest::addColumn<std::string>("file");
    QTest::addColumn<std::string>("id");
    QTest::newRow("model") << std::string("saved_model.pb") << std::string("saved_model.missing");
    QTest::newRow("index") << std::string("variables/variables.index")
                           << std::string("saved_model.incomplete");
    QTest::newRow("data") << std::string("variables/variables.data-00000-of-00001")
                          << std::string("io.system");
    QTest::newRow("asset") << std::string("assets/words.txt")
                           << std::string("saved_model.incomplete");
}

void TstSavedModel::saysWhatIsMissing()
{
    QFETCH(std::string, file);
    QFETCH(std::string, id);
    const QTemporaryDir folder;
    const std::string vocabulary = folder.filePath("words.txt").toStdString();
    VERIFY_OK(writeFileAtomically(vocabulary, "red\n"));
    MetaGraph metaGraph = smallModel(vocabulary);
    const std::string base = folder.path().toStdString();
    const auto path = writeSavedModel(base, metaGraph, Parts().named);
    VERIFY_OK(removeTree(*path + "/" + file));
    VERIFY_ERROR(checkSavedModel(*path), id.c_str());
    metaGraph.signatures.begin()->second.outputs["z"] = {.name = "nowhere:0"};
    VERIFY_ERROR(checkSavedModel(*writeSavedModel(base, metaGraph, Parts().named)),
                 "saved_model.incomplete");
}

CANNERY_TEST(TstSavedModel)
#include "tst_saved_model.moc"
