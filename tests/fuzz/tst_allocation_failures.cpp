// SPDX-License-Identifier: Apache-2.0
#include "core/base/memory_guard.h"
#include "core/data/sources/data_source.h"
#include "core/export/graph_runner/graph_runner.h"
#include "core/features/row_file.h"
#include "core/spec/experiment_file.h"
#include "storage/images/image.h"
#include "storage/io/crc32c.h"
#include "storage/io/files.h"
#include "storage/tf/checkpoints/checkpoint_reader.h"
#include "storage/tf/checkpoints/checkpoint_state.h"
#include "storage/tf/checkpoints/object_graph.h"
#include "storage/tf/checkpoints/table_reader.h"
#include "storage/tf/events/event_reader.h"
#include "storage/tf/events/scalar_event_scanner.h"
#include "storage/tf/example_codec.h"
#include "storage/tf/graphs/graph_def_reader.h"
#include "storage/tf/graphs/saved_model_reader.h"
#include "storage/tf/record_file.h"
#include "tests/fuzz/allocation_faults.h"
#include "tests/fuzz/allocation_survival.h"
#include "tests/fuzz/fuzz_support.h"
#include "tests/fuzz/small_model.h"
#include "tests/fuzz/small_rows.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <array>

#include <QTest>

using namespace cannery;
using namespace cannery::storage;
using namespace cannery::tests;

namespace {

const std::string kGoldens = CANNERY_SOURCE_DIR "/tests/golden";

using cannery::tests::add;

Digest add(Digest digest, const HostTensor& tensor)
{
    digest = crc32c(tensor.bytes, digest) + static_cast<Digest>(tensor.dtype);
    for (const std::string& text : tensor.strings) {
        digest = add(digest, text);
    }
    return crc32c(std::as_bytes(std::span(tensor.shape.dims)), digest);
}

Result<Digest> loadCheckpoint(const std::string& prefix)
{
    CANNERY_TRY_ASSIGN(const CheckpointReader reader, CheckpointReader::open(prefix));
    Digest digest = 0;
    for (const CheckpointEntry& entry : reader.entries()) {
        CANNERY_TRY_ASSIGN(const HostTensor tensor, reader.read(entry.name));
        digest = add(add(digest, entry.name), tensor);
    }
    if (isObjectBased(reader)) {
        CANNERY_TRY_ASSIGN(const ObjectGraph graph, readObjectGraph(reader));
        digest += static_cast<Digest>(graph.nodes.size());
    }
    return digest;
}

Result<Digest> loadRecords(const std::string& path)
{
    CANNERY_TRY_ASSIGN(RecordReader reader, RecordReader::open(path));
    Digest digest = 0;
    while (true) {
        CANNERY_TRY_ASSIGN(const std::optional<std::string_view> record, reader.next());
        if (!record) {
            return digest;
        }
        digest = add(digest, *record);
    }
}

Result<Digest> loadEvents(const std::string& path)
{
    CANNERY_TRY_ASSIGN(EventReader reader, EventReader::open(path));
    Digest digest = 0;
    while (true) {
        CANNERY_TRY_ASSIGN(const std::optional<Event> event, reader.next());
        if (!event) {
            return digest;
        }
        digest = add(digest, event->text);
        for (const EventValue& value : event->values) {
            digest = add(add(digest, value.tag), value.plugin) +
                     static_cast<Digest>(value.value.index());
        }
    }
}

Result<Digest> loadScalars(const std::string& path)
{
    ScalarTags tags;
    std::vector<ScalarPoint> points;
    CANNERY_TRY_ASSIGN(ScalarEventScanner scanner, ScalarEventScanner::open(path, tags));
    CANNERY_TRY_ASSIGN(const bool more, scanner.read(points, 1U << 20U));
    Digest digest = more ? 1 : 0;
    for (const ScalarPoint& point : points) {
        digest = crc32c(std::as_bytes(std::span(&point.value, 1)), digest) + point.tag;
    }
    return digest;
}

Result<Digest> loadExperiment(const std::filesystem::path& path)
{
    CANNERY_TRY_ASSIGN(const spec::ParsedExperiment parsed, spec::loadExperiment(path));
    static std::array<char, 1 << 16> bytes;
    const std::size_t size = parsed.experiment.ByteSizeLong();
    FUZZ_REQUIRE(size <= bytes.size());
    parsed.experiment.SerializeWithCachedSizesToArray(
        reinterpret_cast<std::uint8_t*>(bytes.data()));
    return add(static_cast<Digest>(parsed.problems.size()), std::string_view(bytes.data(), size));
}

Result<Digest> runModel(const std::string& folder, const exporting::NamedTensors& inputs)
{
    CANNERY_TRY_ASSIGN(exporting::GraphRunner runner, exporting::GraphRunner::load(folder));
    static const std::string kSignature = "predict";
    CANNERY_TRY_ASSIGN(const exporting::NamedTensors outputs, runner.run(kSignature, inputs));
    Digest digest = 0;
    for (const auto& [key, tensor] : outputs) {
        digest = add(digest, tensor);
    }
    return digest;
}

Result<Digest> loadTable(const std::string& bytes)
{
    static const std::string kName = "table";
    CANNERY_TRY_ASSIGN(const std::vector<TableRow> rows, readTable(bytes, kName));
    Digest digest = 0;
    for (const TableRow& row : rows) {
        digest = add(add(digest, row.key), row.value);
    }
    return digest;
}

Result<Digest> loadCheckpointState(const std::string& folder)
{
    const auto state = readCheckpointState(folder);
    if (!state) {
        return tl::make_unexpected(state.error());
    }
    return *state ? add(static_cast<Digest>((*state)->all.size()), (*state)->latest) : Digest{0};
}

Result<Digest> loadExample(const std::string& bytes)
{
    CANNERY_TRY_ASSIGN(const Example example, parseExample(bytes));
    Digest digest = 0;
    for (const auto& [key, values] : example.features) {
        digest = add(digest, key) + static_cast<Digest>(values.index());
    }
    return digest;
}

Result<Digest> loadSequenceExample(const std::string& bytes)
{
    CANNERY_TRY_ASSIGN(const SequenceExample example, parseSequenceExample(bytes));
    return static_cast<Digest>(example.context.size() + 31 * example.featureLists.size());
}

Digest digestOf(const std::vector<GraphNode>& nodes)
{
    Digest digest = 0;
    for (const GraphNode& node : nodes) {
        digest = add(digest, node.name) + static_cast<Digest>(node.attrs.size());
    }
    return digest;
}

Result<Digest> loadGraph(const std::string& bytes)
{
    CANNERY_TRY_ASSIGN(const std::vector<GraphNode> nodes, readGraphDef(bytes));
    return digestOf(nodes);
}

Result<Digest> loadGraphText(const std::string& bytes)
{
    CANNERY_TRY_ASSIGN(const std::vector<GraphNode> nodes, readGraphDefText(bytes));
    return digestOf(nodes);
}

void addLoad(const char* name, const Load& load)
{
    QTest::newRow(name) << load;
}

/// The file is read beforehand: memory may run out while its bytes are parsed.
void addParsing(const char* name, const std::string& path,
                Result<Digest> (*load)(const std::string& bytes))
{
    addLoad(name, [bytes = *readWholeFile(path), load] { return load(bytes); });
}

Result<Digest> loadRows(const std::string& path)
{
    CANNERY_TRY_ASSIGN(features::RowFileReader reader, features::RowFileReader::open(path));
    static const features::InputLayout layout = smallLayout();
    Digest digest = add(Digest{0}, reader.header().data());
    for (int block = 0; block < 2; ++block) {
        features::EncodedRows rows;
        CANNERY_TRY(reader.next(layout, kSmallSequences, rows));
        digest = crc32c(std::as_bytes(std::span(rows.ids[1].ids)), digest);
        digest = crc32c(std::as_bytes(std::span(rows.dense[0].values)), digest);
    }
    return digest;
}

/// Every cell of a table of texts.
Result<Digest> loadTextTable(const spec::DataSource& message)
{
    CANNERY_TRY_ASSIGN(const std::unique_ptr<data::DataSource> source,
                       data::openDataSource(message, {.kinds = data::ColumnKinds::Unknown}));
    CANNERY_TRY_ASSIGN(const auto rows, source->preview(10));
    Digest digest = 0;
    for (const std::vector<std::string>& cells : rows) {
        for (const std::string& cell : cells) {
            digest = add(digest, cell);
        }
    }
    return digest;
}

Result<Digest> loadImage(const std::string& bytes)
{
    static const std::string kName = "picture";
    CANNERY_TRY_ASSIGN(const Image image, readImage(bytes, kName, {.channels = 3}));
    return std::visit(
        [](const auto& values) { return crc32c(std::as_bytes(std::span(values)), Digest{0}); },
        image.values);
}

void addTextTables()
{
    static FuzzFile objects;
    static FuzzFile relation;
    static FuzzFile pairs;
    static FuzzFile places;
    spec::DataSource message;
    message.mutable_json_lines()->add_files(
        objects.with("{\"a\": 1, \"b\": [\"x\", {\"c\": 2}]}\n{\"a\": NaN}\n"));
    addLoad("JSON lines", [message] { return loadTextTable(message); });
    message.mutable_arff()->add_files(
        relation.with("@relation r\n@attribute a {x, y}\n@attribute b real\n@data\nx,1\n{1 2}\n"));
    addLoad("ARFF", [message] { return loadTextTable(message); });
    message.mutable_libsvm()->add_files(pairs.with("1 1:0.5 3:2\n-1 2:4\n"));
    addLoad("LIBSVM", [message] { return loadTextTable(message); });
    message.mutable_fixed_width()->add_files(places.with("a    b\nx y  1\n     2\nz\n"));
    addLoad("fixed width", [message] { return loadTextTable(message); });
}

void addReaders()
{
    const std::string checkpoints = kGoldens + "/checkpoint/";
    for (const char* name : {"all_dtypes/model.ckpt-7", "partitioned/model.ckpt-7",
                             "sharded/model.ckpt-7", "object_keras/ckpt-2"}) {
        addLoad(name, [prefix = checkpoints + name] { return loadCheckpoint(prefix); });
    }
    addParsing("table", checkpoints + "many_variables/model.ckpt-7.index", loadTable);
    addLoad("checkpoint state",
            [folder = checkpoints + "object_keras"] { return loadCheckpointState(folder); });
    for (const char* name : {"example.tfrecord", "example.tfrecord.gz", "raw.tfrecord.z"}) {
        addLoad(name, [path = kGoldens + "/tfrecord/" + name] { return loadRecords(path); });
    }
    const std::string events = kGoldens + "/event/v2/events.out.tfevents.1700000004.host.v2";
    addLoad("events", [events] { return loadEvents(events); });
    addLoad("scalars", [events] { return loadScalars(events); });
    static FuzzFile rows;
    addLoad("encoded rows", [path = rows.with(smallRowFile())] { return loadRows(path); });
    const std::string corpus = CANNERY_SOURCE_DIR "/tests/fuzz/corpus/";
    addParsing("example", corpus + "example/example_1", loadExample);
    addParsing("sequence example", corpus + "example/sequence_example_1", loadSequenceExample);
    addParsing("graph", corpus + "graph_def/first_nodes", loadGraph);
    for (const char* picture : {"progressive_420.jpg", "cmyk_adobe.jpg", "orientation_6.jpg",
                                "interlaced_rgb.png", "palette_alpha_8.png", "grey.bmp"}) {
        addParsing(picture, kGoldens + "/images/files/" + picture, loadImage);
    }
    addParsing("graph as text", corpus + "graph_def_text/first_nodes", loadGraphText);
}

void addModels()
{
    for (const char* name : {"parse", "table", "arrays", "matmul"}) {
        static std::vector<std::unique_ptr<SmallModel>> models;
        models.push_back(std::make_unique<SmallModel>(name));
        const SmallModel& model = *models.back();
        addLoad(model.name().c_str(),
                [&model] { return runModel(model.folder(), model.inputs()); });
    }
    static const SmallModel restored("restore");
    addLoad("checked model", [folder = restored.folder()]() -> Result<Digest> {
        CANNERY_TRY(checkSavedModel(folder));
        return Digest{1};
    });
}

} // namespace

/// Memory may run out at any moment: every loader then reports it, frees what it took, gives no
/// false information about the file or its content, and works again when there is memory.
class TstAllocationFailures : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void faultsStrike();
    void anErrorNeedsNoMemory();
    void everyLoaderSurvives_data();
    void everyLoaderSurvives();
};

void TstAllocationFailures::faultsStrike()
{
    const auto allocate = [] { return Result<std::string>(std::string(1000, 'a')); };
    failAllocation(1, false);
    const Result<std::string> failed = guardMemory("the test", allocate);
    stopFailing();
    VERIFY_ERROR(failed, "base.no_memory");
    QVERIFY(failed.error().code == ErrorCode::ResourceExhausted);
    QVERIFY(failed.error().sentence.find("the test") != std::string::npos);
    VERIFY_OK(guardMemory("the test", allocate));
    VERIFY_ERROR(guardMemory("the test",
                             [] {
                                 std::string text;
                                 text.resize(std::string::npos);
                                 return Result<std::string>(text);
                             }),
                 "base.no_memory");
}

void TstAllocationFailures::anErrorNeedsNoMemory()
{
    failAllocation(1, true);
    const Result<int> failed =
        guardMemory("the test", []() -> Result<int> { throw std::bad_alloc(); });
    const std::int64_t asked = stopFailing();
    QVERIFY(!failed && failed.error().id == "base.no_memory");
    QVERIFY(asked > 0 && !failed.error().sentence.empty());
}

void TstAllocationFailures::everyLoaderSurvives_data()
{
    QTest::addColumn<Load>("load");
    addReaders();
    addTextTables();
    addModels();
    static const std::filesystem::path experiment =
        CANNERY_SOURCE_DIR "/resources/examples/titanic/titanic.cannery";
    addLoad("experiment", [] { return loadExperiment(experiment); });
}

void TstAllocationFailures::everyLoaderSurvives()
{
    QFETCH(Load, load);
    QCOMPARE(faultOf(load), QString());
}

CANNERY_TEST(TstAllocationFailures)
#include "tst_allocation_failures.moc"
