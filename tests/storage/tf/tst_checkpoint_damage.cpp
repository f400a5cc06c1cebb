// SPDX-License-Identifier: Apache-2.0
#include "storage/io/atomic_write.h"
#include "storage/io/files.h"
#include "storage/tf/checkpoints/checkpoint_reader.h"
#include "storage/tf/checkpoints/object_graph.h"
#include "storage/tf/checkpoints/table_writer.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <map>

#include <QTemporaryDir>

using namespace cannery;
using namespace cannery::storage;

namespace {

const std::string kGoldens = CANNERY_SOURCE_DIR "/tests/golden/checkpoint";

using Contents = std::map<std::string, HostTensor>;

Result<Contents> readEverything(const std::string& prefix)
{
    CANNERY_TRY_ASSIGN(const CheckpointReader reader, CheckpointReader::open(prefix));
    Contents contents;
    for (const CheckpointEntry& entry : reader.entries()) {
        CANNERY_TRY_ASSIGN(contents[entry.name], reader.read(entry.name));
    }
    if (isObjectBased(reader)) {
        CANNERY_TRY(readObjectGraph(reader));
    }
    return contents;
}

/// As a new file: truncating an old one waits for the disk.
Result<void> overwrite(const std::string& path, std::string_view bytes)
{
    CANNERY_TRY(realFileSystem().removeFile(path));
    CANNERY_TRY_ASSIGN(const std::unique_ptr<WritableFile> file, realFileSystem().create(path));
    CANNERY_TRY(file->append(bytes));
    return file->close();
}

} // namespace

/// Any change of a file is either reported or does not affect what is read.
class TstCheckpointDamage : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyFlippedByteIsReported_data();
    void everyFlippedByteIsReported();
    void everyCutIsReported_data() { everyFlippedByteIsReported_data(); }
    void everyCutIsReported();
    void refusesHostileEntries_data();
    void refusesHostileEntries();
    void refusesBlocksOutsideTheFile();
};

void TstCheckpointDamage::everyFlippedByteIsReported_data()
{
    QTest::addColumn<std::string>("name");
    QTest::addColumn<std::string>("file");
    QTest::newRow("index") << std::string("all_dtypes/model.ckpt-7") << std::string(".index");
    QTest::newRow("data") << std::string("all_dtypes/model.ckpt-7")
                          << std::string(".data-00000-of-00001");
    QTest::newRow("partitioned") << std::string("partitioned/model.ckpt-7")
                                 << std::string(".index");
    QTest::newRow("object-based") << std::string("object_nested/ckpt-1") << std::string(".index");
}

void TstCheckpointDamage::everyFlippedByteIsReported()
{
    QFETCH(std::string, name);
    QFETCH(std::string, file);
    const QTemporaryDir folder;
    const std::string prefix = folder.filePath("a").toStdString();
    for (const char* suffix : {".index", ".data-00000-of-00001"}) {
        VERIFY_OK(copyFile(kGoldens + "/" + name + suffix, prefix + suffix));
    }
    const auto good = readEverything(prefix);
    VERIFY_OK(good);
    const std::string bytes = *readWholeFile(prefix + file);
    std::size_t unnoticed = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        std::string damaged = bytes;
        damaged[i] = static_cast<char>(damaged[i] ^ (i % 3 == 0 ? 0xff : 1 << i % 8));
        VERIFY_OK(overwrite(prefix + file, damaged));
        const auto read = readEverything(prefix);
        QVERIFY2(!read || *read == *good, qPrintable(QString("byte %1").arg(i)));
        unnoticed += read ? 1 : 0;
    }
    // Only the unused metaindex block and the padding of the footer may change undetected.
    QVERIFY(unnoticed <= (file == ".index" ? 60U : 0U));
}

void TstCheckpointDamage::everyCutIsReported()
{
    QFETCH(std::string, name);
    QFETCH(std::string, file);
    const QTemporaryDir folder;
    const std::string prefix = folder.filePath("a").toStdString();
    for (const char* suffix : {".index", ".data-00000-of-00001"}) {
        VERIFY_OK(copyFile(kGoldens + "/" + name + suffix, prefix + suffix));
    }
    const std::string bytes = *readWholeFile(prefix + file);
    QVERIFY(!bytes.empty());
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        VERIFY_OK(overwrite(prefix + file, std::string_view(bytes).substr(0, size)));
        const auto read = readEverything(prefix);
        QVERIFY2(!read, qPrintable(QString("cut at %1").arg(size)));
        QVERIFY(read.error().code == ErrorCode::DataLoss);
    }
}

void TstCheckpointDamage::refusesHostileEntries_data()
{
    QTest::addColumn<QByteArray>("entry");
    // dtype float (08 01), shape (12 …), offset (20), size (28)
    QTest::newRow("huge shape, huge size")
        << QByteArray::fromHex("0801 120e 120c 08ffffffffffffffff7f 28ffffffffffffffff7f");
    QTest::newRow("product overflows")
        << QByteArray::fromHex("0801 120e 1205 0880808010 1205 0880808010 2800");
    QTest::newRow("huge shape, small size")
        << QByteArray::fromHex("0801 1207 1205 0880808008 2804");
    QTest::newRow("size beyond the file")
        << QByteArray::fromHex("0801 1206 1204 08808040 2880808002");
    QTest::newRow("negative offset")
        << QByteArray::fromHex("0801 1200 20ffffffffffffffffff01 2804");
    QTest::newRow("negative dimension")
        << QByteArray::fromHex("0801 120d 120b 08ffffffffffffffffff01 2804");
    QTest::newRow("shard that is not there") << QByteArray::fromHex("0801 1200 1805 2804");
    QTest::newRow("many strings in few bytes")
        << QByteArray::fromHex("0807 1208 1206 08ffffffff0f 2804");
    QTest::newRow("huge partitioned tensor")
        << QByteArray::fromHex("0801 1208 1206 08ffffffff0f 3a04 0a02 0800");
}

void TstCheckpointDamage::refusesHostileEntries()
{
    QFETCH(QByteArray, entry);
    const QTemporaryDir folder;
    const std::string prefix = folder.filePath("a").toStdString();
    const std::vector<TableRow> rows{{"", "\x08\x01"}, {"x", entry.toStdString()}};
    VERIFY_OK(writeFileAtomically(prefix + ".index", writeTable(rows)));
    VERIFY_OK(writeFileAtomically(prefix + ".data-00000-of-00001", "0123456789"));
    const auto read = readEverything(prefix);
    QVERIFY(!read);
    QVERIFY(read.error().code == ErrorCode::DataLoss || read.error().code == ErrorCode::NotFound);
}

void TstCheckpointDamage::refusesBlocksOutsideTheFile()
{
    std::string bytes = writeTable(std::vector<TableRow>{{"a", "b"}});
    // The handle of the index block claims 2^63 bytes.
    const std::size_t footer = bytes.size() - 48;
    const char hostile[] = "\x00\x08\x00\xff\xff\xff\xff\xff\xff\xff\xff\x7f";
    bytes.replace(footer, sizeof(hostile) - 1, hostile, sizeof(hostile) - 1);
    VERIFY_ERROR(readTable(bytes, "test"), "tf.table_damaged");
}

CANNERY_TEST(TstCheckpointDamage)
#include "tst_checkpoint_damage.moc"
