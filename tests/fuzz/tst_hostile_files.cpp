#include "core/export/graph_runner/graph_runner.h"
#include "core/spec/parsed_experiment.h"
#include "core/spec/spec_validator.h"
#include "core/spec/text_lexer.h"
#include "storage/io/crc32c.h"
#include "storage/io/inflate.h"
#include "storage/tf/checkpoint_reader.h"
#include "storage/tf/checkpoint_state.h"
#include "storage/tf/event_reader.h"
#include "storage/tf/example_codec.h"
#include "storage/tf/graph_def_reader.h"
#include "storage/tf/message_limits.h"
#include "storage/tf/object_graph.h"
#include "storage/tf/record_file.h"
#include "storage/tf/saved_model_reader.h"
#include "storage/tf/schema/graph.pb.h"
#include "storage/tf/schema/tensor_bundle.pb.h"
#include "storage/tf/table_reader.h"
#include "storage/tf/table_writer.h"
#include "tests/fuzz/allocation_faults.h"
#include "tests/fuzz/fuzz_support.h"
#include "tests/fuzz/hostile_bytes.h"
#include "tests/fuzz/small_model.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <google/protobuf/text_format.h>
#include <unistd.h>

#include <functional>
#include <map>

#include <QElapsedTimer>
#include <QTest>

using namespace cannery;
using namespace cannery::storage;
using namespace cannery::tests;

namespace {

/// The promise is a second; a machine may be busy, and a sanitizer slow.
constexpr qint64 kMostMilliseconds = 10000;
constexpr std::int64_t kMostBytes = std::int64_t{256} << 20;

using Read = Result<void> (*)(std::string_view);
using Make = std::function<std::string()>;

template <typename T>
Result<void> nothingOf(const Result<T>& result)
{
    if (!result) {
        return tl::make_unexpected(result.error());
    }
    return {};
}

Result<void> readRecords(std::string_view bytes)
{
    static FuzzFile file;
    CANNERY_TRY_ASSIGN(RecordReader reader, RecordReader::open(file.with(bytes)));
    while (true) {
        CANNERY_TRY_ASSIGN(const auto record, reader.next());
        if (!record) {
            return {};
        }
    }
}

Result<void> readPacked(std::string_view bytes)
{
    static FuzzFile file;
    CANNERY_TRY_ASSIGN(InflateReader reader, InflateReader::openGzipOrPlain(file.with(bytes)));
    std::vector<std::byte> chunk(1U << 16U);
    while (true) {
        CANNERY_TRY_ASSIGN(const std::size_t got, reader.read(chunk));
        if (got == 0) {
            return {};
        }
    }
}

Result<void> readEvents(std::string_view bytes)
{
    static FuzzFile file;
    CANNERY_TRY_ASSIGN(EventReader reader, EventReader::open(file.with(bytes)));
    while (true) {
        CANNERY_TRY_ASSIGN(const auto event, reader.next());
        if (!event) {
            return {};
        }
    }
}

Result<void> readTableRows(std::string_view bytes)
{
    return nothingOf(readTable(bytes, "hostile"));
}

const std::string& checkpointData()
{
    static const std::string data(64, 'x');
    return data;
}

/// An index beside 64 bytes of data.
Result<void> readCheckpoint(std::string_view index)
{
    static const FuzzFolder folder;
    folder.write("a.index", index);
    folder.write("a.data-00000-of-00001", checkpointData());
    CANNERY_TRY_ASSIGN(const CheckpointReader reader, CheckpointReader::open(folder.path() + "/a"));
    for (const CheckpointEntry& entry : reader.entries()) {
        CANNERY_TRY(reader.read(entry.name));
    }
    return isObjectBased(reader) ? nothingOf(readObjectGraph(reader)) : Result<void>();
}

Result<void> readState(std::string_view bytes)
{
    static const FuzzFolder folder;
    folder.write("checkpoint", bytes);
    return nothingOf(readCheckpointState(folder.path()));
}

Result<void> readGraph(std::string_view bytes)
{
    return nothingOf(readGraphDef(bytes));
}

Result<void> readExample(std::string_view bytes)
{
    return nothingOf(parseExample(bytes));
}

Result<void> checkModel(std::string_view bytes)
{
    const SmallModel model;
    FUZZ_REQUIRE(::symlink("/etc/hostname", (model.folder() + "/assets/link").c_str()) == 0);
    model.write("saved_model.pb", bytes);
    return checkSavedModel(model.folder());
}

Result<void> checkTextModel(std::string_view bytes)
{
    const SmallModel model;
    model.write("saved_model.pbtxt", bytes);
    return checkSavedModel(model.folder());
}

Result<void> runModel(std::string_view bytes)
{
    const SmallModel model;
    FUZZ_REQUIRE(::symlink("/etc/hostname", (model.folder() + "/assets/link").c_str()) == 0);
    model.write("saved_model.pb", bytes);
    CANNERY_TRY_ASSIGN(exporting::GraphRunner runner, exporting::GraphRunner::load(model.folder()));
    return nothingOf(runner.run("predict", {}));
}

/// What the present row waits for; an experiment has many problems, in the order of their places.
std::string wantedId;

/// The problem that is waited for, else the first one, as an error.
Result<void> readExperiment(std::string_view bytes)
{
    const spec::ParsedExperiment parsed = spec::checkExperiment(std::string(bytes), {});
    FUZZ_REQUIRE(parsed.problems.size() <= 2 * spec::kMostProblems + 2);
    const spec::Problem* found = nullptr;
    for (const spec::Problem& problem : parsed.problems) {
        const bool isWanted = problem.error.id == wantedId;
        if (problem.severity == spec::Severity::Error && (isWanted || found == nullptr)) {
            found = &problem;
        }
    }
    if (found != nullptr) {
        return tl::make_unexpected(found->error);
    }
    return {};
}

std::string hex(const char* digits)
{
    return QByteArray::fromHex(digits).toStdString();
}

/// An index whose header and entries are given as text of the messages.
std::string indexOf(const std::map<std::string, std::string>& entries,
                    const std::string& header = "num_shards: 1")
{
    tensorflow::BundleHeaderProto headerProto;
    FUZZ_REQUIRE(google::protobuf::TextFormat::ParseFromString(header, &headerProto));
    std::vector<TableRow> rows{{"", headerProto.SerializeAsString()}};
    for (const auto& [key, text] : entries) {
        tensorflow::BundleEntryProto entry;
        FUZZ_REQUIRE(google::protobuf::TextFormat::ParseFromString(text, &entry));
        rows.push_back({key, entry.SerializeAsString()});
    }
    return writeTable(rows);
}

std::string graphOf(const std::string& text)
{
    tensorflow::GraphDef graph;
    FUZZ_REQUIRE(google::protobuf::TextFormat::ParseFromString(text, &graph));
    return graph.SerializeAsString();
}

std::string node(const std::string& name, const std::string& op, const std::string& inputs = {},
                 const std::string& attrs = {})
{
    std::string text = "node { name: '" + name + "' op: '" + op + "' ";
    for (std::size_t at = 0; at < inputs.size();) {
        const std::size_t end = std::min(inputs.find(' ', at), inputs.size());
        text += "input: '" + inputs.substr(at, end - at) + "' ";
        at = end + 1;
    }
    return text + attrs + " }\n";
}

std::string constant(const std::string& name, const std::string& tensor)
{
    return node(name, "Const", {}, "attr { key: 'value' value { tensor { " + tensor + " } } }");
}

std::string integers(const std::string& name, const std::vector<std::string>& values)
{
    std::string text =
        "dtype: DT_INT64 tensor_shape { dim { size: " + std::to_string(values.size()) + " } }";
    for (const std::string& value : values) {
        text += " int64_val: " + value;
    }
    return constant(name, text);
}

std::string floats(const std::string& name, const std::string& shape)
{
    return constant(name, "dtype: DT_FLOAT float_val: 1 tensor_shape { " + shape + " }");
}

std::string integer(const std::string& name, const std::string& value)
{
    return constant(name, "dtype: DT_INT64 tensor_shape {} int64_val: " + value);
}

const std::string kBig = "1099511627776"; // 2^40
const char* const kOutside[] = {"/etc/hostname", "../saved_model.pb", "a/../../b", "..", "link"};

} // namespace

/// Files that were made to do harm, within what a person may be sent: each is refused with its
/// reason, quickly and without much memory.
class TstHostileFiles : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void areRefused_data();
    void areRefused();
    void thereAreEnough();
    void deepGraphsNeedNoDeepStack();
    void experimentsOfAnySizeAreReadInTime_data();
    void experimentsOfAnySizeAreReadInTime();

private:
    void add(const char* format, Read read, const std::string& name, const char* id, Make make);
    void addRecords();
    void addEvents();
    void addTables();
    void addCheckpoints();
    void addSlicesAndObjects();
    void addStates();
    void addExamples();
    void addGraphs();
    void addModels();
    void addRuns();
    void addExperiments();

    int m_rows = 0;
    qint64 m_slowest = 0;
    std::int64_t m_largest = 0;
};

void TstHostileFiles::add(const char* format, Read read, const std::string& name, const char* id,
                          Make make)
{
    QTest::newRow((std::string(format) + ": " + name).c_str())
        << read << std::string(id) << std::move(make);
    ++m_rows;
}

void TstHostileFiles::addRecords()
{
    const auto row = [this](const std::string& name, const char* id, Make make) {
        add("TFRecord", readRecords, name, id, std::move(make));
    };
    for (const std::uint64_t length :
         {std::uint64_t{1} << 60, std::uint64_t{1} << 63, ~std::uint64_t{0}, ~std::uint64_t{0} - 3,
          kMaxRecordBytes + 1}) {
        row("length " + std::to_string(length), "tfrecord.too_long",
            [=] { return recordHeader(length) + "abc"; });
    }
    for (const std::uint64_t length : {kMaxRecordBytes, std::uint64_t{1} << 29, std::uint64_t{4}}) {
        row("too few bytes for " + std::to_string(length), "tfrecord.breaks_off",
            [=] { return recordHeader(length) + "abc"; });
    }
    for (std::size_t cut = 1; cut < 12; cut += 2) {
        row("header cut at " + std::to_string(cut), "tfrecord.breaks_off",
            [=] { return recordHeader(3).substr(0, cut); });
    }
    row("wrong checksum of a length", "tfrecord.damaged",
        [] { return std::string(12, '\1') + std::string(300, '\0'); });
    row("wrong checksum of a payload", "tfrecord.damaged",
        [] { return frameRecord("abc").replace(13, 1, "x"); });
    row("second record damaged", "tfrecord.damaged",
        [] { return frameRecord("abc") + frameRecord("abc").replace(13, 1, "x"); });
    row("packed record of zeros", "io.packed_too_dense",
        [] { return gzipOf(recordHeader(std::uint64_t{1} << 29), std::uint64_t{200} << 20); });
    row("packed length without end", "tfrecord.too_long",
        [] { return gzipOf(recordHeader(std::uint64_t{1} << 40), 1000); });
    row("packed within packed", "tfrecord.damaged", [] {
        const std::string inner = gzipOf(frameRecord("abc"), 0);
        return gzipOf(inner, 10);
    });
    row("gzip that breaks off", "io.packed_breaks_off",
        [] { return gzipOf(frameRecord("abc"), 0).substr(0, 25); });
    row("gzip of nothing sensible", "io.packed_damaged",
        [] { return hex("1f8b0800000000000003") + std::string(50, '\xff'); });

    const auto packed = [this](const std::string& name, const char* id, Make make) {
        add("gzip", readPacked, name, id, std::move(make));
    };
    packed("a thousand to one", "io.packed_too_dense",
           [] { return gzipOf("a,b\n", std::uint64_t{200} << 20); });
    packed("second member damaged", "io.packed_damaged",
           [] { return gzipOf("a", 0) + "more, but no gzip"; });
    packed("wrong checksum", "io.packed_damaged", [] {
        std::string bytes = gzipOf("abc", 0);
        bytes[bytes.size() - 8] = static_cast<char>(bytes[bytes.size() - 8] ^ 1);
        return bytes;
    });
    packed("header alone", "io.packed_breaks_off", [] { return gzipOf("abc", 0).substr(0, 10); });
}

void TstHostileFiles::addEvents()
{
    const auto row = [this](const std::string& name, Make make) {
        add("events", readEvents, name, "events.damaged", std::move(make));
    };
    for (const std::uint64_t length : {std::uint64_t{kMaxMessageBytes} + 1, std::uint64_t{1} << 31,
                                       std::uint64_t{1} << 62, ~std::uint64_t{0}}) {
        row("length " + std::to_string(length), [=] { return recordHeader(length) + "abc"; });
    }
    row("wrong checksum of a length", [] { return std::string(40, '\1'); });
    row("wrong checksum", [] { return frameRecord("abc").replace(12, 1, "x"); });
    const std::vector<std::pair<const char*, std::string>> messages{
        {"no message", "abc"},
        {"length beyond the end", hex("2aff01")},
        {"varint without end", hex("10ffffffffffffffffffffff01")},
        {"field 0", hex("0001")},
        {"group that is never closed", hex("0b")},
        {"group that was never opened", hex("0c")},
        {"wire type 7", hex("0f")},
        {"tag that is not UTF-8", field(5, field(1, field(1, "\xff\xfe")))}};
    for (const auto& [name, message] : messages) {
        row(name, [bytes = message] { return frameRecord(bytes); });
    }
    row("two million empty values",
        [] { return frameRecord(field(5, times(2U << 20U, hex("0a00")))); });
    row("five million empty texts",
        [] { return frameRecord(field(5, field(1, times(5U << 20U, hex("5200"))))); });
}

void TstHostileFiles::addTables()
{
    const auto row = [this](const std::string& name, const char* id, Make make) {
        add("table", readTableRows, name, id, std::move(make));
    };
    const char* const kDamaged = "tf.table_damaged";
    for (const std::size_t size : {0U, 1U, 47U, 48U, 200U}) {
        row("zeros " + std::to_string(size), kDamaged, [=] { return std::string(size, '\0'); });
    }
    const auto footer = [](const char* digits) {
        return [=] {
            std::string bytes = tableOf({tableBlock(tableEntry(0, "a", "b"))});
            const std::string handles = hex(digits);
            return bytes.replace(bytes.size() - 48, handles.size(), handles);
        };
    };
    row("index of 2^63 bytes", kDamaged, footer("000800ffffffffffffffff7f"));
    row("index at 2^63", kDamaged, footer("0008ffffffffffffffff7f08"));
    row("index at the end", kDamaged, footer("0008ffffffff0f00"));
    row("handle without end", kDamaged, footer("ffffffffffffffffffffffffffff"));
    const auto block = [&](const char* name, const std::string& content) {
        row(name, kDamaged, [=] { return tableOf({content}); });
    };
    block("block of nothing", "");
    block("block too short for its restarts", hex("00000000ffffff7f"));
    block("four billion restarts", hex("ffffffff"));
    block("shares more than there is", tableBlock(tableEntry(5, "a", "b")));
    block("key longer than the block", tableBlock(hex("00ff7f0061")));
    block("value longer than the block", tableBlock(hex("0001ff7f61")));
    block("lengths that overflow", tableBlock(hex("00ffffffffffffffffff01ffffffffffffffffff0161")));
    block("number without end", tableBlock(hex("ffffffffffffffffffffffff")));
    block("keys that fall", tableBlock(tableEntry(0, "b", "") + tableEntry(0, "a", "")));
    block("the same key twice", tableBlock(tableEntry(0, "b", "") + tableEntry(0, "b", "")));
    row("key beyond its block's", kDamaged,
        [] { return tableOf({tableBlock(tableEntry(0, "b", ""))}, "a"); });
    row("blocks that overlap in keys", kDamaged, [] {
        const std::string content = tableBlock(tableEntry(0, "b", ""));
        return tableOf({content, content});
    });
    row("unknown packing", kDamaged, [] { return tableOf({tableBlock("")}, "z", 7); });
    row("packed, but not", kDamaged, [] { return tableOf({"abcdefgh"}, "z", 1); });
    row("packed, states 2^32 bytes", kDamaged,
        [] { return tableOf({hex("ffffffff0f00")}, "z", 1); });
    row("packed, unpacks to something else", kDamaged,
        [] { return tableOf({hex("0500610a")}, "z", 1); });
    row("packed zeros", "tf.table_too_large",
        [] { return tableOf({snappyOf(kMaxTableBytes + 1)}, "z", 1); });
    row("wrong checksum", kDamaged, [] {
        std::string bytes = tableOf({tableBlock(tableEntry(0, "a", "b"))});
        bytes[3] = static_cast<char>(bytes[3] ^ 1);
        return bytes;
    });
    row("a long key told a thousand times", "tf.table_too_large", [] {
        const std::string key(1U << 20U, 'k');
        std::string entries = tableEntry(0, key, "");
        for (int i = 0; i < 1000; ++i) {
            // One byte more than the key before.
            entries += tableEntry(key.size() + static_cast<std::size_t>(i), "x", "");
        }
        return tableOf({tableBlock(entries)});
    });
    row("more rows than variables can be", "tf.table_too_large", [] {
        std::string entries;
        std::string key(4, '\0');
        for (std::uint32_t i = 0; i <= kMaxTableRows; ++i) {
            for (int byte = 0; byte < 4; ++byte) {
                key[static_cast<std::size_t>(byte)] = static_cast<char>(i >> (24 - 8 * byte));
            }
            entries += tableEntry(0, key, "");
        }
        return tableOf({tableBlock(entries)});
    });
}

void TstHostileFiles::addCheckpoints()
{
    const auto row = [this](const std::string& name, const char* id,
                            std::map<std::string, std::string> entries,
                            const std::string& header = "num_shards: 1") {
        add("checkpoint", readCheckpoint, name, id,
            [=, rows = std::move(entries)] { return indexOf(rows, header); });
    };
    const char* const kDamaged = "checkpoint.damaged";
    const auto one = [&](const std::string& name, const std::string& entry, const char* id) {
        row(name, id, {{"x", entry}});
    };
    row("no data files", kDamaged, {}, "");
    row("a negative number of data files", kDamaged, {}, "num_shards: -1");
    row("two billion data files", "checkpoint.too_many", {}, "num_shards: 2147483647");
    row("of a newer TensorFlow", "checkpoint.too_new", {},
        "num_shards: 1 version { min_consumer: 2 }");
    row("big-endian", "checkpoint.big_endian", {}, "num_shards: 1 endianness: BIG");
    add("checkpoint", readCheckpoint, "no header", kDamaged, [] {
        return writeTable(std::vector<TableRow>{{"x", ""}});
    });
    add("checkpoint", readCheckpoint, "header that is no message", kDamaged, [] {
        return writeTable(std::vector<TableRow>{{"", "\xff"}});
    });
    add("checkpoint", readCheckpoint, "entry that is no message", kDamaged, [] {
        return writeTable(std::vector<TableRow>{{"", "\x08\x01"}, {"x", "\xff"}});
    });
    const std::string scalar = "dtype: DT_FLOAT shape {} ";
    one("negative offset", scalar + "offset: -1 size: 4", kDamaged);
    one("offset beyond the file", scalar + "offset: 61 size: 4", kDamaged);
    one("offset that overflows", scalar + "offset: 9223372036854775807 size: 4", kDamaged);
    one("negative size", scalar + "size: -4", kDamaged);
    one("size beyond the shape", scalar + "size: 8", kDamaged);
    one("size below the shape", scalar + "size: 2", kDamaged);
    one("negative data file", scalar + "shard_id: -1 size: 4", kDamaged);
    one("data file that is not there", scalar + "shard_id: 7 size: 4", kDamaged);
    one("wrong checksum", scalar + "size: 4 crc32c: 5", kDamaged);
    one("no type", "shape {} size: 4", "checkpoint.unsupported_type");
    one("type 99", "dtype: 99 shape {} size: 4", "checkpoint.unsupported_type");
    one("a resource", "dtype: DT_RESOURCE shape {} size: 4", "checkpoint.unsupported_type");
    one("huge shape, huge size",
        "dtype: DT_FLOAT shape { dim { size: " + kBig + " } } size: 4398046511104", kDamaged);
    one("product that overflows",
        "dtype: DT_FLOAT shape { dim { size: " + kBig + " } dim { size: " + kBig + " } }",
        "tf.too_many_elements");
    one("negative dimension", "dtype: DT_FLOAT shape { dim { size: -3 } } size: 4",
        "tf.bad_dimension");
    one("unknown rank", "dtype: DT_FLOAT shape { unknown_rank: true } size: 4", "tf.unknown_shape");
    one("rank 300", "dtype: DT_FLOAT shape { " + times(300, "dim { size: 1 } ") + " } size: 4",
        "tf.too_many_dimensions");
    one("more texts than bytes", "dtype: DT_STRING shape { dim { size: 65 } } size: 64", kDamaged);
    one("texts beyond the tensor", "dtype: DT_STRING shape { dim { size: 1 } } size: 10", kDamaged);
    row("two tensors in the same bytes", kDamaged,
        {{"x", scalar + "offset: 0 size: 4"}, {"y", scalar + "offset: 2 size: 4"}});
    row("a tensor within another", kDamaged,
        {{"x", "dtype: DT_FLOAT shape { dim { size: 8 } } size: 32"},
         {"y", scalar + "offset: 8 size: 4"}});
}

void TstHostileFiles::addSlicesAndObjects()
{
    const auto row = [this](const std::string& name, const char* id,
                            std::map<std::string, std::string> entries) {
        add("checkpoint", readCheckpoint, name, id,
            [rows = std::move(entries)] { return indexOf(rows); });
    };
    const std::string shape = "dtype: DT_FLOAT shape { dim { size: 4 } } ";
    const auto slice = [](const std::string& start, const std::string& length) {
        return "slices { extent { start: " + start + " length: " + length + " } } ";
    };
    row("slice that is not there", "checkpoint.no_tensor", {{"p", shape + slice("0", "4")}});
    row("slice beyond its variable", "checkpoint.no_tensor",
        {{"p", shape + slice("3", "9223372036854775807")}});
    const std::string key = hex("007000010101808082"); // p, rank 1, [0, 2)
    const std::string half = "dtype: DT_FLOAT shape { dim { size: 2 } } size: 8";
    (void)key;
    row("slices without end", "checkpoint.too_many",
        {{"p", shape + times(kMaxVariableSlices + 1, slice("0", "1"))}});

    const auto objects = [this](const std::string& name, const std::string& graph) {
        add("checkpoint", readCheckpoint, name, "checkpoint.damaged", [=] {
            // The data holds no such text, so the entry's checksum cannot be right either; what is
            // tested with a good one stands in tst_checkpoint_damage and in the fuzz target.
            return indexOf({{std::string(kObjectGraphKey),
                             "dtype: DT_STRING shape {} size: " + std::to_string(graph.size())}});
        });
    };
    objects("object graph of nothing", "");
    objects("object graph elsewhere", std::string(60, 'x'));
}

void TstHostileFiles::addStates()
{
    const auto row = [this](const std::string& name, const char* id, const std::string& text) {
        add("checkpoint state", readState, name, id, [=] { return text; });
    };
    for (const char* path : {"../../etc/passwd", "a/../../b", "..", "/x/..", "/", "a/.."}) {
        row(path, "checkpoint.state_outside",
            "model_checkpoint_path: \"" + std::string(path) + "\"");
        row(std::string("all ") + path, "checkpoint.state_outside",
            "model_checkpoint_path: \"a\" all_model_checkpoint_paths: \"" + std::string(path) +
                "\"");
    }
    row("zero byte", "checkpoint.state_outside", "model_checkpoint_path: \"a\\000b\"");
    const char* const kDamaged = "checkpoint.state_damaged";
    row("nothing", kDamaged, "");
    row("no latest", kDamaged, "all_model_checkpoint_paths: \"a\"");
    row("binary", kDamaged, std::string(100, '\xff'));
    row("open braces", kDamaged, std::string(100000, '{'));
    row("unknown messages", kDamaged, times(50000, "a {"));
    row("text without end", kDamaged, "model_checkpoint_path: \"" + std::string(100000, 'a'));
    row("five megabytes", "io.too_large", std::string(std::size_t{5} << 20U, ' '));
}

void TstHostileFiles::addExamples()
{
    const auto row = [this](const std::string& name, const char* id, Make make) {
        add("example", readExample, name, id, std::move(make));
    };
    const char* const kNone = "tf.no_example";
    for (const char* digits : {"0a", "0aff", "0a0a0a", "0affffffff0f", "0b", "0c", "0f", "00",
                               "0a050a03ffffff", "ffffffffffffffffffffff"}) {
        row(digits, kNone, [=] { return hex(digits); });
    }
    row("key that is not UTF-8", kNone, [] { return field(1, field(1, field(1, "\xff"))); });
    row("groups in groups", kNone, [] { return std::string(100000, '\x0b'); });
    row("floats of three bytes", kNone,
        [] { return field(1, field(1, field(2, field(2, field(1, "abc"))))); });
    row("two million features", "tf.message_too_large",
        [] { return field(1, times(2U << 20U, hex("0a00"))); });
    row("two million features, the second part beyond the limit", "tf.message_too_large",
        [] { return times(std::size_t{2} << 20U, hex("0a020a00")); });
    row("five million texts", "tf.message_too_large", [] {
        return field(1,
                     field(1, field(1, "k") + field(2, field(1, times(5U << 20U, hex("0a00"))))));
    });
}

void TstHostileFiles::addGraphs()
{
    const auto row = [this](const std::string& name, const char* id, const std::string& text) {
        add("GraphDef", readGraph, name, id, [=] { return graphOf(text); });
    };
    const auto tensor = [&](const std::string& name, const char* id, const std::string& text) {
        row(name, id, constant("c", text));
    };
    const std::string big = "tensor_shape { dim { size: " + kBig + " } } ";
    tensor("a number told 2^40 times", "tf.too_many_elements",
           "dtype: DT_FLOAT float_val: 1 " + big);
    tensor("nothing told 2^40 times", "tf.too_many_elements", "dtype: DT_INT64 " + big);
    tensor("a text told 2^22 times", "tf.too_many_elements",
           "dtype: DT_STRING string_val: 'abc' tensor_shape { dim { size: 4194304 } }");
    tensor("a long text told often", "tf.too_many_elements",
           "dtype: DT_STRING string_val: '" + std::string(100000, 'a') +
               "' tensor_shape { dim { size: 10000 } }");
    tensor("product that overflows", "tf.too_many_elements",
           "dtype: DT_FLOAT tensor_shape { dim { size: " + kBig + " } dim { size: " + kBig +
               " } }");
    tensor("negative dimension", "tf.bad_dimension",
           "dtype: DT_FLOAT tensor_shape { dim { size: -2 } }");
    tensor("unknown rank", "tf.unknown_shape",
           "dtype: DT_FLOAT tensor_shape { unknown_rank: true }");
    tensor("rank 300", "tf.too_many_dimensions",
           "dtype: DT_FLOAT tensor_shape { " + times(300, "dim { size: 1 } ") + "}");
    tensor("too few bytes", "tf.value_count",
           "dtype: DT_FLOAT tensor_content: 'abc' tensor_shape { dim { size: 2 } }");
    tensor("few bytes for 2^40", "tf.value_count", "dtype: DT_FLOAT tensor_content: 'abcd' " + big);
    tensor("texts as bytes", "tf.value_count",
           "dtype: DT_STRING tensor_content: 'abc' tensor_shape {}");
    tensor("too many values", "tf.value_count",
           "dtype: DT_FLOAT float_val: 1 float_val: 2 tensor_shape {}");
    tensor("type 99", "tf.unsupported_type", "dtype: 99 tensor_shape {}");
    tensor("a variant", "tf.unsupported_type", "dtype: DT_VARIANT tensor_shape {}");
    std::string many;
    for (int i = 0; i < 40; ++i) {
        many += floats("c" + std::to_string(i), "dim { size: 1000000 }");
    }
    row("small claims that add up", "tf.too_many_elements", many);
    for (const char* digits : {"0a", "0aff", "0a0a0a", "0b", "ffffffffffffffffffffff01"}) {
        add("GraphDef", readGraph, digits, "graph.unreadable", [=] { return hex(digits); });
    }
    add("GraphDef", readGraph, "two million nodes", "tf.message_too_large",
        [] { return times(2U << 20U, hex("0a00")); });
    add("GraphDef", readGraph, "lists in lists", "graph.unreadable", [] {
        // AttrValue.list.func.attr.value, again and again.
        std::string attr;
        for (int i = 0; i < 120; ++i) {
            attr = field(1, field(9, field(2, field(2, attr))));
        }
        return field(1, field(5, field(2, attr)));
    });
}

void TstHostileFiles::addModels()
{
    const auto row = [this](const std::string& name, const char* id, const std::string& nodes,
                            const std::string& more = {}) {
        add("SavedModel", checkModel, name, id, [=] { return modelOf(nodes, more); });
    };
    const char* const kIncomplete = "saved_model.incomplete";
    const std::string y = floats("y", "");
    for (const char* name : kOutside) {
        const bool isLink = std::string(name) == "link";
        row(std::string("asset ") + name, isLink ? "io.outside" : "saved_model.asset_outside", y,
            "asset_file_def { tensor_info { name: 'y:0' } filename: '" + std::string(name) + "' }");
    }
    row("asset without a name", "saved_model.asset_outside", y,
        "asset_file_def { tensor_info { name: 'y:0' } }");
    row("asset with a zero byte", "saved_model.asset_outside", y,
        "asset_file_def { tensor_info { name: 'y:0' } filename: 'a\\000b' }");
    row("asset that is missing", kIncomplete, y,
        "asset_file_def { tensor_info { name: 'y:0' } filename: 'b' }");
    row("collection of something else", "saved_model.bad_collection", y,
        "collection_def { key: 'variables' value { bytes_list { value: '\\377' } } }");
    row("signature of nothing", kIncomplete, node("x", "NoOp"));
    row("two nodes of one name", kIncomplete, y + y);
    row("input of nothing", kIncomplete, y + node("z", "Identity", "nobody"));
    add("SavedModel", checkModel, "input without a name", kIncomplete,
        [=] { return modelOf(y + "node { name: 'z' op: 'Identity' input: '' }"); });
    const std::string saver = "saver_def { filename_tensor_name: 'y:0' save_tensor_name: 'y:0' "
                              "restore_op_name: 'y' }";
    const std::string assign = y + node("assign", "AssignVariableOp", "w r");
    const auto restore = [&](const std::string& attrs, const std::string& inputs = "y y y") {
        return assign + node("r", "RestoreV2", inputs, attrs);
    };
    const std::string handle =
        node("w", "VarHandleOp", {},
             "attr { key: 'dtype' value { type: DT_FLOAT } } "
             "attr { key: 'shape' value { shape { dim { size: 2 } dim { size: 3 } } } }");
    const std::string types = "attr { key: 'dtypes' value { list { type: DT_FLOAT } } }";
    const std::string names =
        constant("n", "dtype: DT_STRING string_val: 'w' tensor_shape { dim { size: 1 } }");
    row("saver of nothing", kIncomplete, y, "saver_def { filename_tensor_name: 'z' }");
    row("restore without names", kIncomplete, handle + restore(types), saver);
    row("restore without inputs", kIncomplete, handle + restore(types, "y"), saver);
    row("restore without types", kIncomplete, handle + names + restore("", "y n y"), saver);
    row("restore of other types", kIncomplete,
        handle + names + restore("attr { key: 'dtypes' value { list { } } }", "y n y"), saver);
    row("variable without a type", kIncomplete,
        node("w", "VarHandleOp") + names + restore(types, "y n y"), saver);
    row("output that is not there", kIncomplete,
        y + handle + names + node("assign", "AssignVariableOp", "w r:5") +
            node("r", "RestoreV2", "y n y", types),
        saver);
    row("output before the first", kIncomplete,
        y + handle + names + node("assign", "AssignVariableOp", "w r:-5") +
            node("r", "RestoreV2", "y n y", types),
        saver);
    row("a variable that is not in the checkpoint", kIncomplete,
        handle +
            constant("n", "dtype: DT_STRING string_val: 'v' tensor_shape { dim { size: 1 } }") +
            restore(types, "y n y"),
        saver);
    add("SavedModel", checkModel, "nothing", "saved_model.damaged", [] { return std::string(); });
    add("SavedModel", checkModel, "no message", "saved_model.damaged",
        [] { return std::string("\xff\xff"); });
    add("SavedModel", checkModel, "two million parts", "tf.message_too_large",
        [] { return times(2U << 20U, hex("1200")); });
    const std::string deep = "meta_graphs { graph_def { node { attr { key: 'a' value { ";
    const std::string level = "list { func { attr { key: 'a' value { ";
    add("SavedModel", checkTextModel, "text, deep", "saved_model.damaged",
        [=] { return deep + times(20000, level); });
    add("SavedModel", checkTextModel, "text, two million parts", "tf.message_too_large",
        [] { return times(2U << 20U, "meta_graphs{}"); });
    add("SavedModel", checkTextModel, "text, unknown and deep", "saved_model.damaged",
        [] { return times(100000, "unknown { "); });
    add("SavedModel", checkTextModel, "text, binary", "saved_model.damaged",
        [] { return std::string(1000, '\x80'); });
}

void TstHostileFiles::addRuns()
{
    const auto row = [this](const std::string& name, const char* id, const std::string& nodes,
                            const std::string& more = {}) {
        add("graph", runModel, name, id, [=] { return modelOf(nodes, more); });
    };
    const char* const kInvalid = "export.graph_invalid";
    const char* const kTooLarge = "export.graph_too_large";
    const std::string one = floats("one", "");
    const std::string row2 = floats("v", "dim { size: 1 } dim { size: 60000 }");
    const std::string col2 = floats("u", "dim { size: 60000 } dim { size: 1 }");
    row("circle", "export.graph_circle", node("y", "Identity", "z") + node("z", "Identity", "y"));
    row("circle of control", "export.graph_circle", node("y", "NoOp", "^y"));
    row("unknown operation", "export.graph_unsupported", node("y", "PyFunc"));
    row("reads files", "export.graph_unsupported", node("y", "ReadFile"));
    row("no node", "export.no_node", node("x", "NoOp"));
    row("no output", "export.no_output", node("y", "NoOp"));
    row("fill", kTooLarge, integers("d", {kBig}) + one + node("y", "Fill", "d one"));
    row("fill, overflow", kTooLarge,
        integers("d", {kBig, kBig}) + one + node("y", "Fill", "d one"));
    row("fill, negative", kInvalid, integers("d", {"-1"}) + one + node("y", "Fill", "d one"));
    row("fill with two values", kInvalid,
        integers("d", {"2"}) + floats("e", "dim { size: 2 }") + node("y", "Fill", "d e"));
    row("tile", kTooLarge, integers("d", {"1", kBig}) + row2 + node("y", "Tile", "v d"));
    row("tile, overflow", kInvalid,
        integers("d", {"1", "9223372036854775807"}) + row2 + node("y", "Tile", "v d"));
    row("one-hot", kTooLarge,
        integers("d", {"1"}) + integer("n", kBig) + one + node("y", "OneHot", "d n one one"));
    row("one-hot, negative", kInvalid,
        integers("d", {"1"}) + integer("n", "-5") + one + node("y", "OneHot", "d n one one"));
    row("broadcast", kTooLarge, row2 + col2 + node("y", "AddV2", "u v"));
    row("product", kTooLarge, row2 + col2 + node("y", "MatMul", "u v"));
    row("choice", kTooLarge,
        row2 + col2 + node("c", "Greater", "u one") + one + node("y", "SelectV2", "c u v"));
    std::string doubled = row2 + integer("a", "0");
    std::string last = "v";
    for (int i = 0; i < 40; ++i) {
        const std::string name = i == 39 ? "y" : "d" + std::to_string(i);
        doubled += node(name, "ConcatV2", last + " " + last + " a");
        last = name;
    }
    row("doubled forty times", kTooLarge, doubled);
    row("join of different tensors", kInvalid,
        row2 + col2 + integer("a", "0") + node("y", "ConcatV2", "u v a"));
    row("join of nothing", kInvalid, integer("a", "0") + node("y", "ConcatV2", "a"));
    row("gather beyond", kInvalid,
        col2 + integers("i", {"60000"}) + integer("a", "0") + node("y", "GatherV2", "u i a"));
    row("gather before", kInvalid,
        col2 + integers("i", {"-1"}) + integer("a", "0") + node("y", "GatherV2", "u i a"));
    row("slice beyond", kInvalid,
        col2 + integers("b", {"9223372036854775807", "0"}) + integers("s", {"2", "1"}) +
            node("y", "Slice", "u b s"));
    row("shape of other size", kInvalid, col2 + integers("s", {"7"}) + node("y", "Reshape", "u s"));
    row("two open dimensions", kInvalid,
        col2 + integers("s", {"-1", "-1"}) + node("y", "Reshape", "u s"));
    row("segments", kTooLarge,
        floats("w", "dim { size: 1 }") + integers("s", {"0"}) + integer("n", kBig) +
            node("y", "UnsortedSegmentSum", "w s n"));
    row("segment beyond", kInvalid,
        floats("w", "dim { size: 1 }") + integers("s", {"5"}) + integer("n", "2") +
            node("y", "UnsortedSegmentSum", "w s n"));
    const std::string sparse = constant("i", "dtype: DT_INT64 int64_val: 5 tensor_shape { dim { "
                                             "size: 1 } dim { size: 2 } }");
    row("sparse entry beyond", kInvalid,
        sparse + integers("d", {"2", "2"}) + floats("w", "dim { size: 1 }") + one +
            node("y", "SparseToDense", "i d w one"));
    row("sparse, too few places", kInvalid,
        sparse + integers("d", {"9", "9"}) + floats("w", "dim { size: 3 }") + one +
            node("y", "SparseToDense", "i d w one"));
    row("sparse, huge", kTooLarge,
        sparse + integers("d", {kBig, "9"}) + floats("w", "dim { size: 1 }") + one +
            node("y", "SparseToDense", "i d w one"));
    row("rows without end", kTooLarge,
        sparse + integers("d", {"9223372036854775807", "9"}) + floats("w", "dim { size: 1 }") +
            one + node("y", "SparseFillEmptyRows", "i w d one"));
    row("no buckets", kInvalid,
        constant("t", "dtype: DT_STRING string_val: 'a' tensor_shape {}") +
            node("y", "StringToHashBucketFast", "t", "attr { key: 'num_buckets' value { i: 0 } }"));
    row("hash of numbers", kInvalid,
        one + node("y", "StringToHashBucketFast", "one",
                   "attr { key: 'num_buckets' value { i: 9 } }"));
    for (const char* name : kOutside) {
        const std::string table = node("t", "HashTableV2") +
                                  constant("f", "dtype: DT_STRING string_val: '" +
                                                    std::string(name) + "' tensor_shape {}") +
                                  node("init", "InitializeTableFromTextFileV2", "t f",
                                       "attr { key: 'key_index' value { i: -2 } } "
                                       "attr { key: 'value_index' value { i: -1 } }");
        row(std::string("vocabulary ") + name, "io.outside",
            table + node("y", "LookupTableSizeV2", "t"),
            "collection_def { key: 'table_initializer' value { node_list { value: 'init' } } }");
    }
}

void TstHostileFiles::addExperiments()
{
    const auto row = [this](const std::string& name, const char* id, Make make) {
        add("experiment", readExperiment, name, id, std::move(make));
    };
    row("seventeen megabytes", "spec.text_too_long",
        [] { return std::string(spec::kLargestText + 1, 'a'); });
    row("two million lines", "spec.text_too_long", [] { return times(2U << 20U, "#\n"); });
    row("colons", "spec.too_many_tokens", [] { return times(3U << 20U, ":"); });
    row("vocabulary of a million words", "spec.too_many_tokens", [] {
        return "feature_column { name: \"a\" categorical_column_with_vocabulary_list { key: \"a\" "
               "vocabulary_list: [" +
               times(1U << 20U, "\"a\",") + "] } }";
    });
    row("braces", "spec.too_deep", [] { return times(200000, "a {"); });
    row("closing braces", "spec.unopened_brace", [] { return times(200000, "}"); });
    row("lists in lists", "spec.expected_field", [] { return times(200000, "["); });
    row("zero bytes", "spec.bad_character", [] { return std::string(100000, '\0'); });
    row("text without end", "spec.text_not_closed",
        [] { return "name: \"" + std::string(1U << 20U, 'a'); });
    row("escapes", "spec.bad_escape", [] { return "name: \"" + times(100000, "\\q") + "\""; });
    row("digits", "spec.integer_range",
        [] { return "train_spec { max_steps: " + std::string(1000, '9') + " }"; });
    row("unknown fields", "spec.unknown_field", [] { return times(100000, "nobody: 1 "); });
    row("names given again", "spec.duplicate_field", [] { return times(100000, "name: \"a\" "); });
    row("names behind columns", "spec.duplicate_field",
        [] { return times(50000, "feature_column { } ") + times(50000, "name: \"a\" "); });
    row("bytes beyond ASCII", "spec.bad_character", [] { return times(100000, "\xff\xfe"); });
}

void TstHostileFiles::areRefused_data()
{
    QTest::addColumn<Read>("read");
    QTest::addColumn<std::string>("id");
    QTest::addColumn<Make>("make");
    addRecords();
    addEvents();
    addTables();
    addCheckpoints();
    addSlicesAndObjects();
    addStates();
    addExamples();
    addGraphs();
    addModels();
    addRuns();
    addExperiments();
}

void TstHostileFiles::areRefused()
{
    QFETCH(Read, read);
    QFETCH(std::string, id);
    QFETCH(Make, make);
    const std::string bytes = make();
    wantedId = id;
    QElapsedTimer timer;
    timer.start();
    failAllocation(0, false);
    const Result<void> result = read(bytes);
    stopFailing();
    const std::int64_t peak = peakBytes();
    const qint64 elapsed = timer.elapsed();
    VERIFY_ERROR(result, id.c_str());
    QVERIFY(!result.error().sentence.empty() && result.error().sentence.size() < 4000);
    QVERIFY2(peak < kMostBytes, qPrintable(QString("%1 bytes").arg(peak)));
    QVERIFY2(elapsed < kMostMilliseconds, qPrintable(QString("%1 ms").arg(elapsed)));
    m_slowest = std::max(m_slowest, elapsed);
    m_largest = std::max(m_largest, peak);
}

void TstHostileFiles::thereAreEnough()
{
    qInfo("%d files, the slowest took %lld ms, the largest %lld bytes", m_rows,
          static_cast<long long>(m_slowest), static_cast<long long>(m_largest));
    QVERIFY(m_rows >= 150);
}

void TstHostileFiles::deepGraphsNeedNoDeepStack()
{
    std::string nodes = floats("n0", "");
    constexpr int kDepth = 100000;
    for (int i = 1; i <= kDepth; ++i) {
        nodes += node(i == kDepth ? "y" : "n" + std::to_string(i), "Identity",
                      "n" + std::to_string(i - 1));
    }
    VERIFY_OK(runModel(modelOf(nodes)));
}

void TstHostileFiles::experimentsOfAnySizeAreReadInTime_data()
{
    QTest::addColumn<std::string>("text");
    const auto row = [](const char* name, const std::string& text) { QTest::newRow(name) << text; };
    row("columns", times(2000, "feature_column { name: \"a\" numeric_column { key: \"a\" } } "));
    row("columns that refer to each other",
        times(1000, "feature_column { name: \"b\" bucketized_column { source_column: \"c\" "
                    "boundaries: 1 } } "));
    std::string names;
    for (int i = 0; i < 1000; ++i) {
        const std::string name = std::to_string(i);
        names += "feature_column { name: \"a" + name +
                 "\" embedding_column { categorical_column: \"a" + std::to_string(i + 1) +
                 "\" dimension: 2 } } ";
    }
    row("columns that are not categories", names);
    row("files", "data { train { csv { files: [" + times(100000, "\"a\", ") + "\"b\"] } } }");
}

void TstHostileFiles::experimentsOfAnySizeAreReadInTime()
{
    QFETCH(std::string, text);
    QElapsedTimer timer;
    timer.start();
    (void)readExperiment(text);
    QVERIFY2(timer.elapsed() < kMostMilliseconds,
             qPrintable(QString("%1 ms").arg(timer.elapsed())));
}

CANNERY_TEST(TstHostileFiles)
#include "tst_hostile_files.moc"
