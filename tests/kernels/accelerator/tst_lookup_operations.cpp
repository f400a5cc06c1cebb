// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/sparse_combine.h"
#include "tests/kernels/accelerator/device_sparse.h"
#include "tests/kernels/id_batch.h"
#include "tests/support/test_main.h"

using namespace cannery::kernels;
using namespace cannery::tests;

/// Lookups by ids and their gradients on a device against the reference kernels.
class TstLookupOperations : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { SKIP_WITHOUT_TEST_DEVICE(); }
    void lookupsAgreeWithTheReference_data();
    void lookupsAgreeWithTheReference();
    void gradientsAgreeWithTheReference_data() { lookupsAgreeWithTheReference_data(); }
    void gradientsAgreeWithTheReference();
    void rowsWithManyEntriesAreSummedByBlocks();
    void gradientsHaveTheSameBitsTwice();
    void rowZeroIsThereWhenARowIsEmpty();
    void noEntriesGiveNoRows();
    void aBatchMayBeginInsideAColumn();
    void aLaterBatchWithFewerRowsForgetsTheRest();
    void gradientsAreFiniteDifferences();
    void nonFiniteGradientsReachOnlyTheirRows();

private:
    ThreadPool m_pool;
};

namespace {

struct Batch : IdBatch
{
    using IdBatch::IdBatch;

    /// There is room for more entries than there are; what is there does not count.
    DeviceIds put(DeviceCase& device) const
    {
        std::vector<std::int32_t> roomy = ids;
        roomy.resize(ids.size() + 7, 1);
        std::vector<float> roomyWeights = weights;
        roomyWeights.resize(weights.empty() ? 0 : roomy.size(), 1.0F);
        return {device.put(offsets), device.put(roomy),
                weights.empty() ? nullptr : device.put(roomyWeights), rows(),
                static_cast<std::int64_t>(roomy.size())};
    }
};

} // namespace

void TstLookupOperations::lookupsAgreeWithTheReference_data()
{
    QTest::addColumn<int>("combiner");
    QTest::addColumn<bool>("weighted");
    QTest::addColumn<bool>("clipped");
    QTest::addColumn<bool>("anyWeight");
    for (const auto& [title, combiner] :
         {std::pair{"sum", Combiner::Sum}, {"mean", Combiner::Mean}, {"sqrtn", Combiner::Sqrtn}}) {
        for (const bool weighted : {false, true}) {
            for (const bool clipped : {false, true}) {
                QTest::addRow("%s%s%s", title, weighted ? " weighted" : "",
                              clipped ? " clipped" : "")
                    << static_cast<int>(combiner) << weighted << clipped << false;
            }
        }
        QTest::addRow("%s of any weight", title)
            << static_cast<int>(combiner) << true << false << true;
    }
}

void TstLookupOperations::lookupsAgreeWithTheReference()
{
    QFETCH(int, combiner);
    QFETCH(bool, weighted);
    QFETCH(bool, clipped);
    QFETCH(bool, anyWeight);
    for (const std::int64_t rows : {0, 1, 30, 700}) {
        for (const std::int64_t cols : {1, 5, 33}) {
            for (const bool accumulate : {false, true}) {
                const Batch batch(rows, 20, weighted);
                const Matrix table = Matrix(20, cols, 2).fillRandom(1);
                Matrix dst = Matrix(rows, cols, 3).fillRandom(2);
                SparseCombineOptions options{.combiner = static_cast<Combiner>(combiner),
                                             .accumulate = accumulate,
                                             .anyWeight = anyWeight};
                if (clipped) {
                    options.maxNorm = 0.5F;
                }
                DeviceCase device;
                const MatrixView placed = device.put(dst);
                RUN_ON(device, {Lookup{batch.put(device), device.put(table), options, placed}});
                reference::kSparseCombine.forward(m_pool, batch.view(), table.view(), options,
                                                  dst.view());
                VERIFY_CLOSE(device.take(placed), dst.values, 1e-5, 2e-6);
            }
        }
    }
}

void TstLookupOperations::gradientsAgreeWithTheReference()
{
    QFETCH(int, combiner);
    QFETCH(bool, weighted);
    QFETCH(bool, clipped);
    QFETCH(bool, anyWeight);
    SparseCombineOptions options{.combiner = static_cast<Combiner>(combiner),
                                 .anyWeight = anyWeight};
    if (clipped) {
        options.maxNorm = 0.5F;
    }
    // Few and many rows of the table: with long segments, and with mostly single entries.
    for (const auto& [rows, buckets] :
         {std::pair{0, 20}, {1, 20}, {30, 20}, {700, 20}, {900, 4000}}) {
        for (const std::int64_t cols : {1, 5, 33}) {
            const Batch batch(rows, buckets, weighted);
            const Matrix table = Matrix(buckets, cols, 2).fillRandom(1);
            const Matrix dstGrad = Matrix(rows, cols, 1).fillRandom(2);
            Matrix tableGrad(buckets, cols, 2);
            DeviceCase device;
            const DeviceIds ids = batch.put(device);
            const DeviceSparse gradient = roomFor(device, ids.capacity, cols, buckets);
            const MatrixView placedTable = device.put(table);
            const MatrixView placedGrad = device.put(dstGrad);
            const MatrixView placedTableGrad = device.put(tableGrad);
            std::byte* const scratch = device.room<std::byte>(lookupScratchBytes(ids.capacity));
            RUN_ON(device,
                   {LookupGradient{ids, placedTable, options, placedGrad, false, gradient, scratch},
                    LookupDenseGradient{ids, placedTable, options, placedGrad, placedTableGrad,
                                        scratch}});
            SparseScratch sums;
            SparseGradient wanted;
            reference::kSparseCombine.sparseGradient(m_pool, batch.view(), table.view(), options,
                                                     dstGrad.view(), sums, wanted);
            reference::kSparseCombine.denseGradient(m_pool, batch.view(), table.view(), options,
                                                    dstGrad.view(), sums, tableGrad.view());
            verifySame(rowsOf(device, gradient), rowsOf(wanted));
            VERIFY_CLOSE(device.take(placedTableGrad), tableGrad.values, 1e-5, 2e-6);
        }
    }
}

void TstLookupOperations::rowsWithManyEntriesAreSummedByBlocks()
{
    // Segments around the length of a window, and longer ones, in a row and mixed.
    const std::vector<std::int64_t> lengths = {1, 63, 64, 65, 128, 129, 1000, 5000};
    for (const bool mixed : {false, true}) {
        Batch batch(0, 1, false);
        std::vector<std::int64_t> left = lengths;
        while (std::ranges::any_of(left, [](std::int64_t count) { return count > 0; })) {
            for (std::size_t id = 0; id < left.size(); ++id) {
                for (bool again = left[id] > 0; again; again = !mixed && left[id] > 0) {
                    --left[id];
                    batch.ids.push_back(static_cast<std::int32_t>(id));
                    batch.offsets.push_back(static_cast<std::int64_t>(batch.ids.size()));
                }
            }
        }
        // The last one has so many columns that windows are longer.
        for (const std::int64_t cols : {1, 3, 40, 1000}) {
            Matrix dstGrad = Matrix(batch.rows(), cols).fillRandom(2);
            for (float& value : dstGrad.values) {
                value = std::round(value * 64) / 64; // sums are exact
            }
            DeviceCase device;
            const DeviceIds ids = batch.put(device);
            const DeviceSparse gradient = roomFor(device, 8, cols, 8);
            const MatrixView table = device.put(Matrix(8, cols));
            std::byte* const scratch = device.room<std::byte>(lookupScratchBytes(ids.capacity));
            RUN_ON(device,
                   {LookupGradient{ids, table, {}, device.put(dstGrad), false, gradient, scratch}});
            SparseScratch sums;
            SparseGradient wanted;
            reference::kSparseCombine.sparseGradient(m_pool, batch.view(), Matrix(8, cols).view(),
                                                     {}, dstGrad.view(), sums, wanted);
            verifySame(rowsOf(device, gradient), rowsOf(wanted));
        }
    }
}

void TstLookupOperations::gradientsHaveTheSameBitsTwice()
{
    const Batch batch(3000, 9, true);
    const Matrix dstGrad = Matrix(3000, 3).fillRandom(2);
    std::vector<Rows> found;
    DeviceCase device;
    const DeviceIds ids = batch.put(device);
    const DeviceSparse gradient = roomFor(device, 9, 3, 9);
    const Operation operation =
        LookupGradient{ids,
                       device.put(Matrix(9, 3)),
                       {},
                       device.put(dstGrad),
                       false,
                       gradient,
                       device.room<std::byte>(lookupScratchBytes(ids.capacity))};
    for (int round = 0; round < 2; ++round) {
        RUN_ON(device, {operation});
        found.push_back(rowsOf(device, gradient));
    }
    QCOMPARE(found[0].size(), 9U);
    QVERIFY(found[0] == found[1]);
}

void TstLookupOperations::rowZeroIsThereWhenARowIsEmpty()
{
    // Ids of two rows, whether row 0 is wanted, and the rows of the gradient.
    using Ids = std::vector<std::int32_t>;
    for (const auto& [ids, withRowZero, wanted] : {std::tuple{Ids{3, -1}, true, Ids{0, 3}},
                                                   {Ids{3, -1}, false, Ids{3}},
                                                   {Ids{3, 0}, true, Ids{0, 3}},
                                                   {Ids{3, 1}, true, Ids{1, 3}},
                                                   {Ids{5, 5}, true, Ids{0}}}) {
        Batch batch(0, 1, false);
        batch.ids = ids;
        batch.offsets = {0, 1, 2};
        Matrix dstGrad(2, 2);
        dstGrad.values = {1, 2, 3, 4};
        DeviceCase device;
        const DeviceIds placed = batch.put(device);
        const DeviceSparse gradient = roomFor(device, 5, 2, 5);
        RUN_ON(device,
               {LookupGradient{placed,
                               device.put(Matrix(5, 2)),
                               {},
                               device.put(dstGrad),
                               withRowZero,
                               gradient,
                               device.room<std::byte>(lookupScratchBytes(placed.capacity))}});
        const Rows found = rowsOf(device, gradient);
        Rows expected;
        for (const std::int32_t row : wanted) {
            const auto batchRow = std::ranges::find(ids, row) - ids.begin();
            expected[row] = batchRow == 2 ? std::vector<float>{0, 0}
                                          : std::vector<float>{dstGrad.at(batchRow, 0),
                                                               dstGrad.at(batchRow, 1)};
        }
        QVERIFY(found == expected);
    }
}

void TstLookupOperations::noEntriesGiveNoRows()
{
    Batch batch(0, 1, false);
    batch.offsets = {0, 0, 0};
    DeviceCase device;
    const DeviceIds ids = batch.put(device);
    const DeviceSparse gradient = roomFor(device, 5, 2, 5);
    Matrix before = Matrix(5, 2).fillRandom(1);
    const MatrixView tableGrad = device.put(before);
    const MatrixView table = device.put(Matrix(5, 2));
    const MatrixView dstGrad = device.put(Matrix(2, 2).fillRandom(1));
    std::byte* const scratch = device.room<std::byte>(lookupScratchBytes(ids.capacity));
    RUN_ON(device, {LookupGradient{ids, table, {}, dstGrad, false, gradient, scratch},
                    LookupDenseGradient{ids, table, {}, dstGrad, tableGrad, scratch}});
    QCOMPARE(device.take(gradient.count, 1)[0], 0);
    QCOMPARE(device.take(tableGrad), std::vector<float>(10));
}

void TstLookupOperations::aBatchMayBeginInsideAColumn()
{
    const Batch column(60, 20, true);
    const Matrix table = Matrix(20, 3).fillRandom(1);
    const Matrix dstGrad = Matrix(25, 3).fillRandom(2);
    DeviceCase device;
    DeviceIds ids = column.put(device);
    ids.rowOffsets += 30;
    ids.rows = 25;
    const IdsView view{std::span(column.offsets).subspan(30, 26), column.ids, column.weights};
    const DeviceSparse gradient = roomFor(device, 20, 3, 20);
    const MatrixView dst = device.put(Matrix(25, 3));
    const MatrixView placedTable = device.put(table);
    RUN_ON(device, {Lookup{ids, placedTable, {}, dst},
                    LookupGradient{ids,
                                   placedTable,
                                   {},
                                   device.put(dstGrad),
                                   false,
                                   gradient,
                                   device.room<std::byte>(lookupScratchBytes(ids.capacity))}});
    Matrix wantedDst(25, 3);
    reference::kSparseCombine.forward(m_pool, view, table.view(), {}, wantedDst.view());
    VERIFY_CLOSE(device.take(dst), wantedDst.values);
    SparseScratch sums;
    SparseGradient wanted;
    reference::kSparseCombine.sparseGradient(m_pool, view, table.view(), {}, dstGrad.view(), sums,
                                             wanted);
    verifySame(rowsOf(device, gradient), rowsOf(wanted));
}

void TstLookupOperations::aLaterBatchWithFewerRowsForgetsTheRest()
{
    DeviceCase device;
    const MatrixView table = device.put(Matrix(9, 2));
    const MatrixView dstGrad = device.put(Matrix(40, 2).fillRandom(2));
    const DeviceSparse gradient = roomFor(device, 9, 2, 9);
    std::byte* const scratch = device.room<std::byte>(lookupScratchBytes(1000));
    for (const std::int64_t rows : {40, 2}) {
        const Batch batch(rows, 9, false);
        const DeviceIds ids = batch.put(device);
        RUN_ON(device,
               {LookupGradient{ids, table, {}, dstGrad.slice(0, rows), false, gradient, scratch}});
        SparseScratch sums;
        SparseGradient wanted;
        reference::kSparseCombine.sparseGradient(m_pool, batch.view(), Matrix(9, 2).view(), {},
                                                 Matrix(40, 2).fillRandom(2).view().slice(0, rows),
                                                 sums, wanted);
        verifySame(rowsOf(device, gradient), rowsOf(wanted));
    }
}

void TstLookupOperations::gradientsAreFiniteDifferences()
{
    const Batch batch(12, 6, true);
    const Matrix dstGrad = Matrix(12, 3).fillRandom(2);
    SparseCombineOptions options{.combiner = Combiner::Sqrtn, .maxNorm = 0.9F};
    Matrix table = Matrix(6, 3).fillRandom(1);
    const auto loss = [&](const Matrix& at) {
        DeviceCase device;
        const MatrixView dst = device.put(Matrix(12, 3));
        device.run({Lookup{batch.put(device), device.put(at), options, dst}});
        const std::vector<float> values = device.take(dst);
        double sum = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            sum += static_cast<double>(values[i]) * dstGrad.values[i];
        }
        return sum;
    };
    DeviceCase device;
    const DeviceIds ids = batch.put(device);
    const MatrixView gradient = device.put(Matrix(6, 3));
    RUN_ON(device,
           {LookupDenseGradient{ids, device.put(table), options, device.put(dstGrad), gradient,
                                device.room<std::byte>(lookupScratchBytes(ids.capacity))}});
    const std::vector<float> found = device.take(gradient);
    constexpr float kStep = 1e-2F;
    for (std::size_t i = 0; i < found.size(); ++i) {
        Matrix up = table;
        Matrix down = table;
        up.values[i] += kStep;
        down.values[i] -= kStep;
        const double slope = (loss(up) - loss(down)) / (2 * kStep);
        QVERIFY2(std::abs(found[i] - slope) < 2e-3, QByteArray::number(slope).constData());
    }
}

void TstLookupOperations::nonFiniteGradientsReachOnlyTheirRows()
{
    Batch batch(0, 1, false);
    batch.ids = {2, 1, 2};
    batch.offsets = {0, 1, 2, 3};
    Matrix dstGrad = Matrix(3, 1).fillRandom(2);
    dstGrad.values[0] = std::numeric_limits<float>::infinity();
    DeviceCase device;
    const DeviceIds ids = batch.put(device);
    const DeviceSparse gradient = roomFor(device, 4, 1, 4);
    RUN_ON(device, {LookupGradient{ids,
                                   device.put(Matrix(4, 1)),
                                   {},
                                   device.put(dstGrad),
                                   false,
                                   gradient,
                                   device.room<std::byte>(lookupScratchBytes(ids.capacity))}});
    const Rows found = rowsOf(device, gradient);
    QCOMPARE(found.at(1)[0], dstGrad.values[1]);
    QVERIFY(std::isinf(found.at(2)[0]));
}

CANNERY_TEST(TstLookupOperations)
#include "tst_lookup_operations.moc"
