// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/sparse_combine.h"
#include "tests/kernels/id_batch.h"
#include "tests/kernels/kernel_compare.h"
#include "tests/support/test_main.h"

#include <algorithm>
#include <numeric>

using namespace cannery::kernels;
using namespace cannery::tests;

class TstSparseCombine : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyRowAgreesWithTheReference_data();
    void everyRowAgreesWithTheReference();
    void followsTheRulesOfSafeLookup();
    void countsEveryWeightWhenAsked();
    void writesIntoASliceAndAccumulates();
    void tableGradientsAreFiniteDifferences();
    void bitsDoNotDependOnThreads();
    void oneIdInEveryRowIsTheSameAsMany();
    void duplicatesAreSummedInOrder();
    void sparseGradientsAddUp();
    void nonFiniteRowsReachOnlyTheirReaders();
};

namespace {

SparseGradient sparseGradientOf(const SparseCombineKernels& kernels, ThreadPool& pool,
                                const IdsView& ids, const Matrix& table,
                                const SparseCombineOptions& options, const Matrix& dstGrad)
{
    SparseScratch scratch;
    SparseGradient gradient;
    // A second time, to check that leftovers of the first do not matter.
    for (int round = 0; round < 2; ++round) {
        kernels.sparseGradient(pool, ids, table.view(), options, dstGrad.view(), scratch, gradient);
    }
    return gradient;
}

/// The same with its rows in ascending order.
SparseGradient sorted(const SparseGradient& gradient)
{
    std::vector<std::size_t> order(gradient.rows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return gradient.rows[i]; });
    SparseGradient result{gradient.cols, {}, {}, gradient.anyRowEmpty};
    for (const std::size_t i : order) {
        const auto values =
            gradient.values.begin() + static_cast<std::ptrdiff_t>(i) * gradient.cols;
        result.rows.push_back(gradient.rows[i]);
        result.values.insert(result.values.end(), values, values + gradient.cols);
    }
    return result;
}

const std::vector<SparseCombineOptions> kOptions = {
    {Combiner::Sum, {}, false},        {Combiner::Mean, {}, false},   {Combiner::Sqrtn, {}, false},
    {Combiner::Mean, 0.8F, false},     {Combiner::Sqrtn, 0.8F, true}, {Combiner::Sum, {}, true},
    {Combiner::Sqrtn, {}, false, true}};

} // namespace

void TstSparseCombine::everyRowAgreesWithTheReference_data()
{
    QTest::addColumn<int>("rows");
    QTest::addColumn<int>("buckets");
    QTest::addColumn<int>("cols");
    QTest::addColumn<bool>("weighted");
    for (const bool weighted : {false, true}) {
        for (const auto& [rows, buckets, cols] : {std::tuple{0, 3, 2},
                                                  {1, 1, 1},
                                                  {7, 5, 3},
                                                  {32, 40, 1},
                                                  {300, 2000000, 1},
                                                  {400, 5000, 17},
                                                  {3000, 20, 100}}) {
            QTest::addRow("%d of %d x %d%s", rows, buckets, cols, weighted ? ", weighted" : "")
                << rows << buckets << cols << weighted;
        }
    }
}

void TstSparseCombine::everyRowAgreesWithTheReference()
{
    QFETCH(int, rows);
    QFETCH(int, buckets);
    QFETCH(int, cols);
    QFETCH(bool, weighted);
    ThreadPool pool(2);
    const IdBatch batch(rows, buckets, weighted);
    const Matrix table = Matrix(buckets, cols, 1).fillRandom(1);
    const Matrix dstGrad = Matrix(rows, cols, 2).fillRandom(3);
    for (const SparseCombineOptions& options : kOptions) {
        Matrix expected = Matrix(rows, cols, 2).fillRandom(2);
        const Matrix before = expected;
        reference::kSparseCombine.forward(pool, batch.view(), table.view(), options,
                                          expected.view());
        const SparseGradient expectedGrad = sparseGradientOf(reference::kSparseCombine, pool,
                                                             batch.view(), table, options, dstGrad);
        for (const auto& row : sparseCombineImplementations()) {
            Matrix actual = before;
            row.kernels->forward(pool, batch.view(), table.view(), options, actual.view());
            VERIFY_CLOSE(actual.values, expected.values, 1e-5, 1e-5);
            const SparseGradient actualGrad =
                sorted(sparseGradientOf(*row.kernels, pool, batch.view(), table, options, dstGrad));
            QCOMPARE(actualGrad.rows, expectedGrad.rows);
            QCOMPARE(actualGrad.anyRowEmpty, expectedGrad.anyRowEmpty);
            VERIFY_CLOSE(actualGrad.values, expectedGrad.values, 1e-4, 1e-4);
            SparseScratch scratch;
            Matrix whole = Matrix(buckets, cols, 1).fillRandom(5);
            row.kernels->denseGradient(pool, batch.view(), table.view(), options, dstGrad.view(),
                                       scratch, whole.view());
            Matrix scattered(buckets, cols, 1);
            for (std::int64_t r = 0; r < buckets; ++r) {
                std::fill_n(scattered.view().at(r), cols, 0.0F);
            }
            scatterAdd(pool, expectedGrad, scattered.view());
            VERIFY_CLOSE(whole.values, scattered.values, 1e-4, 1e-4);
        }
    }
}

void TstSparseCombine::followsTheRulesOfSafeLookup()
{
    ThreadPool pool(1);
    Matrix table(3, 1);
    table.values = {10, 20, 40};
    // Missing id, weights of 0 and below, a duplicate, an empty row.
    const std::vector<std::int64_t> offsets = {0, 2, 5, 7, 7};
    const std::vector<std::int32_t> ids = {0, -1, 0, 1, 2, 1, 1};
    const std::vector<float> weights = {1, 1, 0.5F, -1, 0, 3, 1};
    const IdsView view{offsets, ids, weights};
    const std::vector<std::pair<Combiner, std::vector<float>>> expected = {
        {Combiner::Sum, {10, -15, 80, 0}},
        {Combiner::Mean, {10, 10, 20, 0}},
        {Combiner::Sqrtn, {10, 10, 80 / std::sqrt(10.0F), 0}}};
    for (const auto& row : sparseCombineImplementations()) {
        for (const auto& [combiner, values] : expected) {
            Matrix dst(4, 1);
            row.kernels->forward(pool, view, table.view(), {combiner, {}, false}, dst.view());
            VERIFY_CLOSE(dst.values, values);
        }
    }
    // A range of rows of a longer column.
    const IdsView tail{std::span(offsets).subspan(2), ids, weights};
    Matrix dst(2, 1);
    cpu::kSparseCombine.forward(pool, tail, table.view(), {Combiner::Sum, {}, false}, dst.view());
    VERIFY_CLOSE(dst.values, std::vector<float>({80, 0}));
}

/// Results of TensorFlow 2.15's tf.nn.embedding_lookup_sparse.
void TstSparseCombine::countsEveryWeightWhenAsked()
{
    ThreadPool pool(1);
    Matrix table(3, 1);
    table.values = {10, 20, 40};
    // A weight below 0, a weight of 0, weights that cancel out.
    const std::vector<std::int64_t> offsets = {0, 2, 4, 6};
    const std::vector<std::int32_t> ids = {0, 1, 2, 1, 0, 2};
    const std::vector<float> weights = {2, -1, 0, 3, 1, -1};
    const std::vector<std::pair<Combiner, std::vector<float>>> expected = {
        {Combiner::Sum, {0, 60, -30}},
        {Combiner::Mean, {0, 20, 0}},
        {Combiner::Sqrtn, {0, 20, -30 / std::sqrt(2.0F)}}};
    for (const auto& row : sparseCombineImplementations()) {
        for (const auto& [combiner, values] : expected) {
            Matrix dst(3, 1);
            row.kernels->forward(pool, {offsets, ids, weights}, table.view(),
                                 {.combiner = combiner, .anyWeight = true}, dst.view());
            VERIFY_CLOSE(dst.values, values);
        }
    }
}

void TstSparseCombine::writesIntoASliceAndAccumulates()
{
    ThreadPool pool(1);
    const IdBatch batch(5, 4, false);
    const Matrix table = Matrix(4, 3).fillRandom(1);
    Matrix wide(5, 8);
    std::fill(wide.values.begin(), wide.values.end(), 1.0F);
    Matrix alone(5, 3);
    cpu::kSparseCombine.forward(pool, batch.view(), table.view(), {Combiner::Mean, {}, true},
                                wide.view().columns(2, 3));
    cpu::kSparseCombine.forward(pool, batch.view(), table.view(), {Combiner::Mean, {}, false},
                                alone.view());
    for (std::int64_t r = 0; r < 5; ++r) {
        QCOMPARE(wide.at(r, 1), 1.0F);
        QCOMPARE(wide.at(r, 5), 1.0F);
        for (std::int64_t c = 0; c < 3; ++c) {
            QVERIFY(close(wide.at(r, c + 2), 1.0F + alone.at(r, c), 1e-6, 1e-6));
        }
    }
}

void TstSparseCombine::tableGradientsAreFiniteDifferences()
{
    ThreadPool pool(1);
    const IdBatch batch(12, 6, true);
    Matrix table = Matrix(6, 4).fillRandom(1);
    const Matrix dstGrad = Matrix(12, 4).fillRandom(2);
    for (const SparseCombineOptions& options : kOptions) {
        Matrix grad(6, 4);
        SparseScratch scratch;
        cpu::kSparseCombine.denseGradient(pool, batch.view(), table.view(), options, dstGrad.view(),
                                          scratch, grad.view());
        const auto objective = [&](std::size_t i, float change) {
            Matrix moved = table;
            moved.values[i] += change;
            Matrix dst(12, 4);
            reference::kSparseCombine.forward(pool, batch.view(), moved.view(), options,
                                              dst.view());
            double sum = 0;
            for (std::size_t k = 0; k < dst.values.size(); ++k) {
                sum += double(dst.values[k]) * dstGrad.values[k];
            }
            return sum;
        };
        for (std::size_t i = 0; i < table.values.size(); ++i) {
            const double slope = (objective(i, 5e-3F) - objective(i, -5e-3F)) / 1e-2;
            QVERIFY(close(grad.values[i], static_cast<float>(slope), 5e-3, 2e-3));
        }
    }
}

void TstSparseCombine::bitsDoNotDependOnThreads()
{
    const IdBatch batch(6000, 3000, true);
    const Matrix table = Matrix(3000, 33).fillRandom(1);
    const Matrix dstGrad = Matrix(6000, 33).fillRandom(2);
    const SparseCombineOptions options{Combiner::Mean, 0.5F, false};
    const auto all = [&](int threads) {
        ThreadPool pool(threads);
        Matrix dst(6000, 33);
        cpu::kSparseCombine.forward(pool, batch.view(), table.view(), options, dst.view());
        const SparseGradient gradient =
            sparseGradientOf(cpu::kSparseCombine, pool, batch.view(), table, options, dstGrad);
        Matrix whole(3000, 33);
        SparseScratch scratch;
        cpu::kSparseCombine.denseGradient(pool, batch.view(), table.view(), options, dstGrad.view(),
                                          scratch, whole.view());
        std::vector<float> values = dst.values;
        values.insert(values.end(), gradient.values.begin(), gradient.values.end());
        values.insert(values.end(), whole.values.begin(), whole.values.end());
        return values;
    };
    const std::vector<float> expected = all(1);
    QVERIFY(sameBits(all(2), expected));
    QVERIFY(sameBits(all(7), expected));
}

/// The fast path for columns of one id per row, some of them missing, against the reference.
void TstSparseCombine::oneIdInEveryRowIsTheSameAsMany()
{
    ThreadPool pool(2);
    RandomStream random(5);
    for (const auto& [rows, buckets, cols] :
         {std::tuple{5000, 70, 1}, {5000, 100000, 1}, {700, 900, 16}}) {
        std::vector<std::int64_t> offsets{0};
        std::vector<std::int32_t> ids;
        for (int r = 0; r < rows; ++r) {
            const auto id = random.nextBelow(static_cast<std::uint64_t>(buckets) + 3);
            ids.push_back(r == 3 ? -1 : static_cast<std::int32_t>(id) - 1);
            offsets.push_back(r + 1);
        }
        const IdsView view{offsets, ids, {}};
        const Matrix table = Matrix(buckets, cols, 1).fillRandom(1);
        const Matrix dstGrad = Matrix(rows, cols, 2).fillRandom(3);
        for (const SparseCombineOptions& options : kOptions) {
            Matrix expected = Matrix(rows, cols, 2).fillRandom(2);
            Matrix actual = expected;
            reference::kSparseCombine.forward(pool, view, table.view(), options, expected.view());
            cpu::kSparseCombine.forward(pool, view, table.view(), options, actual.view());
            VERIFY_CLOSE(actual.values, expected.values, 1e-5, 1e-5);
            const SparseGradient expectedGrad =
                sparseGradientOf(reference::kSparseCombine, pool, view, table, options, dstGrad);
            const SparseGradient actualGrad =
                sorted(sparseGradientOf(cpu::kSparseCombine, pool, view, table, options, dstGrad));
            QCOMPARE(actualGrad.rows, expectedGrad.rows);
            QVERIFY(actualGrad.anyRowEmpty && expectedGrad.anyRowEmpty);
            VERIFY_CLOSE(actualGrad.values, expectedGrad.values, 1e-4, 1e-4);
        }
    }
}

void TstSparseCombine::duplicatesAreSummedInOrder()
{
    ThreadPool pool(1);
    SparseScratch scratch;
    SparseGradient sum;
    Matrix values(5, 2);
    values.values = {1, 2, 10, 20, 100, 200, 7, 7, 1000, 2000};
    const std::vector<std::int32_t> ids = {4, 0, 4, -1, 4};
    sumDuplicates(pool, ids, values.view(), scratch, sum);
    QCOMPARE(sum.rows, (std::vector<std::int32_t>{4, 0}));
    QCOMPARE(sum.values, (std::vector<float>{1101, 2202, 10, 20}));
    sumDuplicates(pool, {}, Matrix(0, 2).view(), scratch, sum);
    QVERIFY(sum.rows.empty() && sum.values.empty());
}

void TstSparseCombine::sparseGradientsAddUp()
{
    const SparseGradient a{1, {1, 3, 9}, {10, 30, 90}};
    const SparseGradient b{1, {0, 3, 10}, {1, 3, 11}};
    SparseScratch scratch;
    SparseGradient sum;
    // A table so small that each of its rows has a slot, and one that is hashed.
    for (const std::int64_t tableRows : {11, 1000000}) {
        addSparse(a, b, tableRows, scratch, sum);
        QCOMPARE(sum.rows, (std::vector<std::int32_t>{1, 3, 9, 0, 10}));
        QCOMPARE(sum.values, (std::vector<float>{10, 33, 90, 1, 11}));
    }
    addSparse(a, SparseGradient{1, {}, {}}, 11, scratch, sum);
    QCOMPARE(sum.rows, a.rows);
}

void TstSparseCombine::nonFiniteRowsReachOnlyTheirReaders()
{
    ThreadPool pool(1);
    Matrix table = Matrix(4, 2).fillRandom(1);
    table.at(2, 0) = std::numeric_limits<float>::quiet_NaN();
    const std::vector<std::int64_t> offsets = {0, 1, 2};
    const std::vector<std::int32_t> ids = {2, 3};
    for (const auto& row : sparseCombineImplementations()) {
        Matrix dst(2, 2);
        row.kernels->forward(pool, {offsets, ids, {}}, table.view(), {}, dst.view());
        QVERIFY(std::isnan(dst.at(0, 0)) && std::isfinite(dst.at(1, 0)));
    }
}

CANNERY_TEST(TstSparseCombine)
#include "tst_sparse_combine.moc"
