// SPDX-License-Identifier: Apache-2.0
#include "storage/io/crc32c.h"
#include "storage/tf/checkpoints/checkpoint_reader.h"
#include "storage/tf/checkpoints/checkpoint_state.h"
#include "storage/tf/checkpoints/object_graph.h"
#include "storage/tf/checkpoints/table_reader.h"
#include "storage/tf/checkpoints/table_writer.h"
#include "storage/tf/schema/tensor_bundle.pb.h"
#include "tests/fuzz/fuzz_support.h"
#include "tests/fuzz/hostile_bytes.h"
#include "tests/fuzz/hostile_files.h"

#include <google/protobuf/text_format.h>
#include <map>

namespace cannery::tests {

using namespace cannery::storage;

namespace {

using Make = std::function<std::string()>;

Result<void> readTableRows(std::string_view bytes)
{
    return nothingOf(readTable(bytes, "hostile"));
}

const std::string& checkpointData()
{
    static const std::string data(64, 'x');
    return data;
}

/// An index with 64 bytes of data.
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

const std::string kBig = "1099511627776"; // 2^40

constexpr const char* kDamagedTable = "tf.table_damaged";

void addTable(HostileFiles& files, const std::string& name, const char* id, Make make)
{
    files.add("table", readTableRows, name, id, std::move(make));
}

/// A table of one block.
void addBlock(HostileFiles& files, const char* name, const std::string& content)
{
    addTable(files, name, kDamagedTable, [=] { return tableOf({content}); });
}

void addHostileFooters(HostileFiles& files)
{
    for (const std::size_t size : {0U, 1U, 47U, 48U, 200U}) {
        addTable(files, "zeros " + std::to_string(size), kDamagedTable,
                 [=] { return std::string(size, '\0'); });
    }
    const auto footer = [](const char* digits) {
        return [=] {
            std::string bytes = tableOf({tableBlock(tableEntry(0, "a", "b"))});
            const std::string handles = hex(digits);
            return bytes.replace(bytes.size() - 48, handles.size(), handles);
        };
    };
    addTable(files, "index of 2^63 bytes", kDamagedTable, footer("000800ffffffffffffffff7f"));
    addTable(files, "index at 2^63", kDamagedTable, footer("0008ffffffffffffffff7f08"));
    addTable(files, "index at the end", kDamagedTable, footer("0008ffffffff0f00"));
    addTable(files, "handle without end", kDamagedTable, footer("ffffffffffffffffffffffffffff"));
}

void addHostileBlocks(HostileFiles& files)
{
    addBlock(files, "block of nothing", "");
    addBlock(files, "block too short for its restarts", hex("00000000ffffff7f"));
    addBlock(files, "four billion restarts", hex("ffffffff"));
    addBlock(files, "shares more than there is", tableBlock(tableEntry(5, "a", "b")));
    addBlock(files, "key longer than the block", tableBlock(hex("00ff7f0061")));
    addBlock(files, "value longer than the block", tableBlock(hex("0001ff7f61")));
    addBlock(files, "lengths that overflow",
             tableBlock(hex("00ffffffffffffffffff01ffffffffffffffffff0161")));
    addBlock(files, "number without end", tableBlock(hex("ffffffffffffffffffffffff")));
    addBlock(files, "keys that fall", tableBlock(tableEntry(0, "b", "") + tableEntry(0, "a", "")));
    addBlock(files, "the same key twice",
             tableBlock(tableEntry(0, "b", "") + tableEntry(0, "b", "")));
    addTable(files, "key beyond its block's", kDamagedTable,
             [] { return tableOf({tableBlock(tableEntry(0, "b", ""))}, "a"); });
    addTable(files, "blocks that overlap in keys", kDamagedTable, [] {
        const std::string content = tableBlock(tableEntry(0, "b", ""));
        return tableOf({content, content});
    });
}

void addHostilePacking(HostileFiles& files)
{
    addTable(files, "unknown packing", kDamagedTable,
             [] { return tableOf({tableBlock("")}, "z", 7); });
    addTable(files, "packed, but not", kDamagedTable, [] { return tableOf({"abcdefgh"}, "z", 1); });
    addTable(files, "packed, states 2^32 bytes", kDamagedTable,
             [] { return tableOf({hex("ffffffff0f00")}, "z", 1); });
    addTable(files, "packed, unpacks to something else", kDamagedTable,
             [] { return tableOf({hex("0500610a")}, "z", 1); });
    addTable(files, "packed zeros", "tf.table_too_large",
             [] { return tableOf({snappyOf(kMaxTableBytes + 1)}, "z", 1); });
    addTable(files, "wrong checksum", kDamagedTable, [] {
        std::string bytes = tableOf({tableBlock(tableEntry(0, "a", "b"))});
        bytes[3] = static_cast<char>(bytes[3] ^ 1);
        return bytes;
    });
}

void addHugeTables(HostileFiles& files)
{
    addTable(files, "a long key told a thousand times", "tf.table_too_large", [] {
        const std::string key(1U << 20U, 'k');
        std::string entries = tableEntry(0, key, "");
        for (int i = 0; i < 1000; ++i) {
            // One byte more than the previous key has.
            entries += tableEntry(key.size() + static_cast<std::size_t>(i), "x", "");
        }
        return tableOf({tableBlock(entries)});
    });
    addTable(files, "more rows than variables can be", "tf.table_too_large", [] {
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

} // namespace

void addHostileTables(HostileFiles& files)
{
    addHostileFooters(files);
    addHostileBlocks(files);
    addHostilePacking(files);
    addHugeTables(files);
}

void addHostileCheckpoints(HostileFiles& files)
{
    const auto row = [&files](const std::string& name, const char* id,
                              std::map<std::string, std::string> entries,
                              const std::string& header = "num_shards: 1") {
        files.add("checkpoint", readCheckpoint, name, id,
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
    files.add("checkpoint", readCheckpoint, "no header", kDamaged, [] {
        return writeTable(std::vector<TableRow>{{"x", ""}});
    });
    files.add("checkpoint", readCheckpoint, "header that is no message", kDamaged, [] {
        return writeTable(std::vector<TableRow>{{"", "\xff"}});
    });
    files.add("checkpoint", readCheckpoint, "entry that is no message", kDamaged, [] {
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

void addHostileSlices(HostileFiles& files)
{
    const auto row = [&files](const std::string& name, const char* id,
                              std::map<std::string, std::string> entries) {
        files.add("checkpoint", readCheckpoint, name, id,
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

    const auto objects = [&files](const std::string& name, const std::string& graph) {
        files.add("checkpoint", readCheckpoint, name, "checkpoint.damaged", [=] {
            // The data does not contain such a text, so the entry's checksum cannot be right
            // either; valid checksums are tested in tst_checkpoint_damage and in the fuzz target.
            return indexOf({{std::string(kObjectGraphKey),
                             "dtype: DT_STRING shape {} size: " + std::to_string(graph.size())}});
        });
    };
    objects("object graph of nothing", "");
    objects("object graph elsewhere", std::string(60, 'x'));
}

void addHostileStates(HostileFiles& files)
{
    const auto row = [&files](const std::string& name, const char* id, const std::string& text) {
        files.add("checkpoint state", readState, name, id, [=] { return text; });
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

} // namespace cannery::tests
