// SPDX-License-Identifier: Apache-2.0
#include "storage/io/files.h"
#include "storage/tf/events/event_reader.h"
#include "storage/tf/events/event_writer.h"
#include "storage/tf/events/scalar_event_scanner.h"
#include "storage/tf/record_file.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <bit>

#include <QDirIterator>
#include <QTemporaryDir>

using namespace cannery;
using namespace cannery::storage;

namespace {

const QString kGoldens = QStringLiteral(CANNERY_SOURCE_DIR "/tests/golden/");
const std::string kHparams =
    CANNERY_SOURCE_DIR "/tests/golden/event/hparams/trial_0/events.out.tfevents.1700000000.host.v2";
const std::string kOld =
    CANNERY_SOURCE_DIR "/tests/golden/event/v1/events.out.tfevents.1700000003.host";

/// A scalar with its bits, so that NaN equals itself.
struct Row
{
    std::string tag;
    std::uint32_t bits = 0;
    std::int64_t step = 0;
    double wallTime = 0;

    bool operator==(const Row&) const = default;
};

struct Content
{
    std::vector<Row> rows;
    std::string error;
    std::uint64_t position = 0;

    bool operator==(const Content&) const = default;
};

std::optional<float> numberOf(const EventValue& value)
{
    if (const auto* number = std::get_if<float>(&value.value)) {
        return *number;
    }
    // Cases that the goldens lack, but a flipped bit produces.
    const auto* tensor = std::get_if<HostTensor>(&value.value);
    const bool isInteger = tensor != nullptr && value.plugin == "scalars" &&
                           tensor->dtype == DType::Int32 && tensor->bytes.size() == 4;
    return isInteger ? std::optional<float>(tensor->values<std::int32_t>().front()) : std::nullopt;
}

Content byReader(const std::string& path)
{
    Content content;
    auto reader = EventReader::open(path);
    auto event = reader->next();
    for (; event && *event; event = reader->next()) {
        for (const EventValue& value : (*event)->values) {
            if (const std::optional<float> number = numberOf(value)) {
                content.rows.push_back({value.tag, std::bit_cast<std::uint32_t>(*number),
                                        (*event)->step, (*event)->wallTime});
            }
        }
    }
    content.error = event ? "" : event.error().message();
    content.position = reader->position();
    return content;
}

Content byScanner(const std::string& path)
{
    Content content;
    ScalarTags tags;
    std::vector<ScalarPoint> points;
    auto scanner = ScalarEventScanner::open(path, tags);
    auto more = scanner->read(points, 1);
    while (more && *more) {
        more = scanner->read(points, points.size() + 1);
    }
    for (const ScalarPoint& point : points) {
        if (point.tag != ScalarPoint::kSessionStart) {
            content.rows.push_back({tags.name(point.tag), std::bit_cast<std::uint32_t>(point.value),
                                    point.step, point.wallTime});
        }
    }
    content.error = more ? "" : more.error().message();
    content.position = scanner->position();
    return content;
}

void writeFile(const std::string& path, std::string_view bytes)
{
    auto file = realFileSystem().create(path);
    static_cast<void>((*file)->append(bytes));
    static_cast<void>((*file)->close());
}

std::string record(std::string_view hex)
{
    return frameRecord(QByteArray::fromHex({hex.data(), qsizetype(hex.size())}).toStdString());
}

} // namespace

class TstScalarEventScanner : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void agreesWithTheReaderOnEveryGolden();
    void agreesWithTheReaderOnEveryBrokenRecord_data();
    void agreesWithTheReaderOnEveryBrokenRecord();
    void commonRecordsAgreeWithTheReaderHoweverTheyAreBroken();
    void numbersOfOtherTypesAreScalarsWhereThePluginSaysSo();
    void aTagsPluginHoldsForItsLaterValues();
    void sessionStartsAreTold();
    void stopsAtTheLimitAndGoesOn();
    void waitsForTheRestOfARecord();
};

void TstScalarEventScanner::agreesWithTheReaderOnEveryGolden()
{
    int files = 0;
    std::size_t rows = 0;
    QDirIterator paths(kGoldens, {"*tfevents*"}, QDir::Files, QDirIterator::Subdirectories);
    while (paths.hasNext()) {
        const std::string path = paths.next().toStdString();
        const Content content = byReader(path);
        QVERIFY2(byScanner(path) == content, path.c_str());
        rows += content.rows.size();
        ++files;
    }
    QVERIFY(files >= 5);
    QVERIFY(rows >= 10);
}

void TstScalarEventScanner::agreesWithTheReaderOnEveryBrokenRecord_data()
{
    QTest::addColumn<std::string>("file");
    QTest::newRow("TensorFlow 2") << kHparams;
    QTest::newRow("TensorFlow 1") << kOld;
}

/// Each bit of the first records, flipped, with recomputed checksums.
void TstScalarEventScanner::agreesWithTheReaderOnEveryBrokenRecord()
{
    QFETCH(std::string, file);
    const QTemporaryDir folder;
    const std::string path = folder.filePath("a").toStdString();
    auto records = RecordReader::open(file);
    VERIFY_OK(records);
    for (int i = 0; i < 4; ++i) {
        const auto payload = records->next();
        VERIFY_OK(payload);
        std::string bytes((*payload)->substr(0, 120));
        for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
            if (bit % 8 == 7 && bytes[bit / 8] >= ' ') {
                continue; // protobuf prints a line about each text that is not UTF-8
            }
            std::string broken = bytes;
            broken[bit / 8] = static_cast<char>(broken[bit / 8] ^ (1 << (bit % 8)));
            writeFile(path, frameRecord(broken));
            const Content expected = byReader(path);
            const Content actual = byScanner(path);
            // It does not inspect what it does not need.
            const bool isSkipped =
                !expected.error.empty() && actual.error.empty() && actual.rows.empty();
            const QString where = QStringLiteral("record %1, bit %2: %3")
                                      .arg(i)
                                      .arg(bit)
                                      .arg(QByteArray::fromStdString(broken).toHex());
            QVERIFY2(actual == expected || isSkipped, qPrintable(where));
        }
    }
}

/// Records that are read without the decoder: each bit flipped and each byte cut off, with valid
/// checksums and without.
void TstScalarEventScanner::commonRecordsAgreeWithTheReaderHoweverTheyAreBroken()
{
    const QTemporaryDir folder;
    const std::string path = folder.filePath("a").toStdString();
    const auto event = [](std::int64_t step, std::initializer_list<const char*> tags) {
        SummaryBuilder summary;
        for (const char* tag : tags) {
            summary.scalar(tag, 0.25F * static_cast<float>(step));
        }
        std::string bytes("\x09\x00\x00\x40\x40\xfc\x54\xd9\x41\x10", 10);
        bytes += static_cast<char>(step);
        bytes += '*';
        bytes += static_cast<char>(summary.serialized().size());
        return bytes + summary.serialized();
    };
    const std::string first = frameRecord(event(1, {"loss", "accuracy"}));
    const std::string common = event(2, {"loss", "accuracy"});
    const std::string last = frameRecord(event(3, {"accuracy"}));
    const auto agrees = [&](const std::string& bytes) {
        writeFile(path, bytes);
        const Content expected = byReader(path);
        return byScanner(path) == expected;
    };
    QVERIFY(agrees(first + frameRecord(common) + last));
    QCOMPARE(byScanner(path).rows.size(), std::size_t{5});
    const std::string whole = first + frameRecord(common) + last;
    for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
        std::string broken = whole;
        broken[bit / 8] = static_cast<char>(broken[bit / 8] ^ (1 << (bit % 8)));
        QVERIFY2(agrees(broken), qPrintable(QString::number(bit)));
    }
    for (std::size_t size = 0; size < whole.size(); ++size) {
        QVERIFY2(agrees(whole.substr(0, size)), qPrintable(QString::number(size)));
    }
    for (std::size_t bit = 0; bit < common.size() * 8; ++bit) {
        if (bit % 8 == 7 && common[bit / 8] >= ' ') {
            continue; // protobuf prints a line about each text that is not UTF-8
        }
        std::string broken = common;
        broken[bit / 8] = static_cast<char>(broken[bit / 8] ^ (1 << (bit % 8)));
        QVERIFY2(agrees(first + frameRecord(broken) + last), qPrintable(QString::number(bit)));
    }
    for (std::size_t size = 0; size < common.size(); ++size) {
        QVERIFY2(agrees(first + frameRecord(common.substr(0, size)) + last),
                 qPrintable(QString::number(size)));
    }
}

void TstScalarEventScanner::numbersOfOtherTypesAreScalarsWhereThePluginSaysSo()
{
    const QTemporaryDir folder;
    const std::string path = folder.filePath("a").toStdString();
    // Event { step 3, summary { value { tag "a", metadata scalars, tensor double 2.5 } } }, and the
    // same with an int64 7.
    const std::string metadata = "4a0b0a090a07"
                                 "7363616c617273";
    const std::string asDouble = "0a0161" + metadata +
                                 "420c08023208"
                                 "0000000000000440";
    const std::string asInteger = "0a0161" + metadata +
                                  "420508095201"
                                  "07";
    const auto event = [](const std::string& value) {
        const auto hex = [](std::size_t size) {
            return QByteArray(1, static_cast<char>(size)).toHex().toStdString();
        };
        const std::size_t size = value.size() / 2;
        return record("1003"
                      "2a" +
                      hex(size + 2) + "0a" + hex(size) + value);
    };
    writeFile(path, event(asDouble) + event(asInteger));
    const Content content = byScanner(path);
    QCOMPARE(content.error, std::string());
    QCOMPARE(content.rows.size(), std::size_t{2});
    QCOMPARE(std::bit_cast<float>(content.rows[0].bits), 2.5F);
    QCOMPARE(std::bit_cast<float>(content.rows[1].bits), 7.0F);
    QCOMPARE(content.rows[1].step, std::int64_t{3});
}

void TstScalarEventScanner::aTagsPluginHoldsForItsLaterValues()
{
    const QTemporaryDir folder;
    const std::string path = folder.filePath("a").toStdString();
    const std::string number = "4207"
                               "0801"
                               "2d"
                               "0000803f";
    const std::string text = "4a08"
                             "0a06"
                             "0a04"
                             "74657874";
    writeFile(path, record("2a180a160a0174" + text + number) + record("2a0e0a0c0a0174" + number) +
                        record("2a0e0a0c0a0175" + number));
    const Content content = byScanner(path);
    QCOMPARE(content.error, std::string());
    QVERIFY(content == byReader(path));
    QCOMPARE(content.rows.size(), std::size_t{1});
    QCOMPARE(content.rows[0].tag, std::string("u"));
}

void TstScalarEventScanner::sessionStartsAreTold()
{
    const QTemporaryDir folder;
    auto writer = EventWriter::create(folder.path().toStdString());
    VERIFY_OK(writer);
    VERIFY_OK(writer->writeSessionLog(12, SessionStatus::Start));
    VERIFY_OK(writer->writeSessionLog(13, SessionStatus::Checkpoint, "c"));
    VERIFY_OK(writer->close());
    ScalarTags tags;
    std::vector<ScalarPoint> points;
    auto scanner = ScalarEventScanner::open(writer->path(), tags);
    VERIFY_OK(scanner);
    QCOMPARE(*scanner->read(points, 10), false);
    QCOMPARE(points.size(), std::size_t{1});
    QCOMPARE(points[0].tag, ScalarPoint::kSessionStart);
    QCOMPARE(points[0].step, std::int64_t{12});
    QCOMPARE(tags.size(), std::size_t{0});
}

void TstScalarEventScanner::stopsAtTheLimitAndGoesOn()
{
    ScalarTags tags;
    std::vector<ScalarPoint> points;
    auto scanner = ScalarEventScanner::open(kOld, tags);
    QCOMPARE(*scanner->read(points, 2), true);
    QVERIFY(points.size() >= 2);
    auto later = ScalarEventScanner::open(kOld, tags, scanner->position());
    VERIFY_OK(later);
    QCOMPARE(*later->read(points, 1'000'000), false);
    QCOMPARE(points.size(), byReader(kOld).rows.size());
    QCOMPARE(later->position(), *fileSize(kOld));
    std::vector<ScalarPoint> few;
    auto first = ScalarEventScanner::open(kOld, tags);
    QCOMPARE(*first->read(few, 1'000'000, 1), true);
    QVERIFY(few.empty() && first->position() > 0);
}

void TstScalarEventScanner::waitsForTheRestOfARecord()
{
    const QTemporaryDir folder;
    const std::string path = folder.filePath("a").toStdString();
    const std::string bytes = *readWholeFile(kHparams);
    ScalarTags tags;
    std::vector<ScalarPoint> points;
    writeFile(path, "");
    auto scanner = ScalarEventScanner::open(path, tags);
    VERIFY_OK(scanner);
    auto file = realFileSystem().openForAppend(path);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        QCOMPARE(*scanner->read(points, 1000), false);
        QCOMPARE(scanner->hasPartialRecord(), scanner->position() < i);
        VERIFY_OK((*file)->append(std::string_view(bytes).substr(i, 1)));
        VERIFY_OK((*file)->flush());
    }
    QCOMPARE(*scanner->read(points, 1000), false);
    QCOMPARE(points.size(), byReader(kHparams).rows.size());
}

CANNERY_TEST(TstScalarEventScanner)
#include "tst_scalar_event_scanner.moc"
