// SPDX-License-Identifier: Apache-2.0
#include "core/export/graph_runner/graph_runner.h"
#include "storage/io/atomic_write.h"
#include "storage/io/files.h"
#include "storage/tf/events/event_reader.h"
#include "storage/tf/events/scalar_event_scanner.h"
#include "storage/tf/graphs/graph_def_builder.h"
#include "storage/tf/graphs/saved_model_reader.h"
#include "storage/tf/graphs/saved_model_writer.h"
#include "storage/tf/record_file.h"
#include "tests/fuzz/fuzz_support.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <algorithm>
#include <filesystem>
#include <functional>

#include <QTest>

using namespace cannery;
using namespace cannery::storage;
using namespace cannery::tests;

namespace {

const std::string kGoldens = CANNERY_SOURCE_DIR "/tests/golden";

/// The whole content of a file, as text; an error if it is reported as damaged.
using Read = std::function<Result<std::string>(const std::string& path)>;

Result<std::string> readRecords(const std::string& path)
{
    CANNERY_TRY_ASSIGN(RecordReader reader, RecordReader::open(path));
    std::string content;
    while (true) {
        CANNERY_TRY_ASSIGN(const auto record, reader.next());
        if (!record) {
            return content;
        }
        content += std::to_string(record->size()) + ":" + std::string(*record);
    }
}

/// A growing file may end anywhere; the reader reports what is incomplete.
Result<std::string> readEvents(const std::string& path)
{
    CANNERY_TRY_ASSIGN(EventReader reader, EventReader::open(path));
    std::string content;
    while (true) {
        CANNERY_TRY_ASSIGN(const auto event, reader.next());
        if (!event) {
            return content + (reader.hasPartialRecord() ? "unfinished" : "");
        }
        content += std::to_string(reader.position()) + event->text;
        for (const EventValue& value : event->values) {
            content += value.tag;
            if (const float* number = std::get_if<float>(&value.value)) {
                content += std::to_string(*number);
            }
        }
    }
}

Result<std::string> readScalars(const std::string& path)
{
    ScalarTags tags;
    std::vector<ScalarPoint> points;
    CANNERY_TRY_ASSIGN(ScalarEventScanner scanner, ScalarEventScanner::open(path, tags));
    CANNERY_TRY(scanner.read(points, 1U << 20U));
    std::string content = std::to_string(scanner.position());
    for (const ScalarPoint& point : points) {
        content += std::to_string(point.tag) + "=" + std::to_string(point.value);
    }
    return content;
}

/// How a byte is damaged: each of its bits, and all.
std::string damaged(const std::string& bytes, std::size_t at, int pattern)
{
    std::string result = bytes;
    result[at] = static_cast<char>(result[at] ^ (pattern == 8 ? 0xff : 1 << pattern));
    return result;
}

constexpr int kPatterns = 9;

/// As a new file: truncating an old one may wait for the disk.
void overwrite(const std::string& path, std::string_view bytes)
{
    FUZZ_REQUIRE(realFileSystem().removeFile(path).has_value());
    const auto file = realFileSystem().create(path);
    FUZZ_REQUIRE(file && (*file)->append(bytes) && (*file)->close());
}

/// A small model with a variable, a constant and a vocabulary; the path of its folder.
std::string exportModel(const std::string& base)
{
    const std::string vocabulary = base + "/words.txt";
    FUZZ_REQUIRE(writeFileAtomically(vocabulary, "red\ngreen\n").has_value());
    GraphDefBuilder graph;
    const NodeRef x = graph.placeholder("x", DType::Float32, {-1, 2});
    const NodeRef word = graph.placeholder("word", DType::String, {-1});
    const GraphVariable& weights = graph.variable({.name = "w", .shape = {2, 1}});
    const NodeRef y = graph.add("MatMul", "y", {x, weights.read}, {{"T", DType::Float32}});
    const NodeRef table = graph.add("HashTableV2", "table", {},
                                    {{"key_dtype", DType::String}, {"value_dtype", DType::Int64}});
    graph.addTableInitializer(graph.add(
        "InitializeTableFromTextFileV2", "table_init", {table, graph.asset("path", vocabulary)},
        {{"key_index", -2}, {"value_index", -1}, {"delimiter", "\t"}}));
    const NodeRef id = graph.add("LookupTableFindV2", "id",
                                 {table, word, graph.constant("missing", std::int64_t{-1})},
                                 {{"Tin", DType::String}, {"Tout", DType::Int64}});
    Signature signature{.methodName = std::string(kPredictMethod), .inputs = {}, .outputs = {}};
    signature.inputs["x"] = {.name = x.tensor(), .dtype = DType::Float32, .shape = {-1, 2}};
    signature.inputs["word"] = {.name = word.tensor(), .dtype = DType::String, .shape = {-1}};
    signature.outputs["y"] = {.name = y.tensor(), .dtype = DType::Float32, .shape = {-1, 1}};
    signature.outputs["id"] = {.name = id.tensor(), .dtype = DType::Int64, .shape = {-1}};
    const HostTensor kernel = HostTensor::of(std::vector<float>{2, 3}, {2, 1});
    const std::vector<NamedTensor> tensors{{"w", kernel}};
    const auto path =
        writeSavedModel(base + "/export", makeMetaGraph(graph, {{"predict", signature}}), tensors);
    FUZZ_REQUIRE(path.has_value());
    return *path;
}

/// Paths of all files below a folder, relative to it.
std::vector<std::string> filesOf(const std::string& folder)
{
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        if (entry.is_regular_file()) {
            files.push_back(entry.path().lexically_relative(folder).native());
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

/// The content and the results of a checked model.
Result<std::string> contentOf(const std::string& folder)
{
    CANNERY_TRY(checkSavedModel(folder));
    CANNERY_TRY_ASSIGN(const SavedModelContent content, readSavedModel(folder));
    const MetaGraph& metaGraph = content.metaGraphs.front();
    CANNERY_TRY_ASSIGN(exporting::GraphRunner runner, exporting::GraphRunner::load(folder));
    CANNERY_TRY_ASSIGN(
        const exporting::NamedTensors outputs,
        runner.run("predict", {{"x", HostTensor::of(std::vector<float>{1, 10}, {1, 2})},
                               {"word", HostTensor::ofStrings({"red", "green", "blue"})}}));
    std::string text = metaGraph.graph + std::to_string(metaGraph.variables.size());
    for (const auto& [key, tensor] : outputs) {
        text += key + std::string(reinterpret_cast<const char*>(tensor.bytes.data()),
                                  tensor.bytes.size());
    }
    return text;
}

} // namespace

/// Any byte of an event file, a file of records or an exported model is changed, or the file is
/// truncated anywhere: this is reported, or the same content is read.
class TstFileDamage : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyFlippedBitIsReported_data();
    void everyFlippedBitIsReported();
    void everyCutIsReported_data() { everyFlippedBitIsReported_data(); }
    void everyCutIsReported();
    void everyByteOfAnExportedModel();
    void everyCutOfAnExportedModel();
};

void TstFileDamage::everyFlippedBitIsReported_data()
{
    QTest::addColumn<std::string>("file");
    QTest::addColumn<Read>("read");
    const std::string events = CANNERY_SOURCE_DIR "/tests/fuzz/corpus/event_file/hparams_trial_0";
    QTest::newRow("records") << kGoldens + "/tfrecord/raw.tfrecord" << Read(readRecords);
    QTest::newRow("examples") << kGoldens + "/tfrecord/example.tfrecord" << Read(readRecords);
    QTest::newRow("events") << events << Read(readEvents);
    QTest::newRow("scalars") << events << Read(readScalars);
}

void TstFileDamage::everyFlippedBitIsReported()
{
    QFETCH(std::string, file);
    QFETCH(Read, read);
    const std::string bytes = *readWholeFile(file);
    FuzzFile target;
    const auto good = read(target.with(bytes));
    VERIFY_OK(good);
    for (std::size_t at = 0; at < std::min<std::size_t>(bytes.size(), 5000); ++at) {
        for (int pattern = 0; pattern < kPatterns; ++pattern) {
            const auto result = read(target.with(damaged(bytes, at, pattern)));
            QVERIFY2(!result || *result == *good,
                     qPrintable(QString("byte %1, pattern %2").arg(at).arg(pattern)));
            QVERIFY(result || result.error().code != ErrorCode::Unknown);
        }
    }
}

void TstFileDamage::everyCutIsReported()
{
    QFETCH(std::string, file);
    QFETCH(Read, read);
    const std::string bytes = *readWholeFile(file);
    FuzzFile target;
    const std::string good = *read(target.with(bytes));
    std::size_t whole = 0;
    for (std::size_t size = 0; size < std::min<std::size_t>(bytes.size(), 5000); ++size) {
        const auto result = read(target.with(std::string_view(bytes).substr(0, size)));
        // A cut between two records leaves a valid file of the first ones; the rest cannot be
        // known. The content is always a prefix of the original.
        if (result && result->find("unfinished") == std::string::npos) {
            ++whole;
            QVERIFY2(*result != good, qPrintable(QString("cut at %1").arg(size)));
        }
    }
    QVERIFY(whole > 0);
}

void TstFileDamage::everyByteOfAnExportedModel()
{
    const FuzzFolder base;
    const std::string model = exportModel(base.path());
    const std::string good = *contentOf(model);
    std::size_t unseen = 0;
    for (const std::string& file : filesOf(model)) {
        const std::string path = joinPath(model, file);
        const std::string bytes = *readWholeFile(path);
        for (std::size_t at = 0; at < bytes.size(); ++at) {
            overwrite(path, damaged(bytes, at, static_cast<int>(at % kPatterns)));
            const auto result = contentOf(model);
            QVERIFY2(!result || *result == good,
                     qPrintable(QString("%1, byte %2").arg(file.c_str()).arg(at)));
            unseen += result ? 1 : 0;
        }
        overwrite(path, bytes);
    }
    // Only bytes of the index that are never read: an empty block and the padding of the footer.
    QVERIFY(unseen <= 60);
    QCOMPARE(*contentOf(model), good);
}

void TstFileDamage::everyCutOfAnExportedModel()
{
    const FuzzFolder base;
    const std::string model = exportModel(base.path());
    QCOMPARE(filesOf(model).size(), std::size_t{5});
    for (const std::string& file : filesOf(model)) {
        const std::string path = joinPath(model, file);
        const std::string bytes = *readWholeFile(path);
        for (std::size_t size = 0; size < bytes.size(); ++size) {
            overwrite(path, std::string_view(bytes).substr(0, size));
            QVERIFY2(!contentOf(model),
                     qPrintable(QString("%1 cut at %2").arg(file.c_str()).arg(size)));
        }
        overwrite(path, bytes);
    }
    VERIFY_OK(contentOf(model));
}

CANNERY_TEST(TstFileDamage)
#include "tst_file_damage.moc"
