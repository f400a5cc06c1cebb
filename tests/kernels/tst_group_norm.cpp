// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/group_norm.h"
#include "tests/kernels/kernel_compare.h"
#include "tests/support/test_main.h"

using namespace cannery::kernels;
using namespace cannery::tests;

class TstGroupNorm : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void neighboursThatAreReadAlikeAreOneAxis();
    void valuesByHand();
    void aShortVectorIsOnlyScaled();
    void everyRowAgreesWithTheReference_data();
    void everyRowAgreesWithTheReference();
    void bitsDoNotDependOnThreads();
};

namespace {

using Dimensions = std::vector<GroupNormDimension>;

/// Of a letter for each dimension: 't' together, 'p' together with parameters, 'o' with parameters
/// alone, '-' neither.
GroupNormShape shapeOf(const std::vector<std::int64_t>& sizes, const std::string& kinds)
{
    Dimensions row;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        row.push_back({.size = sizes[i],
                       .isTogether = kinds[i] == 't' || kinds[i] == 'p',
                       .hasParameters = kinds[i] == 'o' || kinds[i] == 'p'});
    }
    return groupNormShape(row);
}

/// Memory of the statistics of some rows.
struct Statistics
{
    Statistics(std::int64_t rows, const GroupNormShape& shape)
        : count(static_cast<std::size_t>(rows * shape.groups)), memory(4 * count)
    {}
    GroupStatistics view()
    {
        const std::span<double> all(memory);
        return {.mean = all.first(count),
                .inverse = all.subspan(count, count),
                .sums = all.subspan(2 * count, count),
                .products = all.subspan(3 * count, count)};
    }

    std::size_t count;
    std::vector<double> memory;
};

/// What all functions give, one after the other.
std::vector<float> resultsOf(const GroupNormKernels& kernels, const GroupNormProblem& problem,
                             ThreadPool& pool, std::int64_t rows)
{
    const GroupNormShape& shape = problem.shape;
    const Matrix src = Matrix(rows, shape.width, 3).fillRandom(1);
    const Matrix dstGrad = Matrix(rows, shape.width, 2).fillRandom(2);
    const Matrix gamma = Matrix(1, shape.parameters).fillRandom(3);
    const Matrix beta = Matrix(1, shape.parameters).fillRandom(4);
    Statistics statistics(rows, shape);
    kernels.statistics(pool, problem, src.view(), statistics.view());
    Matrix dst(rows, shape.width, 1);
    kernels.normalize(pool, problem, statistics.view(), src.view(), gamma.values, beta.values,
                      dst.view());
    Matrix srcGrad(rows, shape.width, 1);
    kernels.srcGradient(pool, problem, statistics.view(), src.view(), gamma.values, dstGrad.view(),
                        srcGrad.view());
    std::vector<double> parts(static_cast<std::size_t>(groupNormPartsSize(shape)));
    std::vector<float> gammaGrad(gamma.values.size());
    std::vector<float> betaGrad(gamma.values.size());
    kernels.parameterGradients(pool, problem, statistics.view(), src.view(), dstGrad.view(), parts,
                               gammaGrad, betaGrad);
    std::vector<float> results = dst.values;
    for (const std::vector<float>* more : {&srcGrad.values, &gammaGrad, &betaGrad}) {
        results.insert(results.end(), more->begin(), more->end());
    }
    return results;
}

} // namespace

void TstGroupNorm::neighboursThatAreReadAlikeAreOneAxis()
{
    const GroupNormShape layer = shapeOf({4, 3, 2}, "-pp");
    QCOMPARE(layer.axes.size(), std::size_t{2});
    QCOMPARE(layer.groups, std::int64_t{4});
    QCOMPARE(layer.parameters, std::int64_t{6});
    QCOMPARE(layer.groupSize(), std::int64_t{6});
    const GroupNormShape groups = shapeOf({5, 5, 2, 3}, "ttop");
    QCOMPARE(groups.axes.size(), std::size_t{3});
    QCOMPARE(groups.axes[1].groupStep, std::int64_t{1});
    QCOMPARE(groups.axes[1].parameterStep, std::int64_t{3});
    QCOMPARE(groups.groupSize(), std::int64_t{75});
    QCOMPARE(shapeOf({1, 1}, "p-").axes.size(), std::size_t{1});
}

void TstGroupNorm::valuesByHand()
{
    ThreadPool pool(1);
    const std::vector<float> src{1, 3, 10, 30};
    const std::vector<float> gamma{2, 1};
    const std::vector<float> beta{0, 5};
    const GroupNormProblem problem{.shape = shapeOf({2, 2}, "-p"), .epsilon = 0.0F};
    for (const auto& row : groupNormImplementations()) {
        Statistics statistics(1, problem.shape);
        Matrix dst(1, 4);
        row.kernels->statistics(pool, problem, matrixView(std::span(src), 1, 4), statistics.view());
        row.kernels->normalize(pool, problem, statistics.view(), matrixView(std::span(src), 1, 4),
                               gamma, beta, dst.view());
        QCOMPARE(dst.values, (std::vector<float>{-2, 6, -2, 6}));
    }
}

void TstGroupNorm::aShortVectorIsOnlyScaled()
{
    ThreadPool pool(1);
    const std::vector<float> src{3e-8F, 4e-8F};
    const std::vector<float> grad{1, 2};
    const std::vector<float> one{1};
    const std::vector<float> zero{0};
    const GroupNormProblem problem{.shape = shapeOf({2}, "t"),
                                   .rule = GroupNormRule::Length,
                                   .epsilon = static_cast<float>(kLeastSquaredLength)};
    for (const auto& row : groupNormImplementations()) {
        Statistics statistics(1, problem.shape);
        Matrix dst(1, 2);
        const ConstMatrixView values = matrixView(std::span(src), 1, 2);
        row.kernels->statistics(pool, problem, values, statistics.view());
        row.kernels->normalize(pool, problem, statistics.view(), values, one, zero, dst.view());
        VERIFY_CLOSE(dst.values, (std::vector<float>{0.03F, 0.04F}), 1e-6, 0.0);
        row.kernels->srcGradient(pool, problem, statistics.view(), values, one,
                                 matrixView(std::span(grad), 1, 2), dst.view());
        VERIFY_CLOSE(dst.values, (std::vector<float>{1e6F, 2e6F}), 1e-6, 0.0);
    }
}

void TstGroupNorm::everyRowAgreesWithTheReference_data()
{
    QTest::addColumn<std::vector<std::int64_t>>("sizes");
    QTest::addColumn<QString>("kinds");
    using Sizes = std::vector<std::int64_t>;
    QTest::newRow("a vector") << Sizes{70} << "p";
    QTest::newRow("steps") << Sizes{9, 16} << "-p";
    QTest::newRow("channels of pixels") << Sizes{9, 16} << "p-";
    QTest::newRow("around") << Sizes{3, 5, 4} << "p-p";
    QTest::newRow("groups of channels") << Sizes{6, 6, 4, 5} << "ttop";
    QTest::newRow("a group for each channel") << Sizes{6, 6, 4, 1} << "ttop";
    QTest::newRow("no parameters") << Sizes{7, 3} << "t-";
}

void TstGroupNorm::everyRowAgreesWithTheReference()
{
    QFETCH(std::vector<std::int64_t>, sizes);
    QFETCH(QString, kinds);
    ThreadPool pool(2);
    for (const GroupNormRule rule : {GroupNormRule::Moments, GroupNormRule::Length}) {
        const GroupNormProblem problem{
            .shape = shapeOf(sizes, kinds.toStdString()), .rule = rule, .epsilon = 0.001F};
        for (const std::int64_t rows : {0, 1, 700}) {
            const std::vector<float> expected =
                resultsOf(reference::kGroupNorm, problem, pool, rows);
            for (const auto& row : groupNormImplementations()) {
                VERIFY_CLOSE(resultsOf(*row.kernels, problem, pool, rows), expected, 1e-5, 1e-5);
            }
        }
    }
}

void TstGroupNorm::bitsDoNotDependOnThreads()
{
    const GroupNormProblem problem{.shape = shapeOf({20, 16}, "-p")};
    std::vector<float> alone;
    for (const int threads : {1, 2, 5, 16}) {
        ThreadPool pool(threads);
        const std::vector<float> results = resultsOf(groupNormKernels(problem), problem, pool, 900);
        if (threads == 1) {
            alone = results;
        }
        QVERIFY(sameBits(results, alone));
    }
}

CANNERY_TEST(TstGroupNorm)
#include "tst_group_norm.moc"
