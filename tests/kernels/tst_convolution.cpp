// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/convolution.h"
#include "tests/kernels/kernel_compare.h"
#include "tests/kernels/non_finite.h"
#include "tests/support/test_main.h"

#include <algorithm>
#include <array>
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

class TstConvolution : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void valuesByHand();
    void transposedByHand();
    void depthwiseByHand();
    void everyRowAgreesWithTheReference_data();
    void everyRowAgreesWithTheReference();
    void epilogueAddsBiasAndActivates();
    void gradientsAreThoseOfFiniteDifferences();
    void paddingAddsNothingToNonFiniteValues();
    void bitsDependNotOnThreads_data();
    void bitsDependNotOnThreads();
    void anImageHasTheBitsItHasInABatch_data();
    void anImageHasTheBitsItHasInABatch();
    void onePlanServesSeveralThreadsAtATime();
    void rowsSayWhatTheyRefuse();
    void theLibraryStartsNoThreads();
};

namespace {

struct ConvolutionCase
{
    const char* name = nullptr;
    ConvolutionProblem problem;
};

ConvolutionProblem problemOf(std::int64_t images, WindowAxis height, WindowAxis width,
                             std::int64_t inChannels, std::int64_t filters, std::int64_t groups = 1)
{
    return {images, height, width, inChannels, filters, groups, machineCpuLevel()};
}

/// Window, stride, dilation, padding before and after.
std::vector<ConvolutionCase> convolutionCases()
{
    const WindowAxis same{9, 3, 1, 1, 1, 1};
    return {
        {"same 3 x 3", problemOf(3, same, {7, 3, 1, 1, 1, 1}, 5, 6)},
        {"valid 5 x 5, one channel", problemOf(2, {28, 5}, {28, 5}, 1, 6)},
        {"a sequence", problemOf(4, {}, {11, 3}, 3, 4)},
        {"causal", problemOf(2, {}, {10, 3, 1, 2, 4, 0}, 2, 5)},
        {"causal with strides", problemOf(2, {}, {10, 3, 2, 1, 2, 0}, 2, 5)},
        {"strides", problemOf(2, {7, 3, 2, 1, 1, 1}, {6, 3, 2, 1, 0, 1}, 2, 4)},
        {"unequal strides", problemOf(2, {9, 4, 3, 1, 1, 2}, {8, 2, 1}, 3, 2)},
        {"dilation", problemOf(2, {9, 3, 1, 2, 2, 2}, {10, 3, 1, 3, 3, 3}, 3, 5)},
        {"groups", problemOf(2, {6, 3, 1, 1, 1, 1}, {5, 2, 1, 1, 0, 1}, 6, 4, 2)},
        {"groups with dilation", problemOf(2, {8, 3, 1, 2}, {8, 3, 1, 2}, 9, 6, 3)},
        {"1 x 1", problemOf(3, {5}, {6}, 20, 33)},
        {"1 x 1 with strides", problemOf(3, {7, 1, 2}, {6, 1, 2}, 20, 33)},
        {"1 x 1 to one filter", problemOf(3, {5}, {6}, 20, 1)},
        {"one pixel", problemOf(5, {1, 3, 1, 1, 1, 1}, {1, 3, 1, 1, 1, 1}, 4, 7)},
        {"a window larger than the picture",
         problemOf(2, {3, 7, 1, 1, 3, 3}, {2, 5, 1, 1, 2, 2}, 3, 4)},
        {"a window that does not fit", problemOf(2, {3, 5}, {8, 3}, 3, 4)},
        {"a gap between windows", problemOf(2, {11, 2, 4}, {9, 1, 3}, 2, 3)},
        {"more padding than window", problemOf(2, {3, 2, 1, 1, 3, 4}, {3, 2, 2, 1, 2, 3}, 2, 3)},
        {"depths in chunks", problemOf(2, {6, 3, 1, 1, 1, 1}, {7, 3, 1, 1, 1, 1}, 70, 40)},
        {"channels in blocks", problemOf(2, {5, 3, 1, 1, 1, 1}, {4, 3, 2, 1, 1, 1}, 260, 9)},
        {"many positions", problemOf(9, {19, 3, 1, 1, 1, 1}, {23, 3, 1, 1, 1, 1}, 16, 32)},
        {"strips", problemOf(2, {48, 3, 1, 1, 1, 1}, {40, 3, 1, 1, 1, 1}, 16, 16)},
        {"strips with strides", problemOf(2, {61, 5, 2, 1, 2, 1}, {58, 3}, 3, 16)},
        {"strips with dilation", problemOf(1, {41, 3, 1, 4, 4, 3}, {31, 1}, 16, 20)},
        {"depthwise strips", problemOf(2, {33, 3, 1, 1, 1, 1}, {40, 3, 1, 1, 1, 1}, 32, 32, 32)},
        {"no images", problemOf(0, same, same, 5, 6)},
        {"no channels", problemOf(2, same, same, 0, 6)},
        {"no filters", problemOf(2, same, same, 5, 0)},
        {"depthwise", problemOf(3, same, {8, 3, 1, 1, 1, 1}, 40, 40, 40)},
        {"depthwise with strides",
         problemOf(3, {9, 3, 2, 1, 0, 1}, {8, 3, 2, 1, 1, 1}, 33, 33, 33)},
        {"depthwise, dilated", problemOf(2, {9, 3, 1, 2, 2, 2}, {8, 3, 1, 2}, 7, 7, 7)},
        {"depthwise by 3", problemOf(2, same, {8, 2, 1, 1, 0, 1}, 15, 45, 15)},
        {"depthwise sequence", problemOf(2, {}, {9, 4, 2}, 6, 12, 6)},
    };
}

void addConvolutions()
{
    QTest::addColumn<int>("index");
    int index = 0;
    for (const ConvolutionCase& named : convolutionCases()) {
        QTest::newRow(named.name) << index++;
    }
}

/// Every implementation that accepts the problem, with its plan; the reference is the last.
std::vector<Convolution> plannedFor(const ConvolutionProblem& problem)
{
    std::vector<Convolution> planned;
    for (const ConvolutionImplementation& row : convolutionImplementations()) {
        if (row.refusal(problem).empty()) {
            planned.emplace_back(row, problem);
        }
    }
    std::erase_if(planned, [](const Convolution& one) { return !one.isPlanned(); });
    return planned;
}

/// What goes into the three functions: pictures `padding` floats apart.
struct Operands
{
    explicit Operands(const ConvolutionProblem& problem, std::int64_t padding = 0)
        : gap(padding), src(problem.images, problem.srcFloats(), padding),
          kernel(1, problem.kernelFloats()), dstGrad(problem.images, problem.dstFloats(), padding)
    {
        src.fillRandom(1);
        kernel.fillRandom(2);
        dstGrad.fillRandom(3);
    }

    std::int64_t gap;
    Matrix src;
    Matrix kernel;
    Matrix dstGrad;
};

/// What comes out of them. Starts with values that must be overwritten.
struct ConvolutionResults
{
    ConvolutionResults(const Convolution& convolution, ThreadPool& pool, const Operands& operands)
        : dst(operands.dstGrad.rows, operands.dstGrad.cols, operands.gap),
          srcGrad(operands.src.rows, operands.src.cols, operands.gap),
          kernelGrad(1, operands.kernel.cols)
    {
        dst.fillRandom(4);
        srcGrad.fillRandom(5);
        kernelGrad.fillRandom(6);
        convolution.forward(pool, operands.src.view(), operands.kernel.values, {}, dst.view());
        convolution.srcGradient(pool, operands.dstGrad.view(), operands.kernel.values,
                                srcGrad.view());
        convolution.kernelGradient(pool, operands.src.view(), operands.dstGrad.view(),
                                   kernelGrad.values);
    }

    Matrix dst;
    Matrix srcGrad;
    Matrix kernelGrad;
};

bool sameResults(const ConvolutionResults& one, const ConvolutionResults& other)
{
    return sameBits(one.dst.values, other.dst.values) &&
           sameBits(one.srcGrad.values, other.srcGrad.values) &&
           sameBits(one.kernelGrad.values, other.kernelGrad.values);
}

/// What rounding may add up to in one chain of products of numbers in [-1, 1): the partial sums of
/// n products are about sqrt(n) / 3, each is rounded to 2^-25 of it, and n roundings add up to
/// about 1e-8 n. oneDNN has such chains, our own kernels shorter ones.
double roundingOf(std::int64_t products)
{
    return std::max(1e-5, 2e-8 * static_cast<double>(products));
}

} // namespace

#define VERIFY_RESULTS(actual, expected, problem)                                                  \
    do {                                                                                           \
        const std::int64_t taps = (problem).height.window * (problem).width.window;                \
        const std::int64_t sums = (problem).images * (problem).dstPixels();                        \
        VERIFY_CLOSE((actual).dst.values, (expected).dst.values, 1e-5,                             \
                     roundingOf((problem).depth()));                                               \
        VERIFY_CLOSE((actual).srcGrad.values, (expected).srcGrad.values, 1e-5,                     \
                     roundingOf(taps*(problem).groupFilters()));                                   \
        VERIFY_CLOSE((actual).kernelGrad.values, (expected).kernelGrad.values, 1e-5,               \
                     roundingOf(sums));                                                            \
    } while (false)

/// src 1 2 3 / 4 5 6, padded by one row above and one column to the right, kernel 1 10 / 100 1000.
void TstConvolution::valuesByHand()
{
    const ConvolutionProblem problem = problemOf(1, {2, 2, 1, 1, 1, 0}, {3, 2, 1, 1, 0, 1}, 1, 1);
    const std::vector<float> src = {1, 2, 3, 4, 5, 6};
    const std::vector<float> kernel = {1, 10, 100, 1000};
    const std::vector<float> dstGrad = {1, 0, 0, 0, 0, 2};
    ThreadPool pool(1);
    for (const Convolution& convolution : plannedFor(problem)) {
        std::vector<float> dst(6);
        std::vector<float> srcGrad(6);
        std::vector<float> kernelGrad(4);
        convolution.forward(pool, matrixView(std::span(src), 1, 6), kernel,
                            {.bias = std::array{0.5F}}, matrixView(std::span(dst), 1, 6));
        QCOMPARE(dst, (std::vector<float>{2100.5F, 3200.5F, 300.5F, 5421.5F, 6532.5F, 603.5F}));
        convolution.srcGradient(pool, matrixView(std::span(dstGrad).subspan(0), 1, 6), kernel,
                                matrixView(std::span(srcGrad), 1, 6));
        QCOMPARE(srcGrad, (std::vector<float>{100, 1000, 2, 0, 0, 200}));
        convolution.kernelGradient(pool, matrixView(std::span(src), 1, 6),
                                   matrixView(std::span(dstGrad), 1, 6), kernelGrad);
        QCOMPARE(kernelGrad, (std::vector<float>{6, 0, 13, 2}));
    }
}

/// A transposed convolution of a sequence, stride 2: each value writes the kernel, two steps apart.
void TstConvolution::transposedByHand()
{
    const ConvolutionProblem problem = problemOf(1, {}, {5, 3, 2}, 1, 1);
    ThreadPool pool(1);
    for (const Convolution& convolution : plannedFor(problem)) {
        std::vector<float> result(5);
        convolution.srcGradient(pool, ConstMatrixView{std::array{2.0F, 3.0F}.data(), 1, 2, 2},
                                std::array{1.0F, 10.0F, 100.0F},
                                matrixView(std::span(result), 1, 5));
        QCOMPARE(result, (std::vector<float>{2, 20, 203, 30, 300}));
    }
}

/// Two channels by two filters each: filter c * 2 + j sees channel c alone.
void TstConvolution::depthwiseByHand()
{
    const ConvolutionProblem problem = problemOf(1, {}, {2, 2}, 2, 4, 2);
    const std::array src{1.0F, 2.0F, 3.0F, 4.0F};
    const std::array kernel{1.0F, 2.0F, 3.0F, 4.0F, 10.0F, 20.0F, 30.0F, 40.0F};
    ThreadPool pool(1);
    for (const Convolution& convolution : plannedFor(problem)) {
        std::vector<float> dst(4);
        convolution.forward(pool, {src.data(), 1, 4, 4}, kernel, {},
                            matrixView(std::span(dst), 1, 4));
        QCOMPARE(dst, (std::vector<float>{31, 62, 126, 168}));
    }
}

void TstConvolution::everyRowAgreesWithTheReference_data()
{
    addConvolutions();
}

void TstConvolution::everyRowAgreesWithTheReference()
{
    QFETCH(int, index);
    ConvolutionProblem problem = convolutionCases()[static_cast<std::size_t>(index)].problem;
    ThreadPool pool(2);
    for (const auto& [padding, trains] : {std::pair{0, true}, {3, true}, {0, false}}) {
        problem.trains = trains;
        const std::vector<Convolution> planned = plannedFor(problem);
        const Operands operands(problem, padding);
        const ConvolutionResults expected(planned.back(), pool, operands);
        for (const Convolution& convolution : planned) {
            const ConvolutionResults actual(convolution, pool, operands);
            VERIFY_RESULTS(actual, expected, problem);
        }
    }
}

void TstConvolution::epilogueAddsBiasAndActivates()
{
    ThreadPool pool(1);
    for (const ConvolutionCase& named : convolutionCases()) {
        const Operands operands(named.problem);
        const Matrix bias = Matrix(1, named.problem.filters).fillRandom(7);
        const std::vector<Convolution> planned = plannedFor(named.problem);
        for (const Activation activation :
             {Activation::Linear, Activation::Relu, Activation::Swish}) {
            const ConvolutionEpilogue epilogue{bias.values, activation};
            Matrix expected = operands.dstGrad;
            planned.back().forward(pool, operands.src.view(), operands.kernel.values, epilogue,
                                   expected.view());
            for (const Convolution& convolution : planned) {
                Matrix actual = operands.dstGrad;
                convolution.forward(pool, operands.src.view(), operands.kernel.values, epilogue,
                                    actual.view());
                VERIFY_CLOSE(actual.values, expected.values, 2e-5, 2e-5);
            }
        }
    }
}

/// The reference's gradients against its forward pass: with L = sum of dst * dstGrad, which is
/// linear in each operand, a difference has no error but rounding.
void TstConvolution::gradientsAreThoseOfFiniteDifferences()
{
    ThreadPool pool(1);
    for (const ConvolutionCase& named : convolutionCases()) {
        if (named.problem.depth() > 200 || named.problem.images == 0) {
            continue;
        }
        const Convolution reference(convolutionImplementations().back(), named.problem);
        const Operands operands(named.problem);
        const ConvolutionResults results(reference, pool, operands);
        const auto loss = [&](const Operands& at) {
            Matrix dst = at.dstGrad;
            reference.forward(pool, at.src.view(), at.kernel.values, {}, dst.view());
            double sum = 0;
            for (std::size_t i = 0; i < dst.values.size(); ++i) {
                sum += static_cast<double>(dst.values[i]) * at.dstGrad.values[i];
            }
            return sum;
        };
        const auto check = [&](Matrix Operands::*operand, const Matrix& gradient) {
            const std::size_t count = gradient.values.size();
            for (std::size_t i = 0; i < count; i += std::max<std::size_t>(1, count / 5)) {
                Operands higher = operands;
                (higher.*operand).values[i] += 1.0F;
                const double slope = loss(higher) - loss(operands);
                QVERIFY2(std::abs(slope - gradient.values[i]) < 1e-4, named.name);
            }
        };
        check(&Operands::src, results.srcGrad);
        check(&Operands::kernel, results.kernelGrad);
    }
}

/// NaN and infinity reach what arithmetic says, and nothing by way of the padding.
void TstConvolution::paddingAddsNothingToNonFiniteValues()
{
    ThreadPool pool(2);
    for (const ConvolutionCase& named : convolutionCases()) {
        const Operands finite(named.problem);
        const std::vector<Convolution> planned = plannedFor(named.problem);
        for (Matrix Operands::*operand : {&Operands::src, &Operands::kernel, &Operands::dstGrad}) {
            Operands operands = finite;
            std::vector<float>& values = (operands.*operand).values;
            if (values.empty()) {
                continue;
            }
            values.front() = kNaN;
            values[values.size() / 2] = kInfinity;
            values.back() = -kInfinity;
            const ConvolutionResults expected(planned.back(), pool, operands);
            for (const Convolution& convolution : planned) {
                const ConvolutionResults actual(convolution, pool, operands);
                VERIFY_RESULTS(actual, expected, named.problem);
            }
        }
    }
}

void TstConvolution::bitsDependNotOnThreads_data()
{
    addConvolutions();
}

void TstConvolution::bitsDependNotOnThreads()
{
    QFETCH(int, index);
    const ConvolutionProblem problem = convolutionCases()[static_cast<std::size_t>(index)].problem;
    const Operands operands(problem);
    ThreadPool alone(1);
    for (const Convolution& convolution : plannedFor(problem)) {
        const ConvolutionResults expected(convolution, alone, operands);
        for (const int threads : {2, 5}) {
            ThreadPool pool(threads);
            QVERIFY(sameResults(ConvolutionResults(convolution, pool, operands), expected));
        }
    }
}

void TstConvolution::anImageHasTheBitsItHasInABatch_data()
{
    addConvolutions();
}

/// And so has any part of a batch, as a batch that is longer than planned.
void TstConvolution::anImageHasTheBitsItHasInABatch()
{
    QFETCH(int, index);
    ConvolutionProblem problem = convolutionCases()[static_cast<std::size_t>(index)].problem;
    const std::vector<Convolution> planned = plannedFor(problem);
    problem.images = 2 * problem.images + 5;
    const Operands operands(problem);
    ThreadPool pool(2);
    for (const Convolution& convolution : planned) {
        const ConvolutionResults all(convolution, pool, operands);
        for (const auto& [first, count] : {std::pair{0, 1}, {2, 1}, {1, 3}}) {
            Matrix dst(count, problem.dstFloats());
            Matrix srcGrad(count, problem.srcFloats());
            convolution.forward(pool, operands.src.view().slice(first, count),
                                operands.kernel.values, {}, dst.view());
            convolution.srcGradient(pool, operands.dstGrad.view().slice(first, count),
                                    operands.kernel.values, srcGrad.view());
            QVERIFY(sameBits(dst.values, all.dst.view().slice(first, count).flat()));
            QVERIFY(sameBits(srcGrad.values, all.srcGrad.view().slice(first, count).flat()));
        }
    }
}

void TstConvolution::onePlanServesSeveralThreadsAtATime()
{
    const ConvolutionProblem problem =
        problemOf(8, {14, 3, 1, 1, 1, 1}, {14, 3, 1, 1, 1, 1}, 16, 16);
    const Operands operands(problem);
    for (const Convolution& convolution : plannedFor(problem)) {
        ThreadPool alone(1);
        const ConvolutionResults expected(convolution, alone, operands);
        std::atomic<int> differences = 0;
        {
            std::vector<std::jthread> threads;
            for (int thread = 0; thread < 6; ++thread) {
                threads.emplace_back([&] {
                    ThreadPool pool(1);
                    differences +=
                        sameResults(ConvolutionResults(convolution, pool, operands), expected) ? 0
                                                                                               : 1;
                });
            }
        }
        QCOMPARE(differences.load(), 0);
    }
}

void TstConvolution::rowsSayWhatTheyRefuse()
{
    const auto refusal = [](std::string_view name, const ConvolutionProblem& problem) {
        const auto row =
            std::ranges::find(convolutionImplementations(), name, &ConvolutionImplementation::name);
        return std::string(row->refusal(problem));
    };
    ConvolutionProblem problem = problemOf(2, {8, 3}, {8, 3}, 6, 6, 3);
    QCOMPARE(refusal("depthwise", problem), std::string("it is for depthwise convolutions only"));
    problem.level = CpuLevel::X86_64_v3;
    std::vector<Refusal> refusals;
    const Convolution convolution(problem, &refusals);
    QCOMPARE(refusals.front().implementation, std::string_view("onednn"));
    if (convolutionImplementations()[2].name == "columns eigen") { // not built for x86-64-v3
        QCOMPARE(convolution.implementation(), std::string_view("columns eigen"));
        return;
    }
    QCOMPARE(convolution.implementation(), std::string_view("columns avx2"));
    QCOMPARE(refusals.front().reason, std::string_view("it needs the level x86-64-v4 (AVX-512)"));
    problem.level = CpuLevel::X86_64_v4;
    problem.height.after = 3;
    QCOMPARE(refusal("onednn", problem),
             std::string("it refuses padding that is wider than the window"));
    problem.height.size = 0;
    problem.height.after = 0;
    QCOMPARE(refusal("onednn", problem), std::string("it refuses convolutions of nothing"));
}

void TstConvolution::theLibraryStartsNoThreads()
{
    const auto threadsNow = [] {
        return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
    };
    // As on a machine with eight cores.
    omp_set_num_threads(8);
    const auto before = threadsNow();
    const ConvolutionProblem problem =
        problemOf(2, {14, 3, 1, 1, 1, 1}, {14, 3, 1, 1, 1, 1}, 16, 32);
    ThreadPool pool(1);
    const Operands operands(problem);
    for (const Convolution& convolution : plannedFor(problem)) {
        const ConvolutionResults results(convolution, pool, operands);
    }
    QCOMPARE(threadsNow(), before);
    QCOMPARE(omp_get_max_threads(), 8);
}

CANNERY_TEST(TstConvolution)
#include "tst_convolution.moc"
