// SPDX-License-Identifier: Apache-2.0
#include "core/features/encoded_row_block.h"
#include "core/features/row_file.h"
#include "storage/io/inflate.h"
#include "storage/tf/events/event_reader.h"
#include "storage/tf/example_codec.h"
#include "storage/tf/message_limits.h"
#include "storage/tf/record_file.h"
#include "tests/fuzz/fuzz_support.h"
#include "tests/fuzz/hostile_bytes.h"
#include "tests/fuzz/hostile_files.h"
#include "tests/fuzz/small_rows.h"

#include <limits>

namespace cannery::tests {

using namespace cannery::features;
using namespace cannery::storage;

namespace {

using Make = std::function<std::string()>;

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

Result<void> readRows(std::string_view bytes)
{
    static FuzzFile file;
    CANNERY_TRY_ASSIGN(RowFileReader reader, RowFileReader::open(file.with(bytes)));
    const InputLayout layout = smallLayout();
    EncodedRows rows;
    for (std::int64_t left = reader.header().train_rows(); left > 0; left -= rows.rowCount) {
        CANNERY_TRY(reader.next(layout, kSmallSequences, rows));
    }
    return {};
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

Result<void> readExample(std::string_view bytes)
{
    return nothingOf(parseExample(bytes));
}

} // namespace

void addHostileRecords(HostileFiles& files)
{
    const auto row = [&files](const std::string& name, const char* id, Make make) {
        files.add("TFRecord", readRecords, name, id, std::move(make));
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

    const auto packed = [&files](const std::string& name, const char* id, Make make) {
        files.add("gzip", readPacked, name, id, std::move(make));
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

void addHostileRowFiles(HostileFiles& files)
{
    const auto row = [&files](const std::string& name, const char* id, Make make) {
        files.add("encoded rows", readRows, name, id, std::move(make));
    };
    constexpr const char* kDamaged = "features.row_file_damaged";
    row("another program's", "features.row_file_foreign", [] { return frameRecord("abc"); });
    row("text", "features.row_file_foreign", [] { return times(100, "a,b\n"); });
    row("empty", kDamaged, [] { return std::string(); });
    row("header alone", kDamaged, [] { return smallRowFile().substr(0, 60); });
    const auto block = [&row](const char* name, const std::function<void(RowFileBlock&)>& change) {
        row(name, "features.row_file_damaged", [change] {
            RowFileBlock rows = toBlock(smallRows());
            change(rows);
            const std::string whole = smallRowFile();
            const std::string sound = frameRecord(toBlock(smallRows()).SerializeAsString());
            return whole.substr(0, whole.size() - 2 * sound.size()) +
                   frameRecord(rows.SerializeAsString());
        });
    };
    block("no rows", [](RowFileBlock& rows) { rows.set_rows(0); });
    block("fewer than no rows", [](RowFileBlock& rows) { rows.set_rows(-3); });
    block("as few rows as can be written",
          [](RowFileBlock& rows) { rows.set_rows(std::numeric_limits<std::int64_t>::min()); });
    block("more rows than there are", [](RowFileBlock& rows) { rows.set_rows(1LL << 62); });
    block("more rows than the header has", [](RowFileBlock& rows) { rows.set_rows(4); });
    block("id beyond its buckets",
          [](RowFileBlock& rows) { rows.mutable_ids(0)->set_ids(0, 100); });
    block("ids that end before they start",
          [](RowFileBlock& rows) { rows.mutable_ids(1)->set_ends(0, 3); });
    block("ids that end beyond all",
          [](RowFileBlock& rows) { rows.mutable_ids(1)->set_ends(2, 4); });
    block("a row without an end", [](RowFileBlock& rows) { rows.mutable_ids(1)->add_ends(3); });
    block("ids without weights", [](RowFileBlock& rows) { rows.mutable_ids(1)->clear_weights(); });
    block("weights nobody asked for", [](RowFileBlock& rows) {
        for (int i = 0; i < 3; ++i) {
            rows.mutable_ids(0)->add_weights(1);
        }
    });
    block("too few numbers",
          [](RowFileBlock& rows) { rows.mutable_dense(0)->mutable_values()->RemoveLast(); });
    block("sequences of unequal length",
          [](RowFileBlock& rows) { rows.mutable_sequences(0)->set_ends(1, 3); });
    block("no labels", [](RowFileBlock& rows) { rows.clear_labels(); });
    block("too many slots", [](RowFileBlock& rows) { rows.add_ids(); });
    block("other kinds of slots", [](RowFileBlock& rows) {
        rows.mutable_ids()->RemoveLast();
        rows.add_dense();
    });
}

void addHostileEvents(HostileFiles& files)
{
    const auto row = [&files](const std::string& name, Make make) {
        files.add("events", readEvents, name, "events.damaged", std::move(make));
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

void addHostileExamples(HostileFiles& files)
{
    const auto row = [&files](const std::string& name, const char* id, Make make) {
        files.add("example", readExample, name, id, std::move(make));
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

std::string hex(std::string_view digits)
{
    const auto value = [](char digit) { return digit <= '9' ? digit - '0' : digit - 'a' + 10; };
    std::string bytes;
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
        bytes += static_cast<char>(16 * value(digits[i]) + value(digits[i + 1]));
    }
    return bytes;
}

} // namespace cannery::tests
