// SPDX-License-Identifier: Apache-2.0
#include "core/features/encoded_dataset.h"
#include "storage/io/file_system.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <thread>
#include <tuple>

using namespace cannery;
using namespace cannery::features;

class TstEncodedDataset : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void givesBackItsRows_data();
    void givesBackItsRows();
    void rowsThatTheDiskLosesAreAnError_data();
    void rowsThatTheDiskLosesAreAnError();
    void gathersWithoutAllocating();
    void threadsGatherTheSameRows_data();
    void threadsGatherTheSameRows();
    void putsRowsOfOneIdIntoMemoryOfTheCaller_data();
    void putsRowsOfOneIdIntoMemoryOfTheCaller();
    void rowsOfOneLengthNeedNoOffsets();
    void countsRowsWithoutColumns();
    void saysWhenTheSpillFileCannotBeMade();
    void holdsNoMoreInMemoryThanIsAllowed_data();
    void holdsNoMoreInMemoryThanIsAllowed();
};

namespace {

InputLayout mixedLayout()
{
    InputLayout layout;
    layout.slots = {{SlotKind::Dense, "a", "a", 3, false, 0},
                    {SlotKind::Ids, "b", "b", 100, false, 0},
                    {SlotKind::Ids, "c", "c", 50, true, 1}};
    layout.labelWidth = 1;
    layout.weightWidth = 1;
    layout.hasExampleIds = true;
    return layout;
}

InputLayout layoutWithSequences()
{
    InputLayout layout = mixedLayout();
    layout.slots.push_back({SlotKind::Sequence, "d", "d", 2, false, 0});
    layout.slots.push_back({SlotKind::Sequence, "e", "e", 1, false, 1});
    return layout;
}

/// Rows whose numbers all follow from the row number.
EncodedRows makeRows(std::int64_t first, std::int64_t count)
{
    EncodedRows rows;
    rows.rowCount = count;
    rows.dense = {{3, {}}};
    rows.ids.resize(2);
    rows.ids[0].rowOffsets = {0};
    rows.ids[1].rowOffsets = {0};
    for (std::int64_t row = first; row < first + count; ++row) {
        for (int k = 0; k < 3; ++k) {
            rows.dense[0].values.push_back(static_cast<float>(row) + static_cast<float>(k) / 4);
        }
        for (std::int64_t i = 0; i < row % 4; ++i) {
            rows.ids[0].ids.push_back(static_cast<std::int32_t>((row + i) % 100 - 1));
        }
        for (std::int64_t i = 0; i < row % 3; ++i) {
            rows.ids[1].ids.push_back(static_cast<std::int32_t>((row * 7 + i) % 50));
            rows.ids[1].weights.push_back(static_cast<float>(row) / 8);
        }
        for (IdBlock& block : rows.ids) {
            block.rowOffsets.push_back(static_cast<std::int64_t>(block.ids.size()));
        }
        rows.labels.push_back(static_cast<float>(row % 2));
        rows.weights.push_back(static_cast<float>(row));
        rows.exampleIds.push_back(fingerprint128(std::to_string(row)));
    }
    return rows;
}

/// The same rows with a number of steps that follows from the row number.
EncodedRows withSteps(EncodedRows rows, std::int64_t first)
{
    for (const std::int64_t width : {2, 1}) {
        SequenceBlock& block = rows.sequences.emplace_back();
        block.width = width;
        block.rowOffsets = {0};
        for (std::int64_t row = first; row < first + rows.rowCount; ++row) {
            for (std::int64_t i = 0; i < row % 5 * width; ++i) {
                block.values.push_back(static_cast<float>(row) + static_cast<float>(i) / 8);
            }
            block.rowOffsets.push_back(block.rowOffsets.back() + row % 5);
        }
    }
    return rows;
}

EncodedRows makeRows(std::int64_t first, std::int64_t count, bool hasSteps)
{
    EncodedRows rows = makeRows(first, count);
    return hasSteps ? withSteps(std::move(rows), first) : rows;
}

/// The same rows with one id in every column.
EncodedRows withOneIdEach(EncodedRows rows)
{
    for (IdBlock& block : rows.ids) {
        const bool isWeighted = !block.weights.empty();
        block = {};
        for (std::int64_t row = 0; row < rows.rowCount; ++row) {
            block.rowOffsets.push_back(row);
            block.ids.push_back(static_cast<std::int32_t>(row * 13 % 50));
            if (isWeighted) {
                block.weights.push_back(static_cast<float>(row) / 8);
            }
        }
        block.rowOffsets.push_back(rows.rowCount);
    }
    return rows;
}

bool areSame(const EncodedRows& a, const EncodedRows& b)
{
    bool same = a.rowCount == b.rowCount && a.labels == b.labels && a.weights == b.weights &&
                a.exampleIds == b.exampleIds && a.dense.size() == b.dense.size() &&
                a.ids.size() == b.ids.size() && a.sequences.size() == b.sequences.size();
    for (std::size_t i = 0; same && i < a.dense.size(); ++i) {
        same = a.dense[i].width == b.dense[i].width && a.dense[i].values == b.dense[i].values;
    }
    for (std::size_t i = 0; same && i < a.ids.size(); ++i) {
        same = a.ids[i].rowOffsets == b.ids[i].rowOffsets && a.ids[i].ids == b.ids[i].ids &&
               a.ids[i].weights == b.ids[i].weights;
    }
    for (std::size_t i = 0; same && i < a.sequences.size(); ++i) {
        same = a.sequences[i].width == b.sequences[i].width &&
               a.sequences[i].rowOffsets == b.sequences[i].rowOffsets &&
               a.sequences[i].values == b.sequences[i].values;
    }
    return same;
}

/// A thread for each block, the last one first.
RunBlocks inThreads()
{
    return [](std::int64_t count, const auto& block) {
        std::vector<std::jthread> threads;
        for (std::int64_t index = count; index-- > 0;) {
            threads.emplace_back([&block, index] { block(index); });
        }
    };
}

Result<void> fill(EncodedDataset& dataset, std::int64_t rows, bool hasSteps = false)
{
    std::int64_t chunk = 1;
    for (std::int64_t row = 0; row < rows; row += chunk, chunk = (chunk * 3) % 5000 + 1) {
        CANNERY_TRY(dataset.append(makeRows(row, std::min(chunk, rows - row), hasSteps)));
        chunk = std::min(chunk, rows - row);
    }
    return {};
}

} // namespace

void TstEncodedDataset::givesBackItsRows_data()
{
    QTest::addColumn<quint64>("memoryLimit");
    QTest::addColumn<quint64>("mapLimit");
    QTest::addColumn<bool>("isInFile");
    QTest::addColumn<bool>("hasSteps");
    for (const bool steps : {false, true}) {
        const char* kind = steps ? " with sequences" : "";
        QTest::addRow("memory%s", kind) << (quint64{1} << 30) << quint64{0} << false << steps;
        QTest::addRow("mapped%s", kind)
            << (quint64{1} << 20) << (quint64{1} << 30) << true << steps;
        QTest::addRow("half mapped%s", kind)
            << (quint64{1} << 20) << (quint64{1} << 20) << true << steps;
        QTest::addRow("read%s", kind) << (quint64{1} << 20) << quint64{0} << true << steps;
    }
}

void TstEncodedDataset::givesBackItsRows()
{
    QFETCH(quint64, memoryLimit);
    QFETCH(quint64, mapLimit);
    QFETCH(bool, isInFile);
    QFETCH(bool, hasSteps);
    constexpr std::int64_t kRows = 60000;
    const QTemporaryDir folder;
    EncodedDataset dataset(hasSteps ? layoutWithSequences() : mixedLayout(),
                           {memoryLimit, folder.path().toStdString(), mapLimit});
    VERIFY_OK(fill(dataset, kRows, hasSteps));
    QCOMPARE(dataset.rowCount(), kRows);
    QCOMPARE(dataset.isSpilled(), isInFile);
    const auto kind = QDir::Files | QDir::Hidden;
    QVERIFY2(QDir(folder.path()).entryList(kind).isEmpty(), "the spill file has no name");

    EncodedRows out;
    VERIFY_OK(dataset.gatherRange(0, kRows, out));
    QVERIFY(areSame(out, makeRows(0, kRows, hasSteps)));
    for (const std::int64_t row : {std::int64_t{0}, std::int64_t{16383}, std::int64_t{16384},
                                   std::int64_t{40001}, kRows - 1}) {
        const std::vector<std::int64_t> rows{row};
        VERIFY_OK(dataset.gather(rows, out));
        QVERIFY(areSame(out, makeRows(row, 1, hasSteps)));
    }
    const std::vector<std::int64_t> twice{7, 59999, 7};
    VERIFY_OK(dataset.gather(twice, out));
    QCOMPARE(out.labels, (std::vector<float>{1, 1, 1}));
    QCOMPARE(out.weights, (std::vector<float>{7, 59999, 7}));
    VERIFY_OK(dataset.gather({}, out));
    QCOMPARE(out.rowCount, std::int64_t{0});
}

void TstEncodedDataset::rowsThatTheDiskLosesAreAnError_data()
{
    QTest::addColumn<quint64>("mapLimit");
    QTest::newRow("mapped") << (quint64{1} << 30);
    QTest::newRow("read") << quint64{0};
}

/// Truncated while in use by the dataset, as a failing disk might do.
void TstEncodedDataset::rowsThatTheDiskLosesAreAnError()
{
    QFETCH(quint64, mapLimit);
    constexpr std::int64_t kRows = 60000;
    const QTemporaryDir folder;
    EncodedDataset dataset(mixedLayout(),
                           {quint64{1} << 20, folder.path().toStdString(), mapLimit});
    VERIFY_OK(fill(dataset, kRows));
    int cut = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        std::error_code failure;
        const std::string target = std::filesystem::read_symlink(entry, failure).string();
        if (target.starts_with(folder.path().toStdString())) {
            std::filesystem::resize_file(entry.path(), 0, failure);
            ++cut;
        }
    }
    QVERIFY(cut > 0);
    EncodedRows out;
    const auto gathered = dataset.gatherRange(0, kRows, out);
    VERIFY_ERROR(gathered, "io.system");
    QVERIFY2(gathered.error().message().find("cannery-rows") != std::string::npos,
             gathered.error().message().c_str());
}

void TstEncodedDataset::gathersWithoutAllocating()
{
    EncodedDataset dataset(layoutWithSequences(), {});
    VERIFY_OK(fill(dataset, 5000, true));
    EncodedRows out;
    const std::vector<std::int64_t> rows{3, 7, 11, 3001};
    VERIFY_OK(dataset.gather(rows, out));
    const float* dense = out.dense[0].values.data();
    const std::int32_t* ids = out.ids[0].ids.data();
    const float* weights = out.ids[1].weights.data();
    const float* steps = out.sequences[0].values.data();
    VERIFY_OK(dataset.gather(rows, out));
    QCOMPARE(out.dense[0].values.data(), dense);
    QCOMPARE(out.ids[0].ids.data(), ids);
    QCOMPARE(out.ids[1].weights.data(), weights);
    QCOMPARE(out.sequences[0].values.data(), steps);
}

void TstEncodedDataset::threadsGatherTheSameRows_data()
{
    QTest::addColumn<quint64>("memoryLimit");
    QTest::addColumn<quint64>("mapLimit");
    QTest::addColumn<bool>("hasOneIdEach");
    QTest::addColumn<bool>("hasSteps");
    for (const auto& [kind, one, steps] :
         {std::tuple("some ids", false, false), std::tuple("one id", true, false),
          std::tuple("sequences", false, true)}) {
        QTest::addRow("%s, memory", kind) << (quint64{1} << 30) << quint64{0} << one << steps;
        QTest::addRow("%s, half mapped", kind)
            << (quint64{1} << 20) << (quint64{1} << 20) << one << steps;
        QTest::addRow("%s, read", kind) << (quint64{1} << 20) << quint64{0} << one << steps;
    }
}

void TstEncodedDataset::threadsGatherTheSameRows()
{
    QFETCH(quint64, memoryLimit);
    QFETCH(quint64, mapLimit);
    QFETCH(bool, hasOneIdEach);
    QFETCH(bool, hasSteps);
    constexpr std::int64_t kRows = 60000;
    const QTemporaryDir folder;
    EncodedDataset dataset(hasSteps ? layoutWithSequences() : mixedLayout(),
                           {memoryLimit, folder.path().toStdString(), mapLimit});
    if (hasOneIdEach) {
        VERIFY_OK(dataset.append(withOneIdEach(makeRows(0, kRows))));
    } else {
        VERIFY_OK(fill(dataset, kRows, hasSteps));
    }
    const RunBlocks runBlocks = inThreads();
    EncodedRows alone;
    EncodedRows together;
    // The rows after the last full segment are gathered too, by the last of the batches.
    for (const std::int64_t batch : {2000, 3001, 1, 2500}) {
        const std::int64_t limit = batch == 2500 ? kRows : 49152;
        std::vector<std::int64_t> rows;
        for (std::int64_t i = 0; i < batch; ++i) {
            rows.push_back(i * 7919 % limit);
        }
        VERIFY_OK(dataset.gather(rows, alone));
        VERIFY_OK(dataset.gather(rows, together, runBlocks));
        QVERIFY(areSame(alone, together));
        QCOMPARE(BatchGathering(dataset, rows, together).blockCount() > 0, hasOneIdEach);
    }
}

void TstEncodedDataset::putsRowsOfOneIdIntoMemoryOfTheCaller_data()
{
    QTest::addColumn<quint64>("memoryLimit");
    QTest::addColumn<quint64>("mapLimit");
    QTest::newRow("memory") << (quint64{1} << 30) << quint64{0};
    QTest::newRow("half mapped") << (quint64{1} << 20) << (quint64{1} << 20);
    QTest::newRow("read") << (quint64{1} << 20) << quint64{0};
}

/// Those of full segments and of the last one; without the second block of ids, and without
/// weights.
void TstEncodedDataset::putsRowsOfOneIdIntoMemoryOfTheCaller()
{
    QFETCH(quint64, memoryLimit);
    QFETCH(quint64, mapLimit);
    constexpr std::int64_t kRows = 60000;
    constexpr std::size_t kBatch = 500;
    const QTemporaryDir folder;
    EncodedDataset dataset(mixedLayout(), {memoryLimit, folder.path().toStdString(), mapLimit});
    VERIFY_OK(dataset.append(withOneIdEach(makeRows(0, kRows))));
    QVERIFY(!dataset.hasWeightedIds(0) && dataset.hasWeightedIds(1));
    std::vector<std::int64_t> rows;
    for (std::size_t i = 0; i < kBatch; ++i) {
        rows.push_back(static_cast<std::int64_t>(i) * 7919 % kRows);
    }
    rows.back() = kRows - 1;
    EncodedRows expected;
    VERIFY_OK(dataset.gather(rows, expected));
    QVERIFY(dataset.hasPlacesFor(rows));
    std::vector<float> dense(3 * kBatch);
    std::vector<std::int64_t> rowOffsets(kBatch + 1, -1);
    std::vector<std::int32_t> ids(kBatch);
    std::vector<float> ones(kBatch);
    std::vector<float> labels(kBatch);
    BatchPlaces places{.dense = {dense.data()},
                       .ids = {{rowOffsets.data(), ids.data(), ones.data()}},
                       .labels = labels.data()};
    VERIFY_OK(dataset.gatherTo(places, rows));
    QCOMPARE(dense, expected.dense[0].values);
    QCOMPARE(rowOffsets, expected.ids[0].rowOffsets);
    QCOMPARE(ids, expected.ids[0].ids);
    QCOMPARE(ones, std::vector<float>(kBatch, 1.0F));
    QCOMPARE(labels, expected.labels);
    std::vector<float> weights(kBatch);
    std::vector<float> weightsOfIds(kBatch);
    places = {.ids = {{}, {nullptr, ids.data(), weightsOfIds.data()}}, .weights = weights.data()};
    VERIFY_OK(dataset.gatherTo(places, rows, inThreads()));
    QCOMPARE(ids, expected.ids[1].ids);
    QCOMPARE(weightsOfIds, expected.ids[1].weights);
    QCOMPARE(weights, expected.weights);
    VERIFY_OK(dataset.append(makeRows(kRows, 4)));
    QVERIFY(!dataset.hasPlacesFor(rows));
}

void TstEncodedDataset::rowsOfOneLengthNeedNoOffsets()
{
    InputLayout layout;
    layout.slots = {{SlotKind::Dense, "a", "a", 2, false, 0}};
    EncodedDataset dataset(layout, {});
    EncodedRows rows;
    rows.rowCount = 40000;
    rows.dense = {{2, std::vector<float>(80000, 1.5F)}};
    VERIFY_OK(dataset.append(rows));
    QCOMPARE(dataset.byteCount(), std::uint64_t{80000 * 4});
    EncodedRows out;
    VERIFY_OK(dataset.gatherRange(39999, 1, out));
    QCOMPARE(out.dense[0].values, (std::vector<float>{1.5F, 1.5F}));
    QVERIFY(out.labels.empty());
}

/// What a baseline reads from a table without labels.
void TstEncodedDataset::countsRowsWithoutColumns()
{
    EncodedDataset dataset(InputLayout{}, {});
    constexpr std::int64_t kRows = 20000;
    EncodedRows rows;
    rows.rowCount = kRows;
    VERIFY_OK(dataset.append(rows));
    QCOMPARE(dataset.rowCount(), kRows);
    EncodedRows out;
    VERIFY_OK(dataset.gatherRange(kRows - 70, 70, out));
    QCOMPARE(out.rowCount, std::int64_t{70});
    QVERIFY(out.dense.empty() && out.ids.empty() && out.labels.empty());
}

void TstEncodedDataset::saysWhenTheSpillFileCannotBeMade()
{
    EncodedDataset dataset(mixedLayout(), {1 << 20, "/nowhere/at/all"});
    const auto filled = fill(dataset, 60000);
    VERIFY_ERROR(filled, "features.spill");
    QVERIFY(filled.error().message().find("/nowhere/at/all") != std::string::npos);
}

void TstEncodedDataset::holdsNoMoreInMemoryThanIsAllowed_data()
{
    QTest::addColumn<bool>("hasOneIdEach");
    QTest::newRow("some ids") << false;
    QTest::newRow("one id") << true;
}

/// Far fewer rows than are written at once if much memory is allowed.
void TstEncodedDataset::holdsNoMoreInMemoryThanIsAllowed()
{
    QFETCH(bool, hasOneIdEach);
    constexpr std::uint64_t kLimit = std::uint64_t{1} << 19;
    constexpr std::int64_t kRows = 15000;
    const QTemporaryDir folder;
    EncodedDataset dataset(mixedLayout(), {kLimit, folder.path().toStdString()});
    for (std::int64_t row = 0; row < kRows; row += 100) {
        const EncodedRows rows = makeRows(row, 100);
        VERIFY_OK(dataset.append(hasOneIdEach ? withOneIdEach(rows) : rows));
        QVERIFY(dataset.isSpilled() || dataset.byteCount() <= kLimit);
    }
    QVERIFY(dataset.isSpilled());
    EncodedRows out;
    VERIFY_OK(dataset.gatherRange(kRows - 100, 100, out));
    const EncodedRows last = makeRows(kRows - 100, 100);
    QVERIFY(areSame(out, hasOneIdEach ? withOneIdEach(last) : last));
}

CANNERY_TEST(TstEncodedDataset)
#include "tst_encoded_dataset.moc"
