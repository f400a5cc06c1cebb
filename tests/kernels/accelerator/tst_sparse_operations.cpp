// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/accelerator/device_sparse.h"
#include "tests/support/test_main.h"

using namespace cannery::kernels;
using namespace cannery::tests;

/// Gradients of some rows, added on a device.
class TstSparseOperations : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { SKIP_WITHOUT_TEST_DEVICE(); }
    void sparseGradientsAddUp();
    void manyRowsAddUp();
    void sparseGradientsAreAddedToDenseOnes();
};

void TstSparseOperations::sparseGradientsAddUp()
{
    using Ids = std::vector<std::int32_t>;
    for (const auto& [a, b] : {std::pair{Ids{}, Ids{}},
                               {Ids{1, 4}, Ids{}},
                               {Ids{}, Ids{0, 3}},
                               {Ids{1, 4}, Ids{1, 4}},
                               {Ids{0, 5, 9}, Ids{2, 5, 7}},
                               {Ids{8, 9}, Ids{0, 1}},
                               {Ids{0, 1}, Ids{8, 9}}}) {
        const SparseGradient left = gradientOf(a, 3, 0.5F);
        const SparseGradient right = gradientOf(b, 3, 0.25F);
        DeviceCase device;
        const DeviceSparse sum = roomFor(device, 10, 3, 10);
        RUN_ON(device, {AddSparse{put(device, left, 10), put(device, right, 10), sum}});
        SparseScratch scratch;
        SparseGradient wanted;
        addSparse(left, right, 10, scratch, wanted);
        QVERIFY(rowsOf(device, sum) == rowsOf(wanted));
    }
}

void TstSparseOperations::manyRowsAddUp()
{
    std::vector<std::int32_t> a;
    std::vector<std::int32_t> b;
    for (std::int32_t row = 0; row < 9000; ++row) {
        if (row % 2 == 0) {
            a.push_back(row);
        }
        if (row % 3 == 0) {
            b.push_back(row);
        }
    }
    const SparseGradient left = gradientOf(a, 1, 0.5F);
    const SparseGradient right = gradientOf(b, 1, 0.25F);
    DeviceCase device;
    const DeviceSparse sum = roomFor(device, 7500, 1, 9000);
    RUN_ON(device, {AddSparse{put(device, left, 9000), put(device, right, 9000), sum}});
    SparseScratch scratch;
    SparseGradient wanted;
    addSparse(left, right, 9000, scratch, wanted);
    QCOMPARE(wanted.rowCount(), 6000);
    QVERIFY(rowsOf(device, sum) == rowsOf(wanted));
}

void TstSparseOperations::sparseGradientsAreAddedToDenseOnes()
{
    const SparseGradient gradient = gradientOf({0, 3, 4}, 2, 0.5F);
    Matrix dense = Matrix(6, 2, 1).fillRandom(1);
    DeviceCase device;
    const MatrixView placed = device.put(dense);
    RUN_ON(device, {ScatterAdd{put(device, gradient, 6), placed}});
    ThreadPool pool;
    scatterAdd(pool, gradient, dense.view());
    QVERIFY(sameBits(device.take(placed), dense.values));
}

CANNERY_TEST(TstSparseOperations)
#include "tst_sparse_operations.moc"
