// SPDX-License-Identifier: Apache-2.0
#include "storage/io/files.h"
#include "storage/tf/checkpoints/checkpoint_reader.h"
#include "storage/tf/checkpoints/checkpoint_writer.h"
#include "storage/tf/checkpoints/table_writer.h"
#include "storage/tf/checkpoints/tensor_slice.h"
#include "tests/storage/io/faulty_file_system.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>

using namespace cannery;
using namespace cannery::storage;
using cannery::tests::FaultyFileSystem;

namespace {

const std::vector<float> kBias{0.5F, -0.5F};
const std::vector<float> kKernel{1, 2, 3, 4};

Result<std::uint64_t> writeSmall(const std::string& prefix, FileSystem& system = realFileSystem())
{
    const HostTensor step = HostTensor::scalar(std::int64_t{7});
    const HostTensor vocabulary = HostTensor::ofStrings({"ab", "c"});
    const std::vector<NamedTensor> tensors{
        {"vocab", vocabulary},
        {"dense/kernel", TensorView::of(std::span(kKernel), {2, 2})},
        {"dense/bias", TensorView::of(std::span(kBias), {2})},
        {"global_step", step},
    };
    return writeCheckpoint(prefix, tensors, system);
}

} // namespace

class TstCheckpoint : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void bytesAreThoseOfTensorFlow();
    void readsIntoTheCallersMemory();
    void refusesAnotherShapeOrType();
    void refusesNamesGivenTwice();
    void fullDiskLeavesTheOldCheckpoint();
    void manyBlocksComeBack();
    void removesAllFilesOfACheckpoint();
    void saysThatThereIsNone();
    void sliceKeysAreInOrderedCode();
    void slicesAreCopiedRunByRun();
};

void TstCheckpoint::bytesAreThoseOfTensorFlow()
{
    const QTemporaryDir folder;
    const std::string prefix = folder.filePath("model.ckpt-7").toStdString();
    VERIFY_OK(writeSmall(prefix));
    const QByteArray data =
        QByteArray::fromHex("0000003f000000bf0000803f0000004000004040000080400700000000000000020103"
                            "717c67616263");
    const QByteArray index = QByteArray::fromHex(
        "00000608011a020801000a0f64656e73652f626961730801120412020802280835421ef0fc0606156b65"
        "726e656c08011208120208021202080220082810354c289874000b0d676c6f62616c5f73746570080912"
        "002018280835bbd79f11000511766f63616208071204120208022020280935d530d85f00000000010000"
        "00001db90bd3000000000100000000c0f2a1b000010277007f0000000001000000002814957084010891"
        "010e0000000000000000000000000000000000000000000000000000000000000000000057fb808b2475"
        "47db");
    QVERIFY(*readWholeFile(prefix + ".data-00000-of-00001") == data.toStdString());
    QVERIFY(*readWholeFile(prefix + ".index") == index.toStdString());
}

void TstCheckpoint::readsIntoTheCallersMemory()
{
    const QTemporaryDir folder;
    const std::string prefix = folder.filePath("a").toStdString();
    const auto written = writeSmall(prefix);
    VERIFY_OK(written);
    const auto reader = CheckpointReader::open(prefix);
    VERIFY_OK(reader);
    std::uint64_t bytes = 0;
    for (const std::string& file : reader->files()) {
        bytes += fileSize(file).value();
    }
    QCOMPARE(*written, bytes);
    std::vector<float> values(4);
    VERIFY_OK(reader->readInto("dense/kernel", DType::Float32, {2, 2},
                               std::as_writable_bytes(std::span(values))));
    QCOMPARE(values, kKernel);
    QCOMPARE(*reader->readInt64("global_step"), std::int64_t{7});
    QCOMPARE(reader->read("vocab")->strings, (std::vector<std::string>{"ab", "c"}));
}

void TstCheckpoint::refusesAnotherShapeOrType()
{
    const QTemporaryDir folder;
    const std::string prefix = folder.filePath("a").toStdString();
    VERIFY_OK(writeSmall(prefix));
    const auto reader = CheckpointReader::open(prefix);
    std::vector<float> values(4);
    const auto bytes = std::as_writable_bytes(std::span(values));
    VERIFY_ERROR(reader->readInto("dense/kernel", DType::Float32, {4}, bytes),
                 "checkpoint.mismatch");
    VERIFY_ERROR(reader->readInto("dense/kernel", DType::Int32, {2, 2}, bytes),
                 "checkpoint.mismatch");
    VERIFY_ERROR(reader->readInto("kernel", DType::Float32, {4}, bytes), "checkpoint.no_tensor");
    VERIFY_ERROR(reader->read(""), "checkpoint.no_tensor");
}

void TstCheckpoint::refusesNamesGivenTwice()
{
    const QTemporaryDir folder;
    const HostTensor tensor = HostTensor::scalar(1.0F);
    const std::string prefix = folder.filePath("a").toStdString();
    VERIFY_ERROR(writeCheckpoint(prefix, std::vector<NamedTensor>{{"a", tensor}, {"a", tensor}}),
                 "checkpoint.bad_name");
    VERIFY_ERROR(writeCheckpoint(prefix, std::vector<NamedTensor>{{"", tensor}}),
                 "checkpoint.bad_name");
    QVERIFY(listFolder(folder.path().toStdString())->empty());
}

void TstCheckpoint::fullDiskLeavesTheOldCheckpoint()
{
    const QTemporaryDir folder;
    const std::string prefix = folder.filePath("a").toStdString();
    const HostTensor old = HostTensor::scalar(1.0F);
    FaultyFileSystem counter;
    VERIFY_OK(writeSmall(prefix, counter));
    const auto& calls = counter.calls();
    const auto firstRename = std::find_if(calls.begin(), calls.end(), [](const std::string& call) {
        return call.rfind("rename", 0) == 0;
    });
    QVERIFY(firstRename != calls.end());
    for (int failFrom = 1; failFrom <= firstRename - calls.begin() + 1; ++failFrom) {
        VERIFY_OK(writeCheckpoint(prefix, std::vector<NamedTensor>{{"old", old}}));
        FaultyFileSystem full(failFrom);
        const auto written = writeSmall(prefix, full);
        VERIFY_ERROR(written, "io.system");
        const auto reader = CheckpointReader::open(prefix);
        VERIFY_OK(reader);
        QVERIFY(*reader->read("old") == old);
        QCOMPARE(listFolder(folder.path().toStdString())->size(), std::size_t{2});
    }
}

void TstCheckpoint::manyBlocksComeBack()
{
    std::vector<TableRow> rows;
    for (int i = 0; i < 2000; ++i) {
        rows.push_back({QString::asprintf("key %06d", i).toStdString(),
                        std::string(static_cast<std::size_t>(i % 700), 'v')});
    }
    const auto back = readTable(writeTable(rows), "test");
    VERIFY_OK(back);
    QVERIFY(*back == rows);
    QVERIFY(readTable(writeTable({}), "test")->empty());
}

void TstCheckpoint::removesAllFilesOfACheckpoint()
{
    const QTemporaryDir folder;
    const std::string prefix = folder.filePath("a-1").toStdString();
    const std::string other = folder.filePath("a-10").toStdString();
    VERIFY_OK(writeSmall(prefix));
    VERIFY_OK(writeSmall(other));
    VERIFY_OK(removeCheckpoint(prefix));
    VERIFY_OK(removeCheckpoint(prefix));
    QVERIFY(!checkpointExists(prefix));
    QCOMPARE(listFolder(folder.path().toStdString())->size(), std::size_t{2});
    VERIFY_OK(CheckpointReader::open(other)->read("vocab"));
}

void TstCheckpoint::saysThatThereIsNone()
{
    const auto reader = CheckpointReader::open("/no/such/checkpoint");
    VERIFY_ERROR(reader, "io.system");
    QVERIFY(reader.error().code == ErrorCode::NotFound);
}

void TstCheckpoint::sliceKeysAreInOrderedCode()
{
    // From shared/reference/formats.md 3.6.
    QCOMPARE(
        QByteArray::fromStdString(storage::detail::sliceKey("emb", {{50, 50}, {0, 8}})).toHex(),
        QByteArray("00656d6200010102b2b28088"));
    const std::vector<std::pair<std::int64_t, const char*>> numbers{
        {0, "80"},      {1, "81"},        {-1, "7f"},         {63, "bf"},
        {64, "c040"},   {-64, "40"},      {-65, "3fbf"},      {100, "c064"},
        {8191, "dfff"}, {8192, "e02000"}, {1000000, "ef4240"}};
    for (const auto& [number, code] : numbers) {
        const std::string key = storage::detail::sliceKey("", {{number, -1}});
        QCOMPARE(QByteArray::fromStdString(key).toHex(),
                 QByteArray("0000010101") + QByteArray(code) + QByteArray("7f"));
    }
}

void TstCheckpoint::slicesAreCopiedRunByRun()
{
    std::vector<std::array<std::int64_t, 3>> runs;
    const auto note = [&](std::int64_t from, std::int64_t to, std::int64_t count) {
        runs.push_back({from, to, count});
    };
    storage::detail::forEachRun(Shape{3, 4, 5}, {{1, 2}, {0, 4}, {2, 3}}, note);
    QCOMPARE(runs.size(), std::size_t{8});
    QCOMPARE(runs[0], (std::array<std::int64_t, 3>{0, 22, 3}));
    QCOMPARE(runs[5], (std::array<std::int64_t, 3>{15, 47, 3}));
    runs.clear();
    storage::detail::forEachRun(Shape{}, {}, note);
    QCOMPARE(runs, (std::vector<std::array<std::int64_t, 3>>{{0, 0, 1}}));
}

CANNERY_TEST(TstCheckpoint)
#include "tst_checkpoint.moc"
