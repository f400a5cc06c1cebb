// SPDX-License-Identifier: Apache-2.0
#include "tests/core/export/single_op.h"
#include "tests/support/test_main.h"

using namespace cannery;
using namespace cannery::tests;

/// Operations that choose, order and repeat elements. Expected values are those of the same
/// operation in tf.raw_ops of TensorFlow 2.15.1 on a CPU.
class TstArrayOps : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void reshapeInfersOneDimension();
    void stridedSlicesAreClampedButSingleIndicesAreNot();
    void slicesStayWithinTheirInput();
    void tensorsAreJoinedAndRepeated();
    void gathersRefuseIndicesThatAreNotThere();
    void oneHotLeavesOutIdsBeyondItsDepth();
    void selectBroadcastsItsInputs();
    void whereGivesThePlacesOfTrue();
    void dimensionsAreTransposedAndSplit();
    void updatesReplaceWholeRows();
    void sparseRowsThatAreEmptyAreFilled();
    void sparseEntriesBeyondTheirShapeAreRefused();
    void sparseEntriesOutOfOrderAreRefused();
    void crossesHashEveryCombination();
    void textsAreHashedAndIntegersWritten();
};

namespace {

HostTensor twoByThree()
{
    return tensorOf<float>({0, 1, 2, 3, 4, 5}, {2, 3});
}

template <typename... T>
HostTensor ints(T... values)
{
    return listOf<std::int32_t>({values...});
}

} // namespace

void TstArrayOps::reshapeInfersOneDimension()
{
    VERIFY_GIVES(runOp("Reshape", {twoByThree(), ints(3, -1)}), 0U,
                 tensorOf<float>({0, 1, 2, 3, 4, 5}, {3, 2}));
    VERIFY_GIVES(runOp("Reshape", {tensorOf<float>({}, {0, 4}), ints(-1, 4)}), 0U,
                 tensorOf<float>({}, {0, 4}));
    VERIFY_REFUSES(runOp("Reshape", {twoByThree(), ints(-1, -1)}));
    VERIFY_REFUSES(runOp("Reshape", {twoByThree(), ints(4, -1)}));
    VERIFY_REFUSES(runOp("Reshape", {twoByThree(), ints(-2, 3)}));
    VERIFY_GIVES(runOp("ExpandDims", {twoByThree(), HostTensor::scalar(-1)}), 0U,
                 tensorOf<float>({0, 1, 2, 3, 4, 5}, {2, 3, 1}));
    VERIFY_REFUSES(runOp("ExpandDims", {twoByThree(), HostTensor::scalar(3)}));
    VERIFY_GIVES(runOp("Shape", {twoByThree()}), 0U, ints(2, 3));
}

void TstArrayOps::stridedSlicesAreClampedButSingleIndicesAreNot()
{
    const HostTensor all = twoByThree();
    VERIFY_GIVES(runOp("StridedSlice", {all, ints(-9, 1), ints(9, 9), ints(1, 1)}), 0U,
                 tensorOf<float>({1, 2, 4, 5}, {2, 2}));
    VERIFY_GIVES(runOp("StridedSlice", {all, ints(0, 2), ints(2, 1), ints(1, 1)}), 0U,
                 tensorOf<float>({}, {2, 0}));
    VERIFY_GIVES(runOp("StridedSlice", {all, ints(1, 1), ints(1, 1), ints(1, 1)},
                       {{"begin_mask", 1}, {"end_mask", 2}}),
                 0U, tensorOf<float>({1, 2}, {1, 2}));
    const AttrsByName single{{"shrink_axis_mask", 1}};
    VERIFY_GIVES(runOp("StridedSlice", {all, ints(-1), ints(0), ints(1)}, single), 0U,
                 listOf<float>({3, 4, 5}));
    VERIFY_REFUSES(runOp("StridedSlice", {all, ints(-3), ints(0), ints(1)}, single));
    VERIFY_REFUSES(runOp("StridedSlice", {all, ints(2), ints(3), ints(1)}, single));
}

void TstArrayOps::slicesStayWithinTheirInput()
{
    VERIFY_GIVES(runOp("Slice", {twoByThree(), ints(0, 1), ints(-1, 2)}), 0U,
                 tensorOf<float>({1, 2, 4, 5}, {2, 2}));
    VERIFY_GIVES(runOp("Slice", {twoByThree(), ints(2, 0), ints(0, 3)}), 0U,
                 tensorOf<float>({}, {0, 3}));
    VERIFY_REFUSES(runOp("Slice", {twoByThree(), ints(0, 2), ints(1, 2)}));
    VERIFY_REFUSES(runOp("Slice", {twoByThree(), ints(0, 0), ints(-2, 1)}));
    VERIFY_REFUSES(runOp("Slice", {twoByThree(), ints(1), ints(1)}));
}

void TstArrayOps::tensorsAreJoinedAndRepeated()
{
    VERIFY_GIVES(
        runOp("ConcatV2", {twoByThree(), tensorOf<float>({7, 8}, {2, 1}), HostTensor::scalar(-1)}),
        0U, tensorOf<float>({0, 1, 2, 7, 3, 4, 5, 8}, {2, 4}));
    VERIFY_REFUSES(
        runOp("ConcatV2", {twoByThree(), tensorOf<float>({7}, {1, 1}), HostTensor::scalar(1)}));
    VERIFY_GIVES(runOp("Pack", {listOf<float>({1, 2}), listOf<float>({3, 4})}), 0U,
                 tensorOf<float>({1, 2, 3, 4}, {2, 2}));
    VERIFY_REFUSES(runOp("Pack", {listOf<float>({1, 2}), listOf<float>({3})}));
    VERIFY_GIVES(runOp("Tile", {twoByThree(), ints(2, 1)}), 0U,
                 tensorOf<float>({0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5}, {4, 3}));
    VERIFY_REFUSES(runOp("Tile", {twoByThree(), ints(-1, 2)}));
    VERIFY_GIVES(runOp("Fill", {ints(2, 1), HostTensor::scalar(3.0F)}), 0U,
                 tensorOf<float>({3, 3}, {2, 1}));
    VERIFY_REFUSES(runOp("Fill", {ints(-2), HostTensor::scalar(3.0F)}));
    VERIFY_GIVES(
        runOp("Range", {HostTensor::scalar(0), HostTensor::scalar(4), HostTensor::scalar(1)}), 0U,
        ints(0, 1, 2, 3));
    VERIFY_GIVES(runOp("ZerosLike", {ints(4, 5)}), 0U, ints(0, 0));
    VERIFY_GIVES(runOp("Identity", {ints(4, 5)}), 0U, ints(4, 5));
    VERIFY_GIVES(runOp("PlaceholderWithDefault", {ints(4, 5)}), 0U, ints(4, 5));
    const auto nothing = runOp("NoOp", {});
    VERIFY_OK(nothing);
    QVERIFY(nothing->empty());
}

void TstArrayOps::gathersRefuseIndicesThatAreNotThere()
{
    const HostTensor zero = HostTensor::scalar(0);
    VERIFY_GIVES(runOp("GatherV2", {twoByThree(), tensorOf<std::int32_t>({1, 0}, {2, 1}), zero}),
                 0U, tensorOf<float>({3, 4, 5, 0, 1, 2}, {2, 1, 3}));
    VERIFY_REFUSES(runOp("GatherV2", {twoByThree(), ints(2), zero}));
    VERIFY_REFUSES(runOp("GatherV2", {twoByThree(), ints(-1), zero}));
    // For TensorFlow these are other gathers: of columns, and within each row.
    const HostTensor one = HostTensor::scalar(1);
    VERIFY_REFUSES(runOp("GatherV2", {twoByThree(), ints(1), one}));
    VERIFY_REFUSES(runOp("GatherV2", {twoByThree(), tensorOf<std::int32_t>({1, 0}, {2, 1}), zero},
                         {{"batch_dims", 1}}));
    VERIFY_GIVES(runOp("GatherNd", {twoByThree(), tensorOf<std::int32_t>({1, 2, 0, 0}, {2, 2})}),
                 0U, listOf<float>({5, 0}));
    VERIFY_GIVES(runOp("GatherNd", {twoByThree(), tensorOf<std::int32_t>({1}, {1, 1})}), 0U,
                 tensorOf<float>({3, 4, 5}, {1, 3}));
    VERIFY_REFUSES(runOp("GatherNd", {twoByThree(), tensorOf<std::int32_t>({1, 3}, {1, 2})}));
}

void TstArrayOps::oneHotLeavesOutIdsBeyondItsDepth()
{
    const HostTensor ids = listOf<std::int64_t>({0, 2, -1, 3, std::int64_t{1} << 62});
    const HostTensor on = HostTensor::scalar(2.0F);
    const HostTensor off = HostTensor::scalar(-1.0F);
    VERIFY_GIVES(
        runOp("OneHot", {ids, HostTensor::scalar(3), on, off}), 0U,
        tensorOf<float>({2, -1, -1, -1, -1, 2, -1, -1, -1, -1, -1, -1, -1, -1, -1}, {5, 3}));
    VERIFY_REFUSES(runOp("OneHot", {ids, HostTensor::scalar(-1), on, off}));
    const HostTensor two = ints(0, 2);
    const HostTensor depth = HostTensor::scalar(3);
    VERIFY_GIVES(runOp("OneHot", {two, depth, on, off}, {{"axis", 1}}), 0U,
                 tensorOf<float>({2, -1, -1, -1, -1, 2}, {2, 3}));
    // TensorFlow gives a column for each id along axis 0, and refuses axis 2.
    VERIFY_REFUSES(runOp("OneHot", {two, depth, on, off}, {{"axis", 0}}));
    VERIFY_REFUSES(runOp("OneHot", {two, depth, on, off}, {{"axis", 2}}));
}

void TstArrayOps::selectBroadcastsItsInputs()
{
    VERIFY_GIVES(runOp("SelectV2", {tensorOf<bool>({true, false}, {2, 1}), listOf<float>({1, 2}),
                                    HostTensor::scalar(0.5F)}),
                 0U, tensorOf<float>({1, 2, 0.5F, 0.5F}, {2, 2}));
    VERIFY_REFUSES(runOp("SelectV2", {listOf<bool>({true}), listOf<float>({1}), ints(1)}));
}

void TstArrayOps::whereGivesThePlacesOfTrue()
{
    VERIFY_GIVES(runOp("Where", {tensorOf<bool>({true, false, true, false, true, false}, {2, 3})}),
                 0U, tensorOf<std::int64_t>({0, 0, 0, 2, 1, 1}, {3, 2}));
    VERIFY_GIVES(runOp("Where", {listOf<bool>({false})}), 0U, tensorOf<std::int64_t>({}, {0, 1}));
}

void TstArrayOps::dimensionsAreTransposedAndSplit()
{
    const HostTensor cube = tensorOf<float>({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, {2, 2, 3});
    VERIFY_GIVES(runOp("Transpose", {cube, ints(2, 0, 1)}), 0U,
                 tensorOf<float>({0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11}, {3, 2, 2}));
    VERIFY_REFUSES(runOp("Transpose", {cube, ints(0, 0, 1)}));
    VERIFY_REFUSES(runOp("Transpose", {cube, ints(1, 0)}));
    const HostTensor wide = tensorOf<float>({0, 1, 2, 3, 4, 5, 6, 7}, {2, 4});
    const auto halves = runOp("Split", {HostTensor::scalar(-1), wide}, {{"num_split", 2}});
    VERIFY_GIVES(halves, 0U, tensorOf<float>({0, 1, 4, 5}, {2, 2}));
    VERIFY_GIVES(halves, 1U, tensorOf<float>({2, 3, 6, 7}, {2, 2}));
    VERIFY_REFUSES(runOp("Split", {HostTensor::scalar(1), twoByThree()}, {{"num_split", 2}}));
}

void TstArrayOps::updatesReplaceWholeRows()
{
    const HostTensor row = tensorOf<float>({9, 8, 7}, {1, 3});
    VERIFY_GIVES(
        runOp("TensorScatterUpdate", {twoByThree(), tensorOf<std::int32_t>({1}, {1, 1}), row}), 0U,
        tensorOf<float>({0, 1, 2, 9, 8, 7}, {2, 3}));
    VERIFY_REFUSES(
        runOp("TensorScatterUpdate", {twoByThree(), tensorOf<std::int32_t>({2}, {1, 1}), row}));
}

void TstArrayOps::sparseRowsThatAreEmptyAreFilled()
{
    const HostTensor fallback = HostTensor::scalarString("x");
    const auto outcome =
        runOp("SparseFillEmptyRows",
              {tensorOf<std::int64_t>({1, 0, 1, 1, 3, 2}, {3, 2}),
               HostTensor::ofStrings({"a", "b", "c"}), listOf<std::int64_t>({5, 3}), fallback});
    VERIFY_GIVES(outcome, 0U, tensorOf<std::int64_t>({0, 0, 1, 0, 1, 1, 2, 0, 3, 2, 4, 0}, {6, 2}));
    VERIFY_GIVES(outcome, 1U, HostTensor::ofStrings({"x", "a", "b", "x", "c", "x"}));
    for (const std::int64_t row : {3, -1}) {
        VERIFY_REFUSES(runOp("SparseFillEmptyRows", {tensorOf<std::int64_t>({row, 0}, {1, 2}),
                                                     HostTensor::ofStrings({"a"}),
                                                     listOf<std::int64_t>({3, 1}), fallback}));
    }
}

void TstArrayOps::sparseEntriesBeyondTheirShapeAreRefused()
{
    const HostTensor shape = listOf<std::int64_t>({2, 3});
    const HostTensor fallback = HostTensor::scalar(std::int64_t{-1});
    VERIFY_GIVES(runOp("SparseToDense", {tensorOf<std::int64_t>({0, 1, 1, 0}, {2, 2}), shape,
                                         listOf<std::int64_t>({7, 8}), fallback}),
                 0U, tensorOf<std::int64_t>({-1, 7, -1, 8, -1, -1}, {2, 3}));
    VERIFY_REFUSES(runOp("SparseToDense", {tensorOf<std::int64_t>({0, 3}, {1, 2}), shape,
                                           listOf<std::int64_t>({7}), fallback}));
}

void TstArrayOps::sparseEntriesOutOfOrderAreRefused()
{
    const HostTensor fallback = HostTensor::scalar(std::int64_t{-1});
    const auto made = [&](std::initializer_list<std::int64_t> places, const AttrsByName& attrs) {
        return runOp("SparseToDense",
                     {tensorOf<std::int64_t>(places, {2, 2}), listOf<std::int64_t>({2, 3}),
                      listOf<std::int64_t>({7, 8}), fallback},
                     attrs);
    };
    const AttrsByName unchecked{{"validate_indices", false}};
    VERIFY_REFUSES(made({1, 0, 0, 1}, {}));
    VERIFY_REFUSES(made({1, 0, 1, 0}, {}));
    VERIFY_REFUSES(made({1, 2, 1, 0}, {}));
    VERIFY_GIVES(made({0, 2, 1, 0}, {}), 0U,
                 tensorOf<std::int64_t>({-1, -1, 7, 8, -1, -1}, {2, 3}));
    VERIFY_GIVES(made({1, 0, 0, 1}, unchecked), 0U,
                 tensorOf<std::int64_t>({-1, 8, -1, 7, -1, -1}, {2, 3}));
    VERIFY_GIVES(made({1, 0, 1, 0}, unchecked), 0U,
                 tensorOf<std::int64_t>({-1, -1, -1, 8, -1, -1}, {2, 3}));
}

void TstArrayOps::crossesHashEveryCombination()
{
    const HostTensor places = tensorOf<std::int64_t>({0, 0, 0, 1}, {2, 2});
    const HostTensor shape = listOf<std::int64_t>({1, 2});
    const std::int64_t key = 0xDECAFCAFFE;
    const auto outcome = runOp(
        "SparseCross",
        {places, places, listOf<std::int64_t>({1, 2}), listOf<std::int64_t>({3, 4}), shape, shape},
        {{"N", 2}, {"num_buckets", 1000}, {"hash_key", key}});
    VERIFY_GIVES(outcome, 0U, tensorOf<std::int64_t>({0, 0, 0, 1, 0, 2, 0, 3}, {4, 2}));
    VERIFY_GIVES(outcome, 1U, listOf<std::int64_t>({651, 725, 584, 547}));
    VERIFY_GIVES(outcome, 2U, listOf<std::int64_t>({1, 4}));
    const HostTensor first = tensorOf<std::int64_t>({0, 0}, {1, 2});
    const HostTensor single = listOf<std::int64_t>({1, 1});
    VERIFY_GIVES(runOp("SparseCross",
                       {first, first, HostTensor::ofStrings({"a"}), HostTensor::ofStrings({"b"}),
                        single, single},
                       {{"N", 2}, {"num_buckets", 0}, {"hash_key", key}}),
                 1U, listOf<std::int64_t>({5527121959452899179}));
}

void TstArrayOps::textsAreHashedAndIntegersWritten()
{
    VERIFY_GIVES(runOp("StringToHashBucketFast", {HostTensor::ofStrings({"", "a", "ü", "cannery"})},
                       {{"num_buckets", 1000}}),
                 0U, listOf<std::int64_t>({263, 939, 891, 214}));
    VERIFY_REFUSES(
        runOp("StringToHashBucketFast", {HostTensor::ofStrings({"a"})}, {{"num_buckets", 0}}));
    VERIFY_GIVES(runOp("AsString", {listOf<std::int64_t>({0, -5, INT64_MAX, INT64_MIN})}), 0U,
                 HostTensor::ofStrings({"0", "-5", "9223372036854775807", "-9223372036854775808"}));
}

CANNERY_TEST(TstArrayOps)
#include "tst_array_ops.moc"
