// SPDX-License-Identifier: Apache-2.0
#include "tests/core/export/single_op.h"
#include "tests/support/test_main.h"

using namespace cannery;
using namespace cannery::tests;

/// Convolutions and poolings of the graph runner. Expected values are those of the same operation
/// in TensorFlow 2.15.1 on a CPU.
class TstImageOps : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void convolvesWithPaddingStridesAndDilation();
    void convolvesGroupsOfChannels();
    void convolvesEachChannelByItself();
    void poolsThePixelsOfTheImage();
    void reducesHeightAndWidth();
    void refusesWhatDoesNotFit();
};

namespace {

using Numbers = std::vector<std::int64_t>;

const HostTensor kImage = tensorOf<float>(
    {-2, -1, 0, 1, 2, 3, -3, -2, -1, 0, 1, 2, 3, -3, -2, -1, 0, 1, 2, 3, -3, -2, -1, 0},
    {1, 3, 4, 2});
const HostTensor kKernel = tensorOf<float>(
    {-2, -1, 0, 1, 2, -2, -1, 0, 1, 2, -2, -1, 0, 1, 2, -2, -1, 0, 1, 2, -2, -1, 0, 1},
    {2, 2, 2, 3});

AttrsByName attrsOf(const char* padding, Numbers strides = {1, 1, 1, 1})
{
    return {{"padding", std::string(padding)}, {"strides", std::move(strides)}};
}

} // namespace

void TstImageOps::convolvesWithPaddingStridesAndDilation()
{
    VERIFY_GIVES(runOp("Conv2D", {kImage, kKernel}, attrsOf("SAME", {1, 2, 2, 1})), 0U,
                 tensorOf<float>({4, -1, -1, 3, 10, 2, 5, -4, -3, 5, -1, 3}, {1, 2, 2, 3}));
    VERIFY_GIVES(runOp("Conv2D", {kImage, kKernel}, attrsOf("VALID")), 0U,
                 tensorOf<float>({4, -1, -1, 7, 1, -10, 3, 10, 2, 2, 0, -2, -16, 2, 10, -6, -10, 1},
                                 {1, 2, 3, 3}));
    AttrsByName dilated = attrsOf("SAME");
    dilated.emplace("dilations", Numbers{1, 2, 2, 1});
    VERIFY_GIVES(runOp("Conv2D", {kImage, kKernel}, dilated), 0U,
                 tensorOf<float>({-1, 2, 0, 6, 5, -11, -5, -5, 5,  6,  6, 6, 1, 2, -2, 4,  -13, 5,
                                  -7, 3, 3, 3, 3, -12, 3,  -4, -1, -7, 7, 6, 0, 5, -5, -9, -9,  6},
                                 {1, 3, 4, 3}));
}

void TstImageOps::convolvesGroupsOfChannels()
{
    const HostTensor kernel = tensorOf<float>({-2, -1, -1, 0, 0, 1, 1, 2}, {2, 2, 1, 2});
    VERIFY_GIVES(runOp("Conv2D", {kImage, kernel}, attrsOf("VALID")), 0U,
                 tensorOf<float>({5, 5, 1, -5, -3, -8, 3, 7, -8, -3, -5, 1}, {1, 2, 3, 2}));
    VERIFY_REFUSES(
        runOp("Conv2D", {kImage, tensorOf<float>({1, 1, 1}, {1, 1, 3, 1})}, attrsOf("VALID")));
}

void TstImageOps::convolvesEachChannelByItself()
{
    const HostTensor kernel =
        tensorOf<float>({-2, -1, 1, 2, -1, 0, 2, -2, 0, 1, -2, -1, 1, 2, -1, 0}, {2, 2, 2, 2});
    VERIFY_GIVES(runOp("DepthwiseConv2dNative", {kImage, kernel}, attrsOf("VALID")), 0U,
                 tensorOf<float>({5, 3, -1, -4, 1,  7,  6,  -6, -3, -3, 6,  13,
                                  3, 5, -1, -5, -8, -5, -8, 7,  -5, -8, -1, -2},
                                 {1, 2, 3, 4}));
}

void TstImageOps::poolsThePixelsOfTheImage()
{
    AttrsByName window = attrsOf("SAME", {1, 2, 2, 1});
    window.emplace("ksize", Numbers{1, 2, 3, 1});
    VERIFY_GIVES(runOp("MaxPool", {kImage}, window), 0U,
                 tensorOf<float>({3, 3, 3, 3, 2, 3, -1, 0}, {1, 2, 2, 2}));
    // Padding is not counted.
    VERIFY_GIVES(
        runOp("AvgPool", {kImage}, window), 0U,
        tensorOf<float>({0.5F, 1.0F / 3, 0, -0.75F, -1.0F / 3, 2.0F / 3, -2, -1}, {1, 2, 2, 2}));
}

void TstImageOps::reducesHeightAndWidth()
{
    const HostTensor axes = listOf<std::int32_t>({1, 2});
    VERIFY_GIVES(runOp("Mean", {kImage, axes}), 0U,
                 tensorOf<float>({-1.0F / 3, 1.0F / 12}, {1, 2}));
    VERIFY_GIVES(runOp("Mean", {kImage, axes}, {{"keep_dims", true}}), 0U,
                 tensorOf<float>({-1.0F / 3, 1.0F / 12}, {1, 1, 1, 2}));
    VERIFY_GIVES(runOp("Max", {kImage, axes}), 0U, tensorOf<float>({3, 3}, {1, 2}));
    VERIFY_REFUSES(runOp("Mean", {kImage, listOf<std::int32_t>({0})}));
}

void TstImageOps::refusesWhatDoesNotFit()
{
    VERIFY_REFUSES(runOp("Conv2D", {kImage, kKernel}, attrsOf("FULL")));
    VERIFY_REFUSES(runOp("Conv2D", {kImage, kKernel}, attrsOf("VALID", {2, 1, 1, 1})));
    VERIFY_REFUSES(runOp("Conv2D", {kImage, kKernel}, attrsOf("VALID", {1, 0, 1, 1})));
    VERIFY_REFUSES(runOp("Conv2D", {listOf<float>({1, 2}), kKernel}, attrsOf("VALID")));
    VERIFY_REFUSES(runOp("Conv2D", {kImage, listOf<float>({1, 2})}, attrsOf("VALID")));
    VERIFY_REFUSES(runOp("MaxPool", {kImage}, attrsOf("VALID")));
    AttrsByName inFront = attrsOf("VALID");
    inFront.emplace("data_format", std::string("NCHW"));
    VERIFY_REFUSES(runOp("Conv2D", {kImage, kKernel}, inFront));
}

CANNERY_TEST(TstImageOps)
#include "tst_image_ops.moc"
