// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/activation.h"
#include "tests/kernels/kernel_compare.h"
#include "tests/support/test_main.h"

using namespace cannery::kernels;
using namespace cannery::tests;

class TstActivation : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void namesAreTensorFlows();
    void everyRowAgreesWithTheReference_data();
    void everyRowAgreesWithTheReference();
    void slopesAreDerivatives_data();
    void slopesAreDerivatives();
    void worksInPlace();
    void elementaryFunctionsAreExactToTheLastPlaces();
};

namespace {

void addActivations()
{
    QTest::addColumn<int>("index");
    for (int i = 0; i < kActivationCount; ++i) {
        QTest::addRow("%s", name(static_cast<Activation>(i)).data()) << i;
    }
}

/// Small, large, tiny and non-finite values, and the corners of the piecewise functions.
Matrix awkwardValues(std::int64_t rows, std::int64_t cols)
{
    Matrix values = Matrix(rows, cols, 3).fillRandom(1);
    const float infinity = std::numeric_limits<float>::infinity();
    const std::vector<float> corners = {0.0F,
                                        -0.0F,
                                        6.0F,
                                        -2.5F,
                                        2.5F,
                                        100.0F,
                                        -100.0F,
                                        1e-20F,
                                        infinity,
                                        -infinity,
                                        std::numeric_limits<float>::quiet_NaN()};
    for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t c = 0; c < cols; ++c) {
            const auto i = static_cast<std::size_t>(r * cols + c);
            values.at(r, c) =
                i < corners.size() && rows * cols > 11 ? corners[i] : 8 * values.at(r, c);
        }
    }
    return values;
}

} // namespace

void TstActivation::namesAreTensorFlows()
{
    for (int i = 0; i < kActivationCount; ++i) {
        const auto activation = static_cast<Activation>(i);
        QVERIFY(activationFromName(name(activation)) == activation);
    }
    QVERIFY(activationFromName("silu") == Activation::Swish);
    QVERIFY(!activationFromName("reul"));
}

void TstActivation::everyRowAgreesWithTheReference_data()
{
    addActivations();
}

void TstActivation::everyRowAgreesWithTheReference()
{
    QFETCH(int, index);
    const auto activation = static_cast<Activation>(index);
    for (const int threads : {1, 2, 7}) {
        ThreadPool pool(threads);
        for (const auto& [rows, cols] : {std::pair{0, 5}, {1, 1}, {3, 17}, {300, 129}}) {
            const Matrix src = awkwardValues(rows, cols);
            const Matrix bias = Matrix(1, cols).fillRandom(5);
            const Matrix dstGrad = Matrix(rows, cols, 3).fillRandom(6);
            for (const auto& row : activationImplementations()) {
                for (const std::span<const float> added :
                     {std::span<const float>(), bias.view().flat()}) {
                    Matrix expected(rows, cols, 3);
                    Matrix actual(rows, cols, 3);
                    reference::kActivation.forward(pool, activation, src.view(), added,
                                                   expected.view());
                    row.kernels->forward(pool, activation, src.view(), added, actual.view());
                    VERIFY_CLOSE(actual.values, expected.values, 2e-6, 1e-7);
                    Matrix expectedGrad(rows, cols, 3);
                    Matrix actualGrad(rows, cols, 3);
                    reference::kActivation.backward(
                        pool, activation,
                        {src.view(), expected.view(), dstGrad.view(), expectedGrad.view()});
                    row.kernels->backward(
                        pool, activation,
                        {src.view(), expected.view(), dstGrad.view(), actualGrad.view()});
                    VERIFY_CLOSE(actualGrad.values, expectedGrad.values, 2e-6, 2e-6);
                }
            }
        }
    }
}

void TstActivation::slopesAreDerivatives_data()
{
    addActivations();
}

void TstActivation::slopesAreDerivatives()
{
    QFETCH(int, index);
    const auto activation = static_cast<Activation>(index);
    for (double x = -7.97; x < 8; x += 0.13) {
        const auto [slope, difference] = withFormula(activation, [&](auto formula) {
            const double from = formula.kNeedsInput ? x : formula.value(x);
            const double h = 1e-5;
            return std::pair(formula.slope(from),
                             (formula.value(x + h) - formula.value(x - h)) / (2 * h));
        });
        QVERIFY2(std::abs(slope - difference) < 1e-6 * (1 + std::abs(slope)),
                 qPrintable(QString::number(x)));
    }
}

void TstActivation::worksInPlace()
{
    ThreadPool pool(1);
    const Matrix src = Matrix(4, 37).fillRandom(1);
    for (const Activation activation : {Activation::Relu, Activation::Tanh, Activation::Gelu}) {
        Matrix apart(4, 37);
        Matrix inPlace = src;
        cpu::kActivation.forward(pool, activation, src.view(), {}, apart.view());
        cpu::kActivation.forward(pool, activation, inPlace.view(), {}, inPlace.view());
        QVERIFY(sameBits(inPlace.values, apart.values));
        Matrix grad = Matrix(4, 37).fillRandom(2);
        Matrix gradApart(4, 37);
        cpu::kActivation.backward(pool, activation,
                                  {src.view(), apart.view(), grad.view(), gradApart.view()});
        cpu::kActivation.backward(pool, activation,
                                  {src.view(), apart.view(), grad.view(), grad.view()});
        QVERIFY(sameBits(grad.values, gradApart.values));
    }
}

void TstActivation::elementaryFunctionsAreExactToTheLastPlaces()
{
    for (double x = -103.0; x < 88.6; x += 0.00917) {
        const auto f = static_cast<float>(x);
        const double d = f;
        QVERIFY2(close(exponential(f), static_cast<float>(std::exp(d)), 2.4e-7, 3e-45),
                 qPrintable(QString::number(x)));
        if (x < 88) {
            QVERIFY2(close(exponentialMinusOne(f), static_cast<float>(std::expm1(d)), 2.4e-7, 0),
                     qPrintable(QString::number(x)));
        }
        QVERIFY2(close(hyperbolicTangent(f), static_cast<float>(std::tanh(d)), 3e-7, 0),
                 qPrintable(QString::number(x)));
    }
    for (float x = 0; x <= 1; x += 0.00037F) {
        QVERIFY(close(logarithmOfOnePlus(x), static_cast<float>(std::log1p(double(x))), 2e-7, 0));
    }
    QCOMPARE(logarithmOfOnePlus(1e-30F), 1e-30F);
    QCOMPARE(exponential(1000.0F), std::numeric_limits<float>::infinity());
    QCOMPARE(exponential(-1000.0F), 0.0F);
    QCOMPARE(hyperbolicTangent(1e-30F), 1e-30F);
}

CANNERY_TEST(TstActivation)
#include "tst_activation.moc"
