// SPDX-License-Identifier: Apache-2.0
#include "core/data/dataset.h"
#include "core/spec/experiment_file.h"
#include "storage/io/crc32c.h"
#include "storage/io/files.h"
#include "storage/io/inflate.h"
#include "storage/tabular/csv/csv_discovery.h"
#include "storage/tabular/csv/csv_reader.h"
#include "storage/tf/events/event_reader.h"
#include "storage/tf/events/scalar_event_scanner.h"
#include "storage/tf/record_file.h"
#include "tests/fuzz/allocation_faults.h"
#include "tests/fuzz/event_reading.h"
#include "tests/fuzz/fuzz_support.h"
#include "tests/fuzz/hostile_bytes.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <google/protobuf/text_format.h>

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <filesystem>
#include <functional>

#include <QTest>

using namespace cannery;
using namespace cannery::storage;
using namespace cannery::tests;

namespace {

/// What was read so far, as a checksum computed without allocating.
using Digest = std::uint32_t;

/// A reader at the beginning of its file: reads the next piece into the digest; false at the end.
using Next = std::function<Result<bool>(Digest&)>;
using Begin = std::function<Next()>;

template <typename T>
void add(Digest& digest, const T& value) requires std::is_arithmetic_v<T>
{
    digest = crc32c(std::as_bytes(std::span(&value, 1)), digest);
}

void add(Digest& digest, std::string_view text)
{
    add(digest, text.size());
    digest = crc32c(text, digest);
}

void add(Digest& digest, const ColumnValues& elements)
{
    std::visit(
        [&](const auto& values) {
            if constexpr (std::is_same_v<std::decay_t<decltype(values)>, StringColumn>) {
                for (std::size_t row = 0; row < values.size(); ++row) {
                    add(digest, values[row]);
                }
            } else {
                digest = crc32c(std::as_bytes(std::span(values)), digest);
            }
        },
        elements);
}

std::string fixed(double value)
{
    const auto bytes = std::bit_cast<std::array<char, sizeof(value)>>(value);
    return {bytes.data(), bytes.size()};
}

std::string fixed(float value)
{
    const auto bytes = std::bit_cast<std::array<char, sizeof(value)>>(value);
    return {bytes.data(), bytes.size()};
}

std::string event(std::uint64_t step, const std::string& content)
{
    return frameRecord("\x09" + fixed(1.5 + static_cast<double>(step)) + field(2, step) + content);
}

std::string value(std::string_view tag, const std::string& content)
{
    return field(1, field(1, tag) + content);
}

std::string simple(float number)
{
    return "\x15" + fixed(number);
}

std::string plugin(std::string_view name)
{
    return field(9, field(1, field(1, name)));
}

/// A tensor of rank 0, or (equivalent for TensorBoard) with one element.
std::string tensor(std::uint64_t dtype, const std::string& bytes, const std::string& shape = {})
{
    return field(8, field(1, dtype) + field(2, shape) + field(4, bytes));
}

/// Both encodings of scalars, tags that change their plugin within an event, and values that are
/// not scalars.
std::string events()
{
    constexpr std::uint64_t kFloat = 1;
    constexpr std::uint64_t kDouble = 2;
    const std::string oneElement = field(2, field(1, std::uint64_t{1}));
    const std::string number = tensor(kFloat, fixed(2.5F));
    std::string bytes = event(0, field(3, "brain.Event:2"));
    bytes += event(1, field(7, field(1, std::uint64_t{1})));
    for (std::uint64_t step = 1; step < 12; ++step) {
        const auto real = static_cast<float>(step);
        const std::string late = "late " + std::to_string(step);
        bytes += event(step, field(5, value("loss", simple(real)) + value("rate", simple(0.5F))));
        // Only stated by the second value, so the first one is still a scalar.
        bytes += event(step, field(5, value(late, number) + value(late, plugin("text") + number) +
                                          value(late, number)));
        bytes += event(step, field(5, value(late + "b", tensor(kFloat, fixed(real), oneElement)) +
                                          value(late + "b", plugin("text") + number)));
        bytes += event(step, field(5, value("tf2", plugin("scalars") + number)));
        bytes += event(step, field(5, value("tf2", tensor(kDouble, fixed(double(real))))));
        bytes += event(step, field(5, value("gr\xc3\xbc\xc3\x9f" + late, simple(real)) +
                                          value("picture", field(4, field(1, step)))));
    }
    return bytes;
}

std::string rowsOfText()
{
    std::string text = "name,size,count\n";
    for (int row = 0; row < 60; ++row) {
        const std::string number = std::to_string(row);
        text += "\"a longer name, number " + number + "\"," + number + ".25," + number + "\n";
    }
    return text;
}

Next readEvents(const std::string& path)
{
    auto reader = std::make_shared<EventReader>(*EventReader::open(path));
    return [reader](Digest& digest) -> Result<bool> {
        CANNERY_TRY_ASSIGN(const std::optional<Event> event, reader->next());
        if (!event) {
            return false;
        }
        add(digest, event->step);
        add(digest, event->text);
        for (const EventValue& value : event->values) {
            add(digest, value.tag);
            add(digest, value.plugin);
            add(digest, value.value.index());
            if (const auto* number = std::get_if<float>(&value.value)) {
                add(digest, *number);
            }
        }
        return true;
    };
}

Next readScalars(const std::string& path, std::size_t limit)
{
    struct Scan
    {
        ScalarTags tags;
        std::optional<ScalarEventScanner> scanner;
        std::vector<ScalarPoint> points;
    };
    auto scan = std::make_shared<Scan>();
    scan->scanner.emplace(*ScalarEventScanner::open(path, scan->tags));
    return [scan, limit](Digest& digest) {
        scan->points.clear();
        Result<bool> more = scan->scanner->read(scan->points, limit);
        // Including those before memory ran out.
        for (const ScalarPoint& point : scan->points) {
            if (point.tag != ScalarPoint::kSessionStart) {
                add(digest, scan->tags.name(point.tag));
            }
            add(digest, point.step);
            add(digest, point.value);
        }
        return more;
    };
}

Next readRecords(const std::string& path)
{
    auto reader = std::make_shared<RecordReader>(*RecordReader::open(path));
    return [reader](Digest& digest) -> Result<bool> {
        CANNERY_TRY_ASSIGN(const std::optional<std::string_view> record, reader->next());
        if (record) {
            add(digest, *record);
        }
        return record.has_value();
    };
}

Next readPacked(const std::string& path)
{
    auto reader = std::make_shared<InflateReader>(*InflateReader::openGzipOrPlain(path));
    return [reader](Digest& digest) -> Result<bool> {
        std::array<std::byte, 100> bytes{};
        CANNERY_TRY_ASSIGN(const std::size_t got, reader->read(bytes));
        digest = crc32c(std::span<const std::byte>(bytes).first(got), digest);
        return got > 0;
    };
}

Next readTable(const std::string& path)
{
    CsvDiscovery found = *discoverCsv({.patterns = {path}});
    CsvReadOptions options{.columns = {{.name = "name", .index = 0, .dtype = DType::String},
                                       {.name = "size", .index = 1, .dtype = DType::Float32},
                                       {.name = "count", .index = 2, .dtype = DType::Int64}},
                           .blockBytes = 200};
    auto reader = std::make_shared<CsvReader>(std::move(found.files), std::move(options));
    return [reader](Digest& digest) -> Result<bool> {
        CANNERY_TRY_ASSIGN(const std::optional<TableChunk> chunk, reader->next());
        for (std::size_t i = 0; chunk && i < chunk->columns.size(); ++i) {
            add(digest, chunk->columns[i].values);
        }
        return chunk.has_value();
    };
}

Next readFeatures(const std::string& path)
{
    struct Read
    {
        std::optional<data::Dataset> dataset;
        std::unique_ptr<data::FeatureStream> stream;
    };
    spec::Data message;
    message.mutable_train()->mutable_csv()->add_files(path);
    message.mutable_label()->set_column("count");
    auto read = std::make_shared<Read>();
    read->dataset.emplace(*data::Dataset::open(message, "", data::DataPart::Train));
    read->stream = *read->dataset->read({});
    return [read](Digest& digest) -> Result<bool> {
        CANNERY_TRY_ASSIGN(const std::optional<data::FeatureBatch> batch, read->stream->next());
        if (batch) {
            add(digest, batch->rowCount);
            for (const data::FeatureValues& feature : batch->features) {
                add(digest, feature.elements);
            }
        }
        return batch.has_value();
    };
}

} // namespace

/// After memory ran out, a reader either continues exactly where it was or reports the error again:
/// it never skips, repeats or invents a record.
class TstReadingOn : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void bothReadersOfEventsAgree();
    void everyReaderKeepsItsPlace_data();
    void everyReaderKeepsItsPlace();
    void aReaderThatCannotReadSaysSoAgain();

private:
    [[nodiscard]] bool becomesAFolder(const std::string& path) const;

    FuzzFolder m_folder;
};

void TstReadingOn::initTestCase()
{
    m_folder.write("events", events());
    std::string records;
    for (std::size_t i = 0; i < 20; ++i) {
        records += frameRecord(std::string(i * 7, static_cast<char>('a' + i)));
    }
    m_folder.write("records", records);
    m_folder.write("records.gz", gzipOf(records, 0));
    m_folder.write("rows.csv", rowsOfText());
    m_folder.write("rows.csv.gz", gzipOf(rowsOfText(), 0));
    std::string wide = "\xFF\xFE";
    for (const char letter : rowsOfText()) {
        wide += {letter, '\0'};
    }
    m_folder.write("wide.csv", wide);
}

void TstReadingOn::bothReadersOfEventsAgree()
{
    readEventsBothWays(m_folder.path() + "/events");
}

void TstReadingOn::everyReaderKeepsItsPlace_data()
{
    QTest::addColumn<Begin>("begin");
    const auto row = [this](const char* name, const char* file, Next (*read)(const std::string&)) {
        QTest::newRow(name) << Begin(
            [read, path = m_folder.path() + "/" + file] { return read(path); });
    };
    row("events", "events", readEvents);
    for (const std::size_t limit : {1U, 5U, 1000U}) {
        QTest::addRow("scalars %zu", limit) << Begin(
            [limit, path = m_folder.path() + "/events"] { return readScalars(path, limit); });
    }
    row("records", "records", readRecords);
    row("packed records", "records.gz", readRecords);
    row("packed bytes", "records.gz", readPacked);
    row("table", "rows.csv", readTable);
    row("packed table", "rows.csv.gz", readTable);
    row("table in UTF-16", "wide.csv", readTable);
    row("features", "rows.csv", readFeatures);
}

void TstReadingOn::everyReaderKeepsItsPlace()
{
    QFETCH(Begin, begin);
    const auto readAll = [](const Next& next) {
        Digest digest = 0;
        while (*next(digest)) {
        }
        return digest;
    };
    const Digest good = readAll(begin());
    const Next counted = begin();
    failAllocation(0, false);
    const Digest again = readAll(counted);
    const std::int64_t count = stopFailing();
    QCOMPARE(again, good);
    QVERIFY(count > 0);
    int wentOn = 0;
    int stayed = 0;
    for (std::int64_t n = 1; n <= count; ++n) {
        const Next next = begin();
        Digest digest = 0;
        bool isError = false;
        bool isOver = false;
        bool isOutOfMemory = true;
        int errors = 0;
        failAllocation(n, false);
        while (!isOver && errors < 4) {
            const Result<bool> read = next(digest);
            isError = !read;
            errors += isError ? 1 : 0;
            isOutOfMemory =
                isOutOfMemory && (read || read.error().code == ErrorCode::ResourceExhausted);
            isOver = read && !*read;
        }
        stopFailing();
        QVERIFY2(isOutOfMemory, qPrintable(QString("allocation %1: another error").arg(n)));
        QVERIFY2(isError || digest == good,
                 qPrintable(QString("allocation %1 of %2: other content").arg(n).arg(count)));
        wentOn += errors > 0 && !isError ? 1 : 0;
        stayed += isError ? 1 : 0;
    }
    QVERIFY(wentOn + stayed > 0);
}

/// The file open as `path` has a size from now on, but cannot be read, as on a failing disk.
bool TstReadingOn::becomesAFolder(const std::string& path) const
{
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        std::error_code gone;
        if (std::filesystem::read_symlink(entry.path(), gone) == path) {
            const int folder = ::open(m_folder.path().c_str(), O_RDONLY | O_DIRECTORY);
            const bool isDone = ::dup2(folder, std::stoi(entry.path().filename())) >= 0;
            return ::close(folder) == 0 && isDone;
        }
    }
    return false;
}

void TstReadingOn::aReaderThatCannotReadSaysSoAgain()
{
    m_folder.write("events", frameRecord("abc"));
    auto events = EventReader::open(m_folder.path() + "/events");
    VERIFY_OK(events);
    QVERIFY(becomesAFolder(m_folder.path() + "/events"));
    const auto first = events->next();
    QVERIFY(!first);
    for (int time = 0; time < 2; ++time) {
        const auto again = events->next();
        QVERIFY(!again);
        QCOMPARE(again.error(), first.error());
    }
    m_folder.write("cut", frameRecord("abc").substr(0, 14));
    auto records = RecordReader::open(m_folder.path() + "/cut");
    VERIFY_OK(records);
    for (int time = 0; time < 2; ++time) {
        VERIFY_ERROR(records->next(), "tfrecord.breaks_off");
    }
    m_folder.write("wrong", frameRecord("abc").replace(13, 1, "x") + frameRecord("def"));
    auto wrong = RecordReader::open(m_folder.path() + "/wrong");
    VERIFY_OK(wrong);
    for (int time = 0; time < 2; ++time) {
        VERIFY_ERROR(wrong->next(), "tfrecord.damaged");
    }
}

CANNERY_TEST(TstReadingOn)
#include "tst_reading_on.moc"
