// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/matmul.h"
#include "tests/kernels/kernel_compare.h"
#include "tests/kernels/non_finite.h"
#include "tests/support/test_main.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <iterator>
#include <thread>

// Of OpenMP, which threads oneDNN; Clang has the header in a package of its own.
extern "C" {
int omp_get_max_threads();
void omp_set_num_threads(int count);
}

using namespace cannery::kernels;
using namespace cannery::tests;

class TstMatmul : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyRowAgreesWithTheReference_data();
    void everyRowAgreesWithTheReference();
    void epilogueAddsBiasAndActivates_data();
    void epilogueAddsBiasAndActivates();
    void nonFiniteValuesReachTheirRowsAndColumns();
    void bitsDependNeitherOnThreadsNorOnTheLevel();
    void bitsOfARowDoNotDependOnTheOthers();
    void nothingBeyondTheWeightsIsRead();
    void avx512IsRefusedBelowItsLevel();
    void onednnComputesSmallLayersOfLargeBatches();
    void whatWasNotPlannedHasTheSameBits();
    void onePlanServesSeveralThreadsAtATime();
    void theLibraryStartsNoThreads();
};

namespace {

/// Our kernels that this machine supports: those that are fast and need no plan.
std::vector<const MatmulKernels*> ownKernels()
{
    const MatmulProblem problem{.rows = 1, .depth = 1, .cols = 1, .level = machineCpuLevel()};
    std::vector<const MatmulKernels*> kernels;
    for (const MatmulImplementation& row : matmulImplementations()) {
        if (row.refusal(problem).empty() && row.kernels->plan == nullptr) {
            kernels.push_back(row.kernels);
        }
    }
    kernels.pop_back(); // the reference
    return kernels;
}

/// Every implementation that accepts the problem, with its plan.
std::vector<Matmul> plannedFor(const MatmulProblem& problem)
{
    std::vector<Matmul> planned;
    for (const MatmulImplementation& row : matmulImplementations()) {
        if (row.refusal(problem).empty()) {
            planned.emplace_back(row, problem);
        }
    }
    std::erase_if(planned, [](const Matmul& matmul) { return !matmul.isPlanned(); });
    return planned;
}

/// A problem that oneDNN gets by default.
const MatmulProblem kSmallLayer{.rows = 128, .depth = 200, .cols = 136};

/// The three products of one pair of matrices.
struct Products
{
    Products(const Matmul& matmul, ThreadPool& pool, const Matrix& src, const Matrix& weights,
             std::int64_t padding)
        : dst(src.rows, weights.cols, padding), srcGrad(src.rows, src.cols, padding),
          weightsGrad(weights.rows, weights.cols, padding)
    {
        Matrix dstGrad(src.rows, weights.cols, padding);
        dstGrad.fillRandom(3);
        matmul.forward(pool, src.view(), weights.view(), {}, dst.view());
        matmul.srcGradient(pool, dstGrad.view(), weights.view(), srcGrad.view());
        matmul.weightsGradient(pool, src.view(), dstGrad.view(), weightsGrad.view());
    }

    Matrix dst;
    Matrix srcGrad;
    Matrix weightsGrad;
};

} // namespace

void TstMatmul::everyRowAgreesWithTheReference_data()
{
    QTest::addColumn<qint64>("rows");
    QTest::addColumn<qint64>("depth");
    QTest::addColumn<qint64>("cols");
    QTest::addColumn<qint64>("padding");
    const std::vector<std::array<qint64, 4>> shapes = {
        {0, 3, 4, 0},       {3, 0, 4, 0},      {3, 4, 0, 0},     {1, 1, 1, 0},
        {1, 100, 100, 3},   {7, 5, 3, 1},      {13, 17, 19, 2},  {32, 50, 1, 0},
        {32, 100, 100, 0},  {33, 300, 37, 5},  {12, 8, 16, 0},   {5, 600, 8, 0},
        {200, 9, 530, 1},   {257, 65, 130, 0}, {1, 40, 1, 0},    {9, 1, 1, 2},
        {2, 33, 31, 0},     {28, 270, 64, 1},  {29, 66, 96, 0},  {343, 90, 67, 0},
        {15, 67, 100, 0},   {70, 513, 129, 3}, {64, 128, 64, 0}, {200, 256, 100, 0},
        {300, 256, 256, 1},
    };
    for (const auto& [rows, depth, cols, padding] : shapes) {
        QTest::addRow("%lld x %lld x %lld", rows, depth, cols) << rows << depth << cols << padding;
    }
}

void TstMatmul::everyRowAgreesWithTheReference()
{
    QFETCH(qint64, rows);
    QFETCH(qint64, depth);
    QFETCH(qint64, cols);
    QFETCH(qint64, padding);
    ThreadPool pool(2);
    const Matrix src = Matrix(rows, depth, padding).fillRandom(1);
    const Matrix weights = Matrix(depth, cols, padding).fillRandom(2);
    const std::vector<Matmul> planned = plannedFor({rows, depth, cols, machineCpuLevel()});
    const Products expected(planned.back(), pool, src, weights, padding);
    for (const Matmul& matmul : planned) {
        const Products actual(matmul, pool, src, weights, padding);
        VERIFY_CLOSE(actual.dst.values, expected.dst.values, 1e-5, 1e-5);
        VERIFY_CLOSE(actual.srcGrad.values, expected.srcGrad.values, 1e-5, 1e-5);
        VERIFY_CLOSE(actual.weightsGrad.values, expected.weightsGrad.values, 1e-5, 1e-5);
    }
}

void TstMatmul::epilogueAddsBiasAndActivates_data()
{
    QTest::addColumn<int>("activation");
    for (int i = 0; i < kActivationCount; ++i) {
        QTest::addRow("%s", name(static_cast<Activation>(i)).data()) << i;
    }
}

void TstMatmul::epilogueAddsBiasAndActivates()
{
    QFETCH(int, activation);
    ThreadPool pool(1);
    const Matrix src = Matrix(9, 300).fillRandom(1);
    const Matrix weights = Matrix(300, 21).fillRandom(2);
    const Matrix bias = Matrix(1, 21).fillRandom(3);
    for (const bool accumulate : {false, true}) {
        const MatmulEpilogue epilogue{bias.view().flat(), static_cast<Activation>(activation),
                                      accumulate};
        const Matrix start = Matrix(9, 21, 2).fillRandom(4);
        Matrix expected = start;
        reference::kMatmul.forward(nullptr, pool, src.view(), weights.view(), epilogue,
                                   expected.view());
        for (const MatmulKernels* kernels : ownKernels()) {
            Matrix actual = start;
            kernels->forward(nullptr, pool, src.view(), weights.view(), epilogue, actual.view());
            VERIFY_CLOSE(actual.values, expected.values, 2e-5, 2e-5);
        }
    }
}

void TstMatmul::nonFiniteValuesReachTheirRowsAndColumns()
{
    ThreadPool pool(1);
    Matrix src = Matrix(130, 130).fillRandom(1);
    Matrix weights = Matrix(130, 70).fillRandom(2);
    src.at(3, 4) = kNaN;
    src.at(11, 0) = kInfinity;
    weights.at(7, 39) = -kInfinity;
    Matrix bias(1, 70);
    const std::vector<Matmul> planned = plannedFor({130, 130, 70, machineCpuLevel()});
    for (const Activation activation : {Activation::Linear, Activation::Relu}) {
        const MatmulEpilogue epilogue{bias.view().flat(), activation, false};
        Matrix expected(130, 70);
        planned.back().forward(pool, src.view(), weights.view(), epilogue, expected.view());
        for (const Matmul& matmul : planned) {
            Matrix actual(130, 70);
            matmul.forward(pool, src.view(), weights.view(), epilogue, actual.view());
            VERIFY_CLOSE(actual.values, expected.values, 1e-5, 1e-5);
            QVERIFY(std::isnan(actual.at(3, 20)));
        }
    }
}

void TstMatmul::bitsDependNeitherOnThreadsNorOnTheLevel()
{
    ThreadPool alone(1);
    for (const auto& [rows, depth, cols] : {std::array{400, 300, 260},
                                            {64, 513, 31},
                                            {1, 1000, 17},
                                            {13, 7, 1},
                                            {128, 256, 128},
                                            {333, 200, 136},
                                            {1024, 140, 64}}) {
        const Matrix src = Matrix(rows, depth).fillRandom(1);
        const Matrix weights = Matrix(depth, cols).fillRandom(2);
        std::vector<Matmul> planned = plannedFor({rows, depth, cols, machineCpuLevel()});
        planned.pop_back(); // the reference
        const Products expected(planned.back(), alone, src, weights, 0);
        for (const Matmul& matmul : planned) {
            for (const int threads : {1, 2, 3, 7, 8}) {
                ThreadPool pool(threads);
                const Products actual(matmul, pool, src, weights, 0);
                QVERIFY(sameBits(actual.dst.values, expected.dst.values));
                QVERIFY(sameBits(actual.srcGrad.values, expected.srcGrad.values));
                QVERIFY(sameBits(actual.weightsGrad.values, expected.weightsGrad.values));
            }
        }
    }
}

void TstMatmul::bitsOfARowDoNotDependOnTheOthers()
{
    ThreadPool pool(1);
    const Matrix src = Matrix(100, 300).fillRandom(1);
    const Matrix weights = Matrix(300, 70).fillRandom(2);
    for (const MatmulKernels* kernels : ownKernels()) {
        Matrix all(100, 70);
        kernels->forward(nullptr, pool, src.view(), weights.view(), {}, all.view());
        for (const std::int64_t count : {1, 5, 13}) {
            Matrix some(count, 70);
            kernels->forward(nullptr, pool, src.view().slice(31, count), weights.view(), {},
                             some.view());
            QVERIFY(sameBits(some.values, all.view().slice(31, count).flat()));
        }
    }
}

/// For a few rows, the weights are read in place: the last value is directly before a protected
/// page.
void TstMatmul::nothingBeyondTheWeightsIsRead()
{
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    void* pages =
        mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    QVERIFY(pages != MAP_FAILED);
    QCOMPARE(mprotect(static_cast<char*>(pages) + page, page, PROT_NONE), 0);
    const auto* end = reinterpret_cast<const float*>(static_cast<char*>(pages) + page);
    ThreadPool pool(1);
    for (const std::int64_t cols : {3, 9, 17, 18, 31, 33, 50}) {
        const Matrix weights = Matrix(5, cols).fillRandom(2);
        const ConstMatrixView last{end - 5 * cols, 5, cols, cols};
        std::ranges::copy(weights.view().flat(), const_cast<float*>(last.data));
        for (const std::int64_t rows : {1, 2, 12}) {
            const Matrix src = Matrix(rows, 5).fillRandom(1);
            for (const MatmulKernels* kernels : ownKernels()) {
                Matrix expected(rows, cols);
                Matrix actual(rows, cols);
                kernels->forward(nullptr, pool, src.view(), weights.view(), {}, expected.view());
                kernels->forward(nullptr, pool, src.view(), last, {}, actual.view());
                QVERIFY(sameBits(actual.values, expected.values));
            }
        }
    }
    QCOMPARE(munmap(pages, 2 * page), 0);
}

void TstMatmul::avx512IsRefusedBelowItsLevel()
{
    MatmulProblem problem{32, 100, 50, CpuLevel::X86_64_v3};
    std::vector<Refusal> refusals;
    if (matmulImplementations()[1].name == "eigen") { // not built for x86-64-v3
        QCOMPARE(Matmul(problem, &refusals).implementation(), std::string_view("eigen"));
        QCOMPARE(refusals.size(), std::size_t{1});
        QCOMPARE(refusals[0].implementation, std::string_view("onednn"));
        QCOMPARE(refusals[0].reason, std::string_view("it is left out of engines for other "
                                                      "processors than x86-64-v3"));
        return;
    }
    QCOMPARE(Matmul(problem, &refusals).implementation(), std::string_view("packed avx2"));
    QCOMPARE(refusals.size(), std::size_t{2});
    QCOMPARE(refusals[1].implementation, std::string_view("packed avx512"));
    problem.level = CpuLevel::X86_64_v4;
    QCOMPARE(Matmul(problem).implementation(), std::string_view("packed avx512"));
}

void TstMatmul::onednnComputesSmallLayersOfLargeBatches()
{
    if (machineCpuLevel() < CpuLevel::X86_64_v4) {
        QSKIP("oneDNN is used with AVX-512 only, which this processor does not have.");
    }
    const auto choice = [](MatmulProblem problem) {
        problem.level = machineCpuLevel();
        return std::string(Matmul(problem).implementation());
    };
    QCOMPARE(choice({63, 256, 128}), std::string("packed avx512"));
    QCOMPARE(choice({128, 257, 128}), std::string("packed avx512"));
    QCOMPARE(choice({128, 256, 63}), std::string("packed avx512"));
    QCOMPARE(choice({128, 127, 64}), std::string("packed avx512"));
    MatmulProblem small = kSmallLayer;
    small.level = machineCpuLevel();
    std::vector<Refusal> refusals;
    if (Matmul(small, &refusals).implementation() != "onednn") {
        QCOMPARE(refusals.front().reason,
                 std::string_view("the library has no product with our bits here"));
        QSKIP("On this processor oneDNN chooses an algorithm with other bits.");
    }
    QCOMPARE(choice({128, 256, 128}), std::string("onednn"));
    QCOMPARE(choice({64, 128, 64}), std::string("onednn"));
}

/// Rows left over, rows of a shorter or longer batch, views with gaps, sums that are added to.
void TstMatmul::whatWasNotPlannedHasTheSameBits()
{
    ThreadPool pool(2);
    const Matrix bias = Matrix(1, kSmallLayer.cols).fillRandom(5);
    const std::vector<Matmul> planned = plannedFor(kSmallLayer);
    for (const Matmul& matmul : planned) {
        if (matmul.implementation() == "reference") {
            continue;
        }
        for (const std::int64_t rows : {1, 63, 64, 128, 150, 300}) {
            for (const std::int64_t padding : {0, 3}) {
                const Matrix src = Matrix(rows, kSmallLayer.depth, padding).fillRandom(1);
                const Matrix weights =
                    Matrix(kSmallLayer.depth, kSmallLayer.cols, padding).fillRandom(2);
                const Matmul& own = planned[planned.size() - 2];
                const Products expected(own, pool, src, weights, padding);
                const Products actual(matmul, pool, src, weights, padding);
                QVERIFY(sameBits(actual.dst.values, expected.dst.values));
                QVERIFY(sameBits(actual.srcGrad.values, expected.srcGrad.values));
                QVERIFY(sameBits(actual.weightsGrad.values, expected.weightsGrad.values));
                for (int activation = 0; activation < kActivationCount; ++activation) {
                    for (const bool accumulate : {false, true}) {
                        const MatmulEpilogue epilogue{
                            activation % 2 == 0 ? bias.view().flat() : std::span<const float>(),
                            static_cast<Activation>(activation), accumulate};
                        Matrix one = expected.dst;
                        Matrix other = expected.dst;
                        own.forward(pool, src.view(), weights.view(), epilogue, one.view());
                        matmul.forward(pool, src.view(), weights.view(), epilogue, other.view());
                        QVERIFY(sameBits(other.values, one.values));
                    }
                }
            }
        }
    }
}

void TstMatmul::onePlanServesSeveralThreadsAtATime()
{
    const Matmul matmul(kSmallLayer);
    const Matrix src = Matrix(kSmallLayer.rows, kSmallLayer.depth).fillRandom(1);
    const Matrix weights = Matrix(kSmallLayer.depth, kSmallLayer.cols).fillRandom(2);
    ThreadPool alone(1);
    const Products expected(matmul, alone, src, weights, 0);
    std::atomic<int> differences = 0;
    {
        std::vector<std::jthread> threads;
        for (int thread = 0; thread < 40; ++thread) {
            threads.emplace_back([&] {
                ThreadPool pool(1);
                const Products actual(matmul, pool, src, weights, 0);
                if (!sameBits(actual.dst.values, expected.dst.values) ||
                    !sameBits(actual.srcGrad.values, expected.srcGrad.values) ||
                    !sameBits(actual.weightsGrad.values, expected.weightsGrad.values)) {
                    ++differences;
                }
            });
        }
    }
    QCOMPARE(differences.load(), 0);
}

void TstMatmul::theLibraryStartsNoThreads()
{
    const auto threadsNow = [] {
        return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
    };
    // As on a machine with eight cores.
    omp_set_num_threads(8);
    const auto before = threadsNow();
    ThreadPool pool(1);
    const Matmul matmul(kSmallLayer);
    const Matrix src = Matrix(kSmallLayer.rows, kSmallLayer.depth).fillRandom(1);
    const Matrix weights = Matrix(kSmallLayer.depth, kSmallLayer.cols).fillRandom(2);
    const Products products(matmul, pool, src, weights, 0);
    QCOMPARE(threadsNow(), before);
    QCOMPARE(omp_get_max_threads(), 8);
}

CANNERY_TEST(TstMatmul)
#include "tst_matmul.moc"
