// SPDX-License-Identifier: Apache-2.0
#include "storage/io/atomic_write.h"
#include "storage/io/coding.h"
#include "storage/io/crc32c.h"
#include "storage/io/files.h"
#include "storage/tf/record_file.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <nlohmann/json.hpp>

#include <QCryptographicHash>
#include <QTemporaryDir>

using namespace cannery;
using namespace cannery::storage;
using nlohmann::json;

namespace {

const std::string kRecordGoldens = CANNERY_SOURCE_DIR "/tests/golden/tfrecord/";

Result<std::vector<std::string>> readAll(const std::string& path)
{
    CANNERY_TRY_ASSIGN(RecordReader reader, RecordReader::open(path));
    std::vector<std::string> records;
    for (;;) {
        CANNERY_TRY_ASSIGN(const auto record, reader.next());
        if (!record) {
            return records;
        }
        records.emplace_back(*record);
    }
}

bool isExpected(const std::string& record, const json& about)
{
    const QByteArray bytes = QByteArray::fromStdString(record);
    if (about.is_string()) {
        return bytes.toBase64().toStdString() == about.get<std::string>();
    }
    return QCryptographicHash::hash(bytes, QCryptographicHash::Sha256).toHex().toStdString() ==
           about["sha256"].get<std::string>();
}

} // namespace

class TstRecordFile : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void recordsOfTensorFlowComeBack_data();
    void recordsOfTensorFlowComeBack();
    void plainFilesAreTensorFlowsByteForByte();
    void framesHaveMaskedChecksums();
    void everyFlippedByteIsReported();
    void everyCutIsReportedOrEndsAtARecord();
    void lengthsAreNotBelieved();
    void appendsToAFile();
};

void TstRecordFile::recordsOfTensorFlowComeBack_data()
{
    QTest::addColumn<std::string>("file");
    for (const char* stem : {"example", "sequence_example", "raw"}) {
        for (const char* suffix : {".tfrecord", ".tfrecord.gz", ".tfrecord.z"}) {
            const std::string file = std::string(stem) + suffix;
            QTest::newRow(file.c_str()) << file;
        }
    }
}

void TstRecordFile::recordsOfTensorFlowComeBack()
{
    QFETCH(std::string, file);
    const json manifest =
        json::parse(*readWholeFile(kRecordGoldens + "manifest.json"), nullptr, false);
    const json expected = manifest[file]["records"];
    const auto records = readAll(kRecordGoldens + file);
    VERIFY_OK(records);
    QCOMPARE(records->size(), expected.size());
    for (std::size_t i = 0; i < records->size(); ++i) {
        QVERIFY(isExpected((*records)[i], expected[i]));
    }
    // Compressed and plain again: the same records are read back.
    const QTemporaryDir folder;
    const std::string copy = folder.filePath("copy").toStdString();
    for (const Compression compression :
         {Compression::None, Compression::Gzip, Compression::Zlib}) {
        auto writer = RecordWriter::create(copy, compression);
        VERIFY_OK(writer);
        for (const std::string& record : *records) {
            VERIFY_OK(writer->write(record));
        }
        VERIFY_OK(writer->close());
        QVERIFY(*readAll(copy) == *records);
    }
}

void TstRecordFile::plainFilesAreTensorFlowsByteForByte()
{
    std::string bytes;
    const auto records = readAll(kRecordGoldens + "raw.tfrecord.gz");
    for (const std::string& record : *records) {
        bytes += frameRecord(record);
    }
    QVERIFY(bytes == *readWholeFile(kRecordGoldens + "raw.tfrecord"));
}

void TstRecordFile::framesHaveMaskedChecksums()
{
    QCOMPARE(QByteArray::fromStdString(frameRecord("")).toHex(),
             QByteArray("000000000000000029039807d8ea82a2"));
    QCOMPARE(QByteArray::fromStdString(frameRecord("hello")).toHex(),
             QByteArray("0500000000000000eab2043e68656c6c6fbb1f1c19"));
}

void TstRecordFile::everyFlippedByteIsReported()
{
    const QTemporaryDir folder;
    const std::string bytes = *readWholeFile(kRecordGoldens + "sequence_example.tfrecord");
    QVERIFY(bytes.size() > 50);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        const std::string path = folder.filePath(QString::number(i)).toStdString();
        std::string damaged = bytes;
        damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
        auto file = realFileSystem().create(path);
        VERIFY_OK((*file)->append(damaged));
        VERIFY_OK((*file)->close());
        auto reader = RecordReader::open(path, Compression::None);
        VERIFY_OK(reader);
        auto record = reader->next();
        while (record && *record) {
            record = reader->next();
        }
        VERIFY_ERROR(record, "tfrecord.damaged");
    }
}

void TstRecordFile::everyCutIsReportedOrEndsAtARecord()
{
    const QTemporaryDir folder;
    const std::string bytes = *readWholeFile(kRecordGoldens + "sequence_example.tfrecord");
    const auto whole = readAll(kRecordGoldens + "sequence_example.tfrecord");
    std::size_t boundary = 0;
    std::size_t record = 0;
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        const std::string path = folder.filePath(QString::number(size)).toStdString();
        auto file = realFileSystem().create(path);
        VERIFY_OK((*file)->append(std::string_view(bytes).substr(0, size)));
        VERIFY_OK((*file)->close());
        const auto records = readAll(path);
        if (size == boundary) {
            VERIFY_OK(records);
            QCOMPARE(records->size(), record);
            boundary += (*whole)[record++].size() + 16;
        } else {
            VERIFY_ERROR(records, "tfrecord.breaks_off");
        }
    }
}

void TstRecordFile::lengthsAreNotBelieved()
{
    const QTemporaryDir folder;
    const std::string path = folder.filePath("a").toStdString();
    // A length of 2^60 with a valid checksum.
    std::string bytes;
    putFixed(bytes, std::uint64_t{1} << 60);
    putFixed(bytes, maskCrc(crc32c(bytes)));
    VERIFY_OK(writeFileAtomically(path, bytes + "abc"));
    VERIFY_ERROR(readAll(path), "tfrecord.too_long");
    bytes.clear();
    putFixed(bytes, kMaxRecordBytes);
    putFixed(bytes, maskCrc(crc32c(bytes)));
    VERIFY_OK(writeFileAtomically(path, bytes + "abc"));
    VERIFY_ERROR(readAll(path), "tfrecord.breaks_off");
}

void TstRecordFile::appendsToAFile()
{
    const QTemporaryDir folder;
    const std::string path = folder.filePath("a").toStdString();
    for (const char* record : {"one", "two"}) {
        auto writer = RecordWriter::append(path);
        VERIFY_OK(writer);
        VERIFY_OK(writer->write(record));
        VERIFY_OK(writer->flush());
        QCOMPARE(writer->position(), *fileSize(path));
    }
    QCOMPARE(*readAll(path), (std::vector<std::string>{"one", "two"}));
}

CANNERY_TEST(TstRecordFile)
#include "tst_record_file.moc"
