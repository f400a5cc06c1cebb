// SPDX-License-Identifier: Apache-2.0
#include "tests/core/export/single_op.h"
#include "tests/support/test_main.h"

using namespace cannery;
using namespace cannery::tests;

/// Operations of the graph runner that move numbers and resize images, and the transposed
/// convolution. Expected values are those of the same operation in TensorFlow 2.15.1 on a CPU.
class TstReshapingOps : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void transposesDimensions();
    void putsZerosAround();
    void dropsDimensionsOfOne();
    void movesPixelsIntoBatchesAndBack();
    void addsWindowsToALargerImage();
    void resizesImages();
    void refusesWhatDoesNotFit();
};

namespace {

using Numbers = std::vector<std::int64_t>;

const HostTensor kPixels = tensorOf<float>(
    {-2, -1, 0, 1, 2, 3, -3, -2, -1, 0, 1, 2, 3, -3, -2, -1, 0, 1, 2, 3, -3, -2, -1, 0},
    {1, 3, 4, 2});
const HostTensor kWeights = tensorOf<float>(
    {-2, -1, 0, 1, 2, -2, -1, 0, 1, 2, -2, -1, 0, 1, 2, -2, -1, 0, 1, 2, -2, -1, 0, 1},
    {2, 2, 2, 3});
const HostTensor kSizes = listOf<std::int32_t>({1, 3, 4, 2});

const AttrsByName kHalfPixels{{"half_pixel_centers", true}};

AttrsByName windowAttrs(const char* padding, Numbers strides, Numbers dilations)
{
    return {{"padding", std::string(padding)},
            {"strides", std::move(strides)},
            {"dilations", std::move(dilations)}};
}

} // namespace

void TstReshapingOps::transposesDimensions()
{
    VERIFY_GIVES(runOp("Transpose", {kPixels, listOf<std::int32_t>({0, 3, 1, 2})}), 0U,
                 tensorOf<float>({-2, 0, 2, -3, -1, 1, 3,  -2, 0, 2, -3, -1,
                                  -1, 1, 3, -2, 0,  2, -3, -1, 1, 3, -2, 0},
                                 {1, 2, 3, 4}));
}

void TstReshapingOps::putsZerosAround()
{
    const HostTensor square = tensorOf<float>({1, 2, 3, 4}, {2, 2});
    VERIFY_GIVES(runOp("Pad", {square, tensorOf<std::int32_t>({0, 1, 2, 0}, {2, 2})}), 0U,
                 tensorOf<float>({0, 0, 1, 2, 0, 0, 3, 4, 0, 0, 0, 0}, {3, 4}));
}

void TstReshapingOps::dropsDimensionsOfOne()
{
    const HostTensor thin = tensorOf<float>({1, 2}, {1, 1, 2, 1});
    VERIFY_GIVES(runOp("Squeeze", {thin}), 0U, tensorOf<float>({1, 2}, {2}));
    VERIFY_GIVES(runOp("Squeeze", {thin}, {{"squeeze_dims", Numbers{1, -1}}}), 0U,
                 tensorOf<float>({1, 2}, {1, 2}));
}

void TstReshapingOps::movesPixelsIntoBatchesAndBack()
{
    const HostTensor block = listOf<std::int32_t>({2, 3});
    const HostTensor edges = tensorOf<std::int32_t>({1, 0, 0, 2}, {2, 2});
    const HostTensor parts = tensorOf<float>(
        {0,  0,  0,  0,  -1, 0, -2, -1, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0, 0, 3,  -3, 0, 0,
         -2, -1, -3, -2, 0,  1, -1, 0,  0, 1, 0, 0, 2, 3, 0, 0, 2, 3, 0, 0, -3, -2, 0, 0},
        {6, 2, 2, 2});
    VERIFY_GIVES(runOp("SpaceToBatchND", {kPixels, block, edges}), 0U, parts);
    VERIFY_GIVES(runOp("BatchToSpaceND", {parts, block, edges}), 0U, kPixels);
}

void TstReshapingOps::addsWindowsToALargerImage()
{
    const HostTensor grads =
        tensorOf<float>({-6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5}, {1, 2, 2, 3});
    VERIFY_GIVES(runOp("Conv2DBackpropInput", {kSizes, kWeights, grads},
                       windowAttrs("SAME", {1, 2, 2, 1}, {1, 1, 1, 1})),
                 0U,
                 tensorOf<float>({17, -8, 2,  2, 8,  -5, 2, -1, -13, 17, -8, 2,
                                  -4, 8,  -5, 2, -1, -2, 2, -4, -10, 1,  2,  -7},
                                 {1, 3, 4, 2}));
    const HostTensor few = tensorOf<float>({-3, -2, -1, 0, 1, 2}, {1, 1, 2, 3});
    VERIFY_GIVES(runOp("Conv2DBackpropInput", {kSizes, kWeights, few},
                       windowAttrs("VALID", {1, 1, 1, 1}, {1, 2, 2, 1})),
                 0U,
                 tensorOf<float>({8, -5, -1, -2, 2,  -1, 2, -4, 0,  0, 0,  0,
                                  0, 0,  0,  0,  -4, 8,  5, -1, -5, 2, -2, 2},
                                 {1, 3, 4, 2}));
}

void TstReshapingOps::resizesImages()
{
    const HostTensor image = tensorOf<float>({1, 2, 4, -8, 0, 3}, {1, 2, 3, 1});
    const HostTensor size = listOf<std::int32_t>({4, 6});
    VERIFY_GIVES(runOp("ResizeNearestNeighbor", {image, size}, kHalfPixels), 0U,
                 tensorOf<float>(
                     {1, 1, 2, 2, 4, 4, 1, 1, 2, 2, 4, 4, -8, -8, 0, 0, 3, 3, -8, -8, 0, 0, 3, 3},
                     {1, 4, 6, 1}));
    VERIFY_GIVES(
        runOp("ResizeBilinear", {image, size}, kHalfPixels), 0U,
        tensorOf<float>({1,       1.25F,   1.75F,   2.5F,  3.5F,   4,        -1.25F,   -0.5625F,
                         0.8125F, 2.0625F, 3.1875F, 3.75F, -5.75F, -4.1875F, -1.0625F, 1.1875F,
                         2.5625F, 3.25F,   -8,      -6,    -2,     0.75F,    2.25F,    3},
                        {1, 4, 6, 1}));
    VERIFY_GIVES(
        runOp("ResizeBicubic", {image, size}, kHalfPixels), 0U,
        tensorOf<float>({1.760381F,   1.8248175F,  1.960485F,  2.6259544F, 3.7337918F, 4.2569213F,
                         -1.0804622F, -0.4476538F, 0.8917121F, 2.242639F,  3.427633F,  3.9876056F,
                         -6.7136564F, -4.9538064F, -1.22759F,  1.4825518F, 2.8205423F, 3.4535718F,
                         -9.5545F,    -7.2262774F, -2.296363F, 1.0992367F, 2.514384F,  3.1842563F},
                        {1, 4, 6, 1}));
}

void TstReshapingOps::refusesWhatDoesNotFit()
{
    VERIFY_REFUSES(runOp("Transpose", {kPixels, listOf<std::int32_t>({0, 1, 2, 2})}));
    VERIFY_REFUSES(runOp("Transpose", {kPixels, listOf<std::int32_t>({0, 1, 2})}));
    VERIFY_REFUSES(runOp("Pad", {listOf<float>({1}), listOf<std::int32_t>({1})}));
    VERIFY_REFUSES(runOp("Pad", {listOf<float>({1}), listOf<std::int32_t>({1, -1})}));
    VERIFY_REFUSES(runOp("Squeeze", {kPixels}, {{"squeeze_dims", Numbers{1}}}));
    const HostTensor block = listOf<std::int32_t>({2, 2});
    const HostTensor none = tensorOf<std::int32_t>({0, 0, 0, 0}, {2, 2});
    VERIFY_REFUSES(runOp("SpaceToBatchND", {kPixels, block, none}));
    VERIFY_REFUSES(runOp("BatchToSpaceND", {kPixels, block, none}));
    VERIFY_REFUSES(runOp("SpaceToBatchND", {kPixels, listOf<std::int32_t>({0, 1}), none}));
    const HostTensor size = listOf<std::int32_t>({4, 6});
    VERIFY_REFUSES(runOp("ResizeBilinear", {kPixels, size}));
    VERIFY_REFUSES(runOp("ResizeBicubic", {kPixels, listOf<std::int32_t>({0, 6})}, kHalfPixels));
    VERIFY_REFUSES(runOp("Conv2DBackpropInput", {kSizes, kWeights, kPixels},
                         windowAttrs("VALID", {1, 1, 1, 1}, {1, 1, 1, 1})));
    VERIFY_REFUSES(runOp("Conv2DBackpropInput", {listOf<std::int32_t>({3}), kWeights, kPixels},
                         windowAttrs("VALID", {1, 1, 1, 1}, {1, 1, 1, 1})));
}

CANNERY_TEST(TstReshapingOps)
#include "tst_reshaping_ops.moc"
