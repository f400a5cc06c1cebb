// SPDX-License-Identifier: Apache-2.0
#include "tests/core/export/single_op.h"
#include "tests/support/test_main.h"

#include <limits>

using namespace cannery;
using namespace cannery::tests;

/// Functions of single numbers, arithmetic and comparisons. Expected values are those of the same
/// operation in tf.raw_ops of TensorFlow 2.15.1 on a CPU.
class TstMathOps : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void functionsGiveTensorFlowsNumbers_data();
    void functionsGiveTensorFlowsNumbers();
    void leakyReluScalesNegativeNumbers();
    void maximumAndMinimumAreNanIfEitherNumberIs();
    void divisionsByZero();
    void nanIsDifferentFromEverything_data();
    void nanIsDifferentFromEverything();
    void integersWrapAround();
    void shapesAreBroadcast();
    void differentTypesAndShapesAreRefused();
    void logicalOperationsTakeBools();
};

namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();

} // namespace

void TstMathOps::functionsGiveTensorFlowsNumbers_data()
{
    QTest::addColumn<QList<float>>("numbers");
    QTest::addColumn<QList<float>>("expected");
    const QList<float> wide{-kInf, -3, -0.5F, 0, 0.5F, 3, 7, kInf, kNan};
    const auto addWide = [&](const char* op, const QList<float>& expected) {
        QTest::newRow(op) << wide << expected;
    };
    addWide("Ceil", {-kInf, -3, -0.0F, 0, 1, 3, 7, kInf, kNan});
    addWide("Elu", {-1, -0.95021296F, -0.39346933F, 0, 0.5F, 3, 7, kInf, kNan});
    addWide("Erf", {-1, -0.99997777F, -0.5204999F, 0, 0.5204999F, 0.99997777F, 1, 1, kNan});
    addWide("Exp",
            {0, 0.049787071F, 0.60653067F, 1, 1.6487212F, 20.085537F, 1096.6332F, kInf, kNan});
    addWide("Relu", {0, 0, 0, 0, 0.5F, 3, 7, kInf, kNan});
    addWide("Relu6", {0, 0, 0, 0, 0.5F, 3, 6, 6, kNan});
    addWide("Selu", {-1.7580993F, -1.6705687F, -0.69175816F, 0, 0.5253505F, 3.152103F, 7.354907F,
                     kInf, kNan});
    addWide("Sigmoid",
            {0, 0.047425877F, 0.37754068F, 0.5F, 0.62245935F, 0.95257413F, 0.99908894F, 1, kNan});
    addWide("Softplus", {0, 0.048587356F, 0.474077F, 0.6931472F, 0.9740769F, 3.048587F, 7.0009117F,
                         kInf, kNan});
    addWide("Softsign", {kNan, -0.75F, -0.33333334F, 0, 0.33333334F, 0.75F, 0.875F, kNan, kNan});
    addWide("Square", {kInf, 9, 0.25F, 0, 0.25F, 9, 49, kInf, kNan});
    addWide("Tanh",
            {-1, -0.9950547F, -0.46211717F, 0, 0.46211717F, 0.9950547F, 0.99999833F, 1, kNan});
    const QList<float> above{-1, 0, 0.25F, 1, 2, kInf, kNan};
    QTest::newRow("Log") << above
                         << QList<float>{kNan, -kInf, -1.3862944F, 0, 0.6931472F, kInf, kNan};
    QTest::newRow("Log1p") << above << QList<float>{-kInf,      0,    0.22314355F, 0.6931472F,
                                                    1.0986123F, kInf, kNan};
    QTest::newRow("Neg") << above << QList<float>{1, -0.0F, -0.25F, -1, -2, -kInf, kNan};
    QTest::newRow("OnesLike") << above << QList<float>{1, 1, 1, 1, 1, 1, 1};
    QTest::newRow("Rsqrt") << above << QList<float>{kNan, kInf, 2, 1, 0.70710677F, 0, kNan};
    QTest::newRow("Sqrt") << above << QList<float>{kNan, 0, 0.5F, 1, 1.4142135F, kInf, kNan};
}

void TstMathOps::functionsGiveTensorFlowsNumbers()
{
    QFETCH(QList<float>, numbers);
    QFETCH(QList<float>, expected);
    const auto tensor = [](const QList<float>& list) {
        return HostTensor::of(std::vector<float>(list.begin(), list.end()));
    };
    VERIFY_GIVES(runOp(QTest::currentDataTag(), {tensor(numbers)}), 0U, tensor(expected));
    VERIFY_GIVES(runOp(QTest::currentDataTag(), {tensor({})}), 0U, tensor({}));
    VERIFY_REFUSES(runOp(QTest::currentDataTag(), {listOf<std::int64_t>({1})}));
}

void TstMathOps::leakyReluScalesNegativeNumbers()
{
    VERIFY_GIVES(runOp("LeakyRelu", {listOf<float>({-3, 0, 7, kNan})}, {{"alpha", 0.125F}}), 0U,
                 listOf<float>({-0.375F, 0, 7, kNan}));
}

void TstMathOps::maximumAndMinimumAreNanIfEitherNumberIs()
{
    const Tensors pair{listOf<float>({kNan, 1, kNan, 2}), listOf<float>({1, kNan, kNan, 3})};
    VERIFY_GIVES(runOp("Maximum", pair), 0U, listOf<float>({kNan, kNan, kNan, 3}));
    VERIFY_GIVES(runOp("Minimum", pair), 0U, listOf<float>({kNan, kNan, kNan, 2}));
    const Tensors integers{listOf<std::int64_t>({kLeast, 3}), listOf<std::int64_t>({kMost, 2})};
    VERIFY_GIVES(runOp("Maximum", integers), 0U, listOf<std::int64_t>({kMost, 3}));
    VERIFY_GIVES(runOp("Minimum", integers), 0U, listOf<std::int64_t>({kLeast, 2}));
}

void TstMathOps::divisionsByZero()
{
    const Tensors pair{listOf<float>({1, 0, kNan, kInf, -3}), listOf<float>({0, 0, 0, 0, 2})};
    VERIFY_GIVES(runOp("DivNoNan", pair), 0U, listOf<float>({0, 0, 0, 0, -1.5F}));
    VERIFY_GIVES(runOp("RealDiv", pair), 0U, listOf<float>({kInf, kNan, kNan, kInf, -1.5F}));
}

void TstMathOps::nanIsDifferentFromEverything_data()
{
    QTest::addColumn<QList<bool>>("expected");
    QTest::newRow("Equal") << QList<bool>{true, false, false, true, true};
    QTest::newRow("NotEqual") << QList<bool>{false, true, true, false, false};
    QTest::newRow("Less") << QList<bool>{false, true, false, false, false};
    QTest::newRow("Greater") << QList<bool>{false, false, false, false, false};
    QTest::newRow("GreaterEqual") << QList<bool>{true, false, false, true, true};
}

void TstMathOps::nanIsDifferentFromEverything()
{
    QFETCH(QList<bool>, expected);
    const auto outcome = runOp(QTest::currentDataTag(), {listOf<float>({1, 2, kNan, kInf, 0}),
                                                         listOf<float>({1, 3, kNan, kInf, -0.0F})});
    VERIFY_OK(outcome);
    const auto values = outcome->front().values<bool>();
    QCOMPARE(QList<bool>(values.begin(), values.end()), expected);
}

void TstMathOps::integersWrapAround()
{
    VERIFY_GIVES(
        runOp("AddV2", {listOf<std::int64_t>({kMost, kLeast}), listOf<std::int64_t>({1, -1})}), 0U,
        listOf<std::int64_t>({kLeast, kMost}));
    VERIFY_GIVES(runOp("Sub", {listOf<std::int64_t>({kLeast}), listOf<std::int64_t>({1})}), 0U,
                 listOf<std::int64_t>({kMost}));
    VERIFY_GIVES(runOp("Mul", {listOf<std::int64_t>({kMost}), listOf<std::int64_t>({2})}), 0U,
                 listOf<std::int64_t>({-2}));
    VERIFY_GIVES(runOp("AddV2", {listOf<std::int32_t>({2147483647}), listOf<std::int32_t>({1})}),
                 0U, listOf<std::int32_t>({std::numeric_limits<std::int32_t>::min()}));
}

void TstMathOps::shapesAreBroadcast()
{
    const HostTensor column = tensorOf<float>({1, 2}, {2, 1});
    VERIFY_GIVES(runOp("Sub", {column, listOf<float>({10, 20, 30})}), 0U,
                 tensorOf<float>({-9, -19, -29, -8, -18, -28}, {2, 3}));
    VERIFY_GIVES(runOp("BiasAdd", {tensorOf<float>({1, 2, 3, 4}, {2, 2}), listOf<float>({10, 20})}),
                 0U, tensorOf<float>({11, 22, 13, 24}, {2, 2}));
    VERIFY_GIVES(runOp("AddV2", {tensorOf<float>({}, {0, 1}), listOf<float>({1, 2})}), 0U,
                 tensorOf<float>({}, {0, 2}));
}

void TstMathOps::differentTypesAndShapesAreRefused()
{
    VERIFY_REFUSES(runOp("Sub", {listOf<float>({1, 2}), listOf<float>({1, 2, 3})}));
    VERIFY_REFUSES(runOp("AddV2", {listOf<float>({1}), listOf<std::int64_t>({1})}));
    VERIFY_REFUSES(runOp("Equal", {HostTensor::ofStrings({"a"}), listOf<float>({1})}));
    VERIFY_REFUSES(runOp("Mul", {listOf<float>({1})}));
}

void TstMathOps::logicalOperationsTakeBools()
{
    const Tensors pair{listOf<bool>({false, false, true, true}),
                       listOf<bool>({false, true, false, true})};
    VERIFY_GIVES(runOp("LogicalAnd", pair), 0U, listOf<bool>({false, false, false, true}));
    VERIFY_GIVES(runOp("LogicalOr", pair), 0U, listOf<bool>({false, true, true, true}));
    VERIFY_REFUSES(runOp("LogicalOr", {listOf<float>({1}), listOf<float>({1})}));
    VERIFY_GIVES(
        runOp("Equal", {HostTensor::ofStrings({"a", "b"}), HostTensor::ofStrings({"a", "c"})}), 0U,
        listOf<bool>({true, false}));
}

CANNERY_TEST(TstMathOps)
#include "tst_math_ops.moc"
