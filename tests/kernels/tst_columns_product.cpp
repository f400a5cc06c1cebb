// SPDX-License-Identifier: Apache-2.0
#include "core/base/check.h"
#include "kernels/ops/columns_product.h"
#include "kernels/ops/matmul.h"
#include "kernels/ops/sparse_combine.h"
#include "tests/kernels/kernel_compare.h"
#include "tests/support/test_main.h"

#include <deque>

using namespace cannery::kernels;
using namespace cannery::tests;

namespace {

constexpr int kBuckets = 7;

/// Parts of every kind over the same rows, each with its own memory.
class Input
{
public:
    Input(std::int64_t rows, std::int64_t cols) : m_rows(rows), m_cols(cols) {}

    void addValues(std::int64_t depth)
    {
        const Matrix& values = keep(Matrix(m_rows, depth, 2));
        const Matrix& weights = keep(Matrix(depth, m_cols, 3));
        parts.push_back({.values = values.view(), .weights = weights.view()});
    }
    /// One id in every row.
    void addPlainIds()
    {
        Ids& ids = m_ids.emplace_back();
        for (std::int64_t row = 0; row < m_rows; ++row) {
            ids.ids.push_back(randomId(0, kBuckets));
            ids.offsets.push_back(row + 1);
        }
        addPart(ids);
    }
    /// Zero to three per row, some of them outside the buckets. The offsets begin above 0, like
    /// those of a range of rows.
    void addRaggedIds(bool weighted)
    {
        Ids& ids = m_ids.emplace_back();
        ids.ids = {1, 2};
        ids.offsets = {2};
        for (std::int64_t row = 0; row < m_rows; ++row) {
            for (std::uint64_t n = m_random.nextBelow(4); n > 0; --n) {
                ids.ids.push_back(randomId(-1, kBuckets + 1));
            }
            ids.offsets.push_back(static_cast<std::int64_t>(ids.ids.size()));
        }
        for (std::size_t i = 0; weighted && i < ids.ids.size(); ++i) {
            ids.weights.push_back(m_random.nextUniform(-1.0F, 1.0F));
        }
        addPart(ids);
    }

    std::vector<ColumnsPart> parts;

private:
    struct Ids
    {
        std::vector<std::int64_t> offsets{0};
        std::vector<std::int32_t> ids;
        std::vector<float> weights;
    };
    void addPart(const Ids& ids)
    {
        const Matrix& weights = keep(Matrix(kBuckets, m_cols, 1));
        parts.push_back({.ids = {ids.offsets, ids.ids, ids.weights}, .weights = weights.view()});
    }
    const Matrix& keep(Matrix matrix)
    {
        return m_matrices.emplace_back(std::move(matrix)).fillRandom(m_matrices.size());
    }
    std::int32_t randomId(std::int32_t first, std::int32_t end)
    {
        return first + static_cast<std::int32_t>(
                           m_random.nextBelow(static_cast<std::uint64_t>(end - first)));
    }

    std::int64_t m_rows;
    std::int64_t m_cols;
    RandomStream m_random{3};
    std::deque<Matrix> m_matrices;
    std::deque<Ids> m_ids;
};

Input mixedInput(std::int64_t rows, std::int64_t cols, int rounds = 1)
{
    Input input(rows, cols);
    for (int round = 0; round < rounds; ++round) {
        input.addPlainIds();
        input.addRaggedIds(false);
        input.addRaggedIds(true);
        input.addValues(1);
        input.addValues(13);
    }
    return input;
}

std::vector<const ColumnsProductImplementation*> fastRows()
{
    std::vector<const ColumnsProductImplementation*> rows;
    for (const auto& row : columnsProductImplementations()) {
        if (row.name != "reference" && row.refusal({}).empty()) {
            rows.push_back(&row);
        }
    }
    CANNERY_CHECK(!rows.empty()); // otherwise nothing would be tested
    return rows;
}

ColumnsPart rowOf(const ColumnsPart& part, std::int64_t row)
{
    ColumnsPart alone = part;
    if (part.values.data != nullptr) {
        alone.values = part.values.slice(row, 1);
    } else {
        alone.ids.rowOffsets = part.ids.rowOffsets.subspan(static_cast<std::size_t>(row), 2);
    }
    return alone;
}

} // namespace

class TstColumnsProduct : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyRowAgreesWithTheReference_data();
    void everyRowAgreesWithTheReference();
    void bitsAreThoseOfLookupsAndProducts();
    void bitsDependNeitherOnThreadsNorOnOtherRows();
    void everyRowGivesTheSameBits();
    void nonFiniteNumbersReachOnlyTheirRows();
};

void TstColumnsProduct::everyRowAgreesWithTheReference_data()
{
    QTest::addColumn<int>("rows");
    QTest::addColumn<int>("cols");
    QTest::addColumn<int>("rounds");
    for (const auto& [rows, cols, rounds] : {std::tuple{0, 4, 1},
                                             {1, 1, 1},
                                             {1, 100, 1},
                                             {2, 15, 1},
                                             {5, 33, 1},
                                             {7, 64, 9}, // more parts than one pass takes
                                             {100, 47, 1},
                                             {700, 100, 1}}) {
        QTest::addRow("%d x %d, %d parts", rows, cols, 5 * rounds) << rows << cols << rounds;
    }
}

void TstColumnsProduct::everyRowAgreesWithTheReference()
{
    QFETCH(int, rows);
    QFETCH(int, cols);
    QFETCH(int, rounds);
    ThreadPool pool(2);
    const Input input = mixedInput(rows, cols, rounds);
    const Matrix bias = Matrix(1, cols).fillRandom(99);
    for (const bool relu : {false, true}) {
        for (const bool hasBias : {false, true}) {
            const std::span<const float> added =
                hasBias ? bias.view().flat() : std::span<const float>();
            Matrix expected(rows, cols, 2);
            reference::kColumnsProduct.forward(pool, input.parts, added, relu, expected.view());
            for (const auto* row : fastRows()) {
                Matrix actual(rows, cols, 2);
                row->kernels->forward(pool, input.parts, added, relu, actual.view());
                VERIFY_CLOSE(actual.values, expected.values, 1e-5, 1e-5);
            }
        }
    }
}

/// So it does not matter where a dense layer draws the line between them.
void TstColumnsProduct::bitsAreThoseOfLookupsAndProducts()
{
    constexpr std::int64_t kRows = 50;
    constexpr std::int64_t kCols = 37;
    ThreadPool pool(1);
    const Input input = mixedInput(kRows, kCols);
    const Matrix bias = Matrix(1, kCols).fillRandom(5);
    Matrix expected(kRows, kCols);
    const auto& lookups = sparseCombineKernels({});
    const Matmul products{MatmulProblem{}};
    for (std::size_t i = 0; i < input.parts.size(); ++i) {
        const ColumnsPart& part = input.parts[i];
        if (part.values.data == nullptr) {
            lookups.forward(pool, part.ids, part.weights,
                            {.combiner = Combiner::Sum, .accumulate = i > 0}, expected.view());
        } else if (i + 1 < input.parts.size()) {
            products.forward(pool, part.values, part.weights, {.accumulate = true},
                             expected.view());
        } else {
            products.forward(
                pool, part.values, part.weights,
                {.bias = bias.view().flat(), .activation = Activation::Relu, .accumulate = true},
                expected.view());
        }
    }
    for (const auto* row : fastRows()) {
        Matrix actual(kRows, kCols);
        row->kernels->forward(pool, input.parts, bias.view().flat(), true, actual.view());
        QVERIFY(sameBits(actual.values, expected.values));
    }
}

void TstColumnsProduct::bitsDependNeitherOnThreadsNorOnOtherRows()
{
    constexpr std::int64_t kRows = 601;
    constexpr std::int64_t kCols = 100;
    const Input input = mixedInput(kRows, kCols);
    for (const auto* row : fastRows()) {
        ThreadPool one(1);
        ThreadPool three(3);
        Matrix expected(kRows, kCols);
        Matrix actual(kRows, kCols);
        row->kernels->forward(one, input.parts, {}, false, expected.view());
        row->kernels->forward(three, input.parts, {}, false, actual.view());
        QVERIFY(sameBits(actual.values, expected.values));
        for (std::int64_t r = 0; r < kRows; ++r) {
            std::vector<ColumnsPart> alone;
            for (const ColumnsPart& part : input.parts) {
                alone.push_back(rowOf(part, r));
            }
            Matrix single(1, kCols);
            row->kernels->forward(one, alone, {}, false, single.view());
            QVERIFY(sameBits(single.values, expected.view().row(r)));
        }
    }
}

void TstColumnsProduct::everyRowGivesTheSameBits()
{
    ThreadPool pool(1);
    const Input input = mixedInput(64, 77, 8);
    Matrix first(64, 77);
    fastRows().front()->kernels->forward(pool, input.parts, {}, true, first.view());
    for (const auto* row : fastRows()) {
        Matrix other(64, 77);
        row->kernels->forward(pool, input.parts, {}, true, other.view());
        QVERIFY(sameBits(other.values, first.values));
    }
}

void TstColumnsProduct::nonFiniteNumbersReachOnlyTheirRows()
{
    constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
    ThreadPool pool(1);
    Matrix values = Matrix(9, 3).fillRandom(1);
    const Matrix weights = Matrix(3, 20).fillRandom(2);
    values.at(4, 1) = kNan;
    const std::vector<ColumnsPart> parts{{.values = values.view(), .weights = weights.view()}};
    for (const auto* row : fastRows()) {
        Matrix dst(9, 20);
        row->kernels->forward(pool, parts, {}, true, dst.view());
        for (std::int64_t r = 0; r < 9; ++r) {
            for (const float sum : dst.view().row(r)) {
                QCOMPARE(std::isnan(sum), r == 4);
            }
        }
    }
}

CANNERY_TEST(TstColumnsProduct)
#include "tst_columns_product.moc"
