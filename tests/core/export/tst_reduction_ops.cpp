// SPDX-License-Identifier: Apache-2.0
#include "tests/core/export/single_op.h"
#include "tests/support/test_main.h"

#include <limits>

using namespace cannery;
using namespace cannery::tests;

/// Sums, products of matrices, softmax and conversions. Expected values are those of the same
/// operation in tf.raw_ops of TensorFlow 2.15.1 on a CPU.
class TstReductionOps : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void softmaxOfEachRowAddsUpToOne();
    void crossEntropyGivesLossAndGradient();
    void argMaxTakesTheFirstLargestAndNeverNan();
    void matricesAreMultiplied();
    void addNWantsEqualShapes();
    void sumsGoAlongOneDimension();
    void segmentsAreSummedByTheirIds();
    void allAndAssertLookAtEveryElement();
    void anyLooksAlongOneDimension();
    void castsThatDoNotFitGiveTheLeastInteger();
    void boundariesBelongToTheBucketAbove();
    void upperBoundsCountWhatIsAtOrBelow();
};

namespace {

constexpr float kNotANumber = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinite = std::numeric_limits<float>::infinity();

} // namespace

void TstReductionOps::softmaxOfEachRowAddsUpToOne()
{
    VERIFY_GIVES(runOp("Softmax", {tensorOf<float>({1, 2, 3, 1000, 1000, 0}, {2, 3})}), 0U,
                 tensorOf<float>({0.090030566F, 0.24472848F, 0.6652409F, 0.5F, 0.5F, 0}, {2, 3}));
    VERIFY_GIVES(runOp("Softmax", {tensorOf<float>({-kInfinite, 0}, {1, 2})}), 0U,
                 tensorOf<float>({0, 1}, {1, 2}));
    VERIFY_GIVES(runOp("Softmax", {tensorOf<float>({}, {2, 0})}), 0U, tensorOf<float>({}, {2, 0}));
}

void TstReductionOps::crossEntropyGivesLossAndGradient()
{
    const HostTensor logits = tensorOf<float>({1, 2, 3, 1000, 0, 0}, {2, 3});
    const auto outcome = runOp("SoftmaxCrossEntropyWithLogits",
                               {logits, tensorOf<float>({0, 0, 1, 0, 0.5F, 0.5F}, {2, 3})});
    VERIFY_GIVES(outcome, 0U, listOf<float>({0.40760595F, 1000}));
    VERIFY_GIVES(
        outcome, 1U,
        tensorOf<float>({0.09003057F, 0.24472848F, -0.33475906F, 1, -0.5F, -0.5F}, {2, 3}));
    VERIFY_REFUSES(runOp("SoftmaxCrossEntropyWithLogits",
                         {logits, tensorOf<float>({0, 0, 1, 0, 1, 0}, {3, 2})}));
}

void TstReductionOps::argMaxTakesTheFirstLargestAndNeverNan()
{
    const HostTensor rows =
        tensorOf<float>({1, 3, 3, kNotANumber, 1, 2, 1, kNotANumber, 2, -kInfinite, -kInfinite,
                         -kInfinite, kNotANumber, kNotANumber, kNotANumber},
                        {5, 3});
    VERIFY_GIVES(runOp("ArgMax", {rows, HostTensor::scalar(-1)}), 0U,
                 listOf<std::int64_t>({1, 2, 2, 0, 0}));
    VERIFY_REFUSES(runOp("ArgMax", {rows, HostTensor::scalar(0)}));
    VERIFY_REFUSES(runOp("ArgMax", {tensorOf<float>({}, {2, 0}), HostTensor::scalar(1)}));
}

void TstReductionOps::matricesAreMultiplied()
{
    const HostTensor left = tensorOf<float>({1, 2, 3, 4, 5, 6}, {3, 2});
    const HostTensor right = tensorOf<float>({1, 0, -1, 2}, {2, 2});
    VERIFY_GIVES(runOp("MatMul", {left, right}, {{"transpose_b", true}}), 0U,
                 tensorOf<float>({1, 3, 3, 5, 5, 7}, {3, 2}));
    VERIFY_GIVES(runOp("MatMul", {left, right}), 0U,
                 tensorOf<float>({-1, 4, -1, 8, -1, 12}, {3, 2}));
    VERIFY_GIVES(runOp("MatMul", {tensorOf<float>({}, {2, 0}), tensorOf<float>({}, {0, 3})}), 0U,
                 tensorOf<float>({0, 0, 0, 0, 0, 0}, {2, 3}));
    VERIFY_GIVES(runOp("MatMul", {left, left}, {{"transpose_a", true}}), 0U,
                 tensorOf<float>({35, 44, 44, 56}, {2, 2}));
    VERIFY_REFUSES(runOp("MatMul", {left, left}));
    VERIFY_REFUSES(runOp("MatMul", {left, right}, {{"transpose_a", true}}));
}

void TstReductionOps::addNWantsEqualShapes()
{
    VERIFY_GIVES(runOp("AddN", {listOf<float>({1, 2}), listOf<float>({10, 20}),
                                listOf<float>({100, kNotANumber})}),
                 0U, listOf<float>({111, kNotANumber}));
    VERIFY_REFUSES(runOp("AddN", {tensorOf<float>({0, 0, 0, 0, 0, 0}, {2, 3}),
                                  tensorOf<float>({0, 0, 0, 0, 0, 0}, {3, 2})}));
}

void TstReductionOps::sumsGoAlongOneDimension()
{
    const HostTensor cube = tensorOf<float>({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, {2, 2, 3});
    VERIFY_GIVES(runOp("Sum", {cube, listOf<std::int32_t>({0})}), 0U,
                 tensorOf<float>({8, 10, 12, 14, 16, 18}, {2, 3}));
    VERIFY_GIVES(runOp("Sum", {cube, listOf<std::int32_t>({-1})}), 0U,
                 tensorOf<float>({6, 15, 24, 33}, {2, 2}));
    VERIFY_GIVES(runOp("Sum", {cube, listOf<std::int32_t>({-2})}, {{"keep_dims", true}}), 0U,
                 tensorOf<float>({5, 7, 9, 17, 19, 21}, {2, 1, 3}));
    VERIFY_GIVES(runOp("Sum", {tensorOf<float>({}, {2, 0}), listOf<std::int32_t>({1})}), 0U,
                 listOf<float>({0, 0}));
    VERIFY_REFUSES(runOp("Sum", {cube, listOf<std::int32_t>({3})}));
    VERIFY_REFUSES(runOp("Sum", {cube, listOf<std::int32_t>({-4})}));
}

void TstReductionOps::segmentsAreSummedByTheirIds()
{
    const HostTensor rows = tensorOf<float>({1, 2, 3, 4, 5, 6, 7, 8}, {4, 2});
    VERIFY_GIVES(runOp("UnsortedSegmentSum",
                       {rows, listOf<std::int32_t>({2, 0, -1, 2}), HostTensor::scalar(4)}),
                 0U, tensorOf<float>({3, 4, 0, 0, 8, 10, 0, 0}, {4, 2}));
    const HostTensor two = listOf<float>({1, 2});
    VERIFY_REFUSES(
        runOp("UnsortedSegmentSum", {two, listOf<std::int32_t>({0, 3}), HostTensor::scalar(3)}));
    VERIFY_REFUSES(
        runOp("UnsortedSegmentSum", {two, listOf<std::int32_t>({0, 1}), HostTensor::scalar(-1)}));
    VERIFY_REFUSES(
        runOp("UnsortedSegmentSum", {two, listOf<std::int32_t>({0}), HostTensor::scalar(3)}));
}

void TstReductionOps::allAndAssertLookAtEveryElement()
{
    VERIFY_GIVES(
        runOp("All", {tensorOf<bool>({true, false}, {1, 2}), listOf<std::int32_t>({0, 1})}), 0U,
        HostTensor::scalar(false));
    VERIFY_GIVES(runOp("All", {listOf<bool>({}), listOf<std::int32_t>({0})}), 0U,
                 HostTensor::scalar(true));
    VERIFY_REFUSES(
        runOp("All", {tensorOf<bool>({true, false}, {1, 2}), listOf<std::int32_t>({0})}));
    const HostTensor text = HostTensor::scalarString("ages are negative");
    VERIFY_OK(runOp("Assert", {HostTensor::scalar(true), text}));
    const auto refused = runOp("Assert", {HostTensor::scalar(false), text});
    VERIFY_REFUSES(refused);
    QVERIFY(refused.error().message().find("ages are negative") != std::string::npos);
}

void TstReductionOps::anyLooksAlongOneDimension()
{
    const HostTensor truths = tensorOf<bool>({true, false, false, false, false, true}, {3, 2});
    VERIFY_GIVES(runOp("Any", {truths, listOf<std::int32_t>({1})}), 0U,
                 listOf<bool>({true, false, true}));
    VERIFY_GIVES(runOp("Any", {truths, listOf<std::int32_t>({-2})}, {{"keep_dims", true}}), 0U,
                 tensorOf<bool>({true, true}, {1, 2}));
    VERIFY_REFUSES(runOp("Any", {truths, listOf<std::int32_t>({2})}));
    VERIFY_REFUSES(runOp("Any", {truths, listOf<std::int32_t>({0, 1})}));
}

void TstReductionOps::castsThatDoNotFitGiveTheLeastInteger()
{
    constexpr auto kLeast32 = std::numeric_limits<std::int32_t>::min();
    constexpr auto kLeast64 = std::numeric_limits<std::int64_t>::min();
    VERIFY_GIVES(
        runOp("Cast",
              {listOf<float>({1.9F, -1.9F, 3e9F, -3e9F, kNotANumber, kInfinite, 2147483520})},
              {{"DstT", DType::Int32}}),
        0U, listOf<std::int32_t>({1, -1, kLeast32, kLeast32, kLeast32, kLeast32, 2147483520}));
    VERIFY_GIVES(runOp("Cast", {listOf<double>({9007199254740993.0, -0.9, 9.3e18})},
                       {{"DstT", DType::Int64}}),
                 0U, listOf<std::int64_t>({9007199254740992, 0, kLeast64}));
    VERIFY_GIVES(runOp("Cast", {listOf<std::int64_t>({16777217})}, {{"DstT", DType::Float32}}), 0U,
                 listOf<float>({16777216}));
    VERIFY_GIVES(runOp("Cast", {listOf<bool>({true, false})}, {{"DstT", DType::Float32}}), 0U,
                 listOf<float>({1, 0}));
    VERIFY_REFUSES(runOp("Cast", {HostTensor::ofStrings({"1"})}, {{"DstT", DType::Float32}}));
    VERIFY_REFUSES(runOp("Cast", {listOf<float>({1})}, {{"DstT", DType::String}}));
}

void TstReductionOps::boundariesBelongToTheBucketAbove()
{
    VERIFY_GIVES(runOp("Bucketize",
                       {listOf<float>({-kInfinite, 0, 0.5F, 1, 5, kInfinite, kNotANumber})},
                       {{"boundaries", std::vector<float>{0, 1, 5}}}),
                 0U, listOf<std::int32_t>({0, 1, 1, 2, 3, 3, 3}));
    VERIFY_GIVES(
        runOp("Bitcast", {listOf<float>({1, -0.0F, kInfinite, -2.5F})}, {{"type", DType::Int32}}),
        0U,
        listOf<std::int32_t>(
            {1065353216, std::numeric_limits<std::int32_t>::min(), 2139095040, -1071644672}));
}

void TstReductionOps::upperBoundsCountWhatIsAtOrBelow()
{
    const HostTensor sorted = tensorOf<std::int32_t>({1, 3, 3, 7}, {1, 4});
    VERIFY_GIVES(runOp("UpperBound", {sorted, tensorOf<std::int32_t>({0, 1, 3, 7, 9}, {1, 5})}), 0U,
                 tensorOf<std::int32_t>({0, 1, 3, 4, 4}, {1, 5}));
    VERIFY_REFUSES(runOp("UpperBound", {sorted, listOf<std::int32_t>({0})}));
}

CANNERY_TEST(TstReductionOps)
#include "tst_reduction_ops.moc"
