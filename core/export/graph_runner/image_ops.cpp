// SPDX-License-Identifier: Apache-2.0
// Operations over images [batch, height, width, channels], by TensorFlow's definitions of
// tf.nn.conv2d, depthwise_conv2d, conv2d_transpose, max_pool2d and avg_pool2d.

#include "core/export/graph_runner/op_call.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace cannery::exporting {

using storage::HostTensor;

namespace {

/// Along height or width.
struct Axis
{
    std::int64_t size = 0;
    std::int64_t window = 0;
    std::int64_t stride = 1;
    std::int64_t dilation = 1;
    std::int64_t before = 0; ///< pixels of padding
    std::int64_t positions = 0;

    std::int64_t pixel(std::int64_t position, std::int64_t tap) const
    {
        return position * stride + tap * dilation - before;
    }
    bool isInside(std::int64_t pixel) const { return pixel >= 0 && pixel < size; }
};

struct Window
{
    Axis height;
    Axis width;
};

/// Of an attribute such as "strides", [1, height, width, 1].
Result<std::array<std::int64_t, 2>> numbersOf(const OpCall& call, const std::string& name)
{
    if (name == "dilations" && !call.node.attrs.contains(name)) {
        return std::array<std::int64_t, 2>{1, 1};
    }
    CANNERY_TRY_ASSIGN(const auto numbers, call.attr<std::vector<std::int64_t>>(name));
    const auto isCount = [](std::int64_t number) { return number >= 1 && number <= 65536; };
    if (numbers.size() != 4 || numbers[0] != 1 || numbers[3] != 1 ||
        !std::ranges::all_of(numbers, isCount)) {
        return call.invalid("moves its window over other dimensions than height and width");
    }
    return std::array<std::int64_t, 2>{numbers[1], numbers[2]};
}

/// Of the positions of a window, with the larger part of TensorFlow's "SAME" after the image.
void settle(Axis& axis, bool isPadded)
{
    const std::int64_t reach = (axis.window - 1) * axis.dilation + 1;
    if (isPadded) {
        axis.positions = (axis.size + axis.stride - 1) / axis.stride;
        const std::int64_t total = (axis.positions - 1) * axis.stride + reach - axis.size;
        axis.before = std::max<std::int64_t>(total, 0) / 2;
    } else {
        axis.positions = axis.size < reach ? 0 : (axis.size - reach) / axis.stride + 1;
    }
}

/// Over images of this shape.
Result<Window> windowOf(const OpCall& call, const Shape& shape,
                        const std::array<std::int64_t, 2>& size)
{
    if (shape.rank() != 4 || std::ranges::find(shape.dims, 0) != shape.dims.end()) {
        return call.invalid("takes images of four dimensions, none of them 0");
    }
    if (call.attrOr<std::string>("data_format", "NHWC") != "NHWC") {
        return call.invalid("has its channels in front");
    }
    CANNERY_TRY_ASSIGN(const auto strides, numbersOf(call, "strides"));
    CANNERY_TRY_ASSIGN(const auto dilation, numbersOf(call, "dilations"));
    CANNERY_TRY_ASSIGN(const std::string padding, call.attr<std::string>("padding"));
    if (padding != "SAME" && padding != "VALID") {
        return call.invalid("has the padding " + padding);
    }
    Window window{.height = {.size = shape.dims[1],
                             .window = size[0],
                             .stride = strides[0],
                             .dilation = dilation[0]},
                  .width = {.size = shape.dims[2],
                            .window = size[1],
                            .stride = strides[1],
                            .dilation = dilation[1]}};
    settle(window.height, padding == "SAME");
    settle(window.width, padding == "SAME");
    return window;
}

/// function(row of the output's pixel, y, x) for each pixel of each image.
template <typename Function>
void forEachPixel(std::int64_t images, const Window& window, Function&& function)
{
    for (std::int64_t image = 0; image < images; ++image) {
        for (std::int64_t y = 0; y < window.height.positions; ++y) {
            for (std::int64_t x = 0; x < window.width.positions; ++x) {
                function(image, y, x);
            }
        }
    }
}

/// function(pixel of the image, tap) for the taps of a position that are in the image; a pixel is
/// its index in the batch, a tap that in the window.
template <typename Function>
void forEachTap(const Window& window, std::int64_t image, std::int64_t y, std::int64_t x,
                Function&& function)
{
    for (std::int64_t i = 0; i < window.height.window; ++i) {
        const std::int64_t row = window.height.pixel(y, i);
        for (std::int64_t j = 0; j < window.width.window; ++j) {
            const std::int64_t col = window.width.pixel(x, j);
            if (window.height.isInside(row) && window.width.isInside(col)) {
                function((image * window.height.size + row) * window.width.size + col,
                         i * window.width.window + j);
            }
        }
    }
}

std::size_t at(std::int64_t index)
{
    return static_cast<std::size_t>(index);
}

/// Both convolutions. Of a depthwise one the kernel is [height, width, channels, multiplier], and
/// channel c makes the filters from c * multiplier on.
Result<void> convolution(OpCall& call, bool isDepthwise)
{
    CANNERY_TRY_ASSIGN(const auto images, call.values<float>(0));
    CANNERY_TRY_ASSIGN(const auto kernel, call.values<float>(1));
    const Shape& ofKernel = call.inputs[1]->tensor.shape;
    if (ofKernel.rank() != 4 || std::ranges::find(ofKernel.dims, 0) != ofKernel.dims.end()) {
        return call.invalid("takes a kernel of four dimensions, none of them 0");
    }
    CANNERY_TRY_ASSIGN(const Window window, windowOf(call, call.inputs[0]->tensor.shape,
                                                     {ofKernel.dims[0], ofKernel.dims[1]}));
    const std::int64_t count = call.inputs[0]->tensor.shape.dims[0];
    const std::int64_t channels = call.inputs[0]->tensor.shape.dims[3];
    const std::int64_t depth = ofKernel.dims[2]; // channels of a group
    const std::int64_t filters = isDepthwise ? depth * ofKernel.dims[3] : ofKernel.dims[3];
    const std::int64_t groups = isDepthwise ? 1 : channels / depth;
    if (isDepthwise ? depth != channels : channels % depth != 0 || filters % groups != 0) {
        return call.invalid("has a kernel for another number of channels");
    }
    const Shape shape{count, window.height.positions, window.width.positions, filters};
    CANNERY_TRY_ASSIGN(const std::int64_t floats, call.room(shape, sizeof(float)));
    const std::int64_t summed = isDepthwise ? 1 : depth;
    if (static_cast<double>(floats) * static_cast<double>(summed) *
            static_cast<double>(ofKernel.dims[0] * ofKernel.dims[1]) >
        kMaxProducts) {
        return call.invalid(fmt::format("needs more than {:g} products", kMaxProducts));
    }
    std::vector<float> result;
    result.reserve(at(floats));
    forEachPixel(count, window, [&](std::int64_t image, std::int64_t y, std::int64_t x) {
        for (std::int64_t f = 0; f < filters; ++f) {
            // The first channel that the filter sees, and its place in the kernel.
            const std::int64_t first =
                isDepthwise ? f / ofKernel.dims[3] : f / (filters / groups) * depth;
            double sum = 0;
            forEachTap(window, image, y, x, [&](std::int64_t pixel, std::int64_t tap) {
                for (std::int64_t c = 0; c < summed; ++c) {
                    const std::int64_t weight =
                        isDepthwise ? tap * filters + f : (tap * depth + c) * filters + f;
                    sum += static_cast<double>(images[at(pixel * channels + first + c)]) *
                           static_cast<double>(kernel[at(weight)]);
                }
            });
            result.push_back(static_cast<float>(sum));
        }
    });
    call.give(HostTensor::of(result, shape));
    return {};
}

Result<void> conv2d(OpCall& call)
{
    return convolution(call, false);
}
Result<void> depthwise(OpCall& call)
{
    return convolution(call, true);
}

/// The adjoint of Conv2D by the images, whose shape is the first input: what a transposed
/// convolution computes.
Result<void> convolutionBack(OpCall& call)
{
    CANNERY_TRY_ASSIGN(std::vector<std::int64_t> sizes, call.integers(0));
    CANNERY_TRY_ASSIGN(const auto kernel, call.values<float>(1));
    CANNERY_TRY_ASSIGN(const auto grads, call.values<float>(2));
    const Shape& ofKernel = call.inputs[1]->tensor.shape;
    const Shape& ofGrads = call.inputs[2]->tensor.shape;
    if (ofKernel.rank() != 4 || ofGrads.rank() != 4 ||
        std::ranges::find(ofKernel.dims, 0) != ofKernel.dims.end()) {
        return call.invalid("takes a kernel and a gradient of four dimensions, the kernel's not 0");
    }
    const Shape shape(std::move(sizes));
    CANNERY_TRY_ASSIGN(const Window window,
                       windowOf(call, shape, {ofKernel.dims[0], ofKernel.dims[1]}));
    const std::int64_t channels = ofKernel.dims[2];
    const std::int64_t filters = ofKernel.dims[3];
    if (ofGrads != Shape{shape.dims[0], window.height.positions, window.width.positions, filters} ||
        shape.dims[3] != channels) {
        return call.invalid("has a gradient or a kernel for images of another shape");
    }
    CANNERY_TRY_ASSIGN(const std::int64_t count, call.room(shape, sizeof(double)));
    if (static_cast<double>(grads.size()) * static_cast<double>(channels) *
            static_cast<double>(ofKernel.dims[0] * ofKernel.dims[1]) >
        kMaxProducts) {
        return call.invalid(fmt::format("needs more than {:g} products", kMaxProducts));
    }
    std::vector<double> sums(at(count), 0.0);
    std::size_t position = 0;
    forEachPixel(shape.dims[0], window, [&](std::int64_t image, std::int64_t y, std::int64_t x) {
        const float* const grad = grads.data() + position;
        position += at(filters);
        forEachTap(window, image, y, x, [&](std::int64_t pixel, std::int64_t tap) {
            for (std::int64_t c = 0; c < channels; ++c) {
                const float* const weights = kernel.data() + (tap * channels + c) * filters;
                for (std::int64_t f = 0; f < filters; ++f) {
                    sums[at(pixel * channels + c)] +=
                        static_cast<double>(grad[f]) * static_cast<double>(weights[f]);
                }
            }
        });
    });
    call.give(HostTensor::of(std::vector<float>(sums.begin(), sums.end()), shape));
    return {};
}

/// `start` and each value in the window, then what they give with their number.
template <typename Join, typename Finish>
Result<void> pool(OpCall& call, double start, Join&& join, Finish&& finish)
{
    CANNERY_TRY_ASSIGN(const auto images, call.values<float>(0));
    CANNERY_TRY_ASSIGN(const auto size, numbersOf(call, "ksize"));
    CANNERY_TRY_ASSIGN(const Window window, windowOf(call, call.inputs[0]->tensor.shape, size));
    const Shape& ofImages = call.inputs[0]->tensor.shape;
    const std::int64_t channels = ofImages.dims[3];
    const Shape shape{ofImages.dims[0], window.height.positions, window.width.positions, channels};
    CANNERY_TRY_ASSIGN(const std::int64_t floats, call.room(shape, sizeof(float)));
    if (static_cast<double>(floats) * static_cast<double>(size[0] * size[1]) > kMaxProducts) {
        return call.invalid(fmt::format("looks at more than {:g} numbers", kMaxProducts));
    }
    std::vector<float> result;
    result.reserve(at(floats));
    forEachPixel(ofImages.dims[0], window, [&](std::int64_t image, std::int64_t y, std::int64_t x) {
        for (std::int64_t c = 0; c < channels; ++c) {
            double joined = start;
            std::int64_t cells = 0;
            forEachTap(window, image, y, x, [&](std::int64_t pixel, std::int64_t) {
                joined = join(joined, static_cast<double>(images[at(pixel * channels + c)]));
                ++cells;
            });
            result.push_back(static_cast<float>(finish(joined, cells)));
        }
    });
    call.give(HostTensor::of(result, shape));
    return {};
}

double larger(double left, double right)
{
    return right > left || std::isnan(right) ? right : left;
}

Result<void> maxPool(OpCall& call)
{
    return pool(call, -std::numeric_limits<double>::infinity(), larger,
                [](double largest, std::int64_t) { return largest; });
}

/// Only pixels of the image count.
Result<void> avgPool(OpCall& call)
{
    return pool(
        call, 0.0, [](double sum, double value) { return sum + value; },
        [](double sum, std::int64_t cells) { return sum / static_cast<double>(cells); });
}

/// Over height and width, as global poolings do.
template <typename Join, typename Finish>
Result<void> reducePixels(OpCall& call, double start, Join&& join, Finish&& finish)
{
    CANNERY_TRY_ASSIGN(const auto images, call.values<float>(0));
    CANNERY_TRY_ASSIGN(const std::vector<std::int64_t> axes, call.integers(1));
    const Shape& shape = call.inputs[0]->tensor.shape;
    if (axes != std::vector<std::int64_t>{1, 2} || shape.rank() != 4 ||
        std::ranges::find(shape.dims, 0) != shape.dims.end()) {
        return call.invalid("reduces other dimensions than height and width of images");
    }
    const std::int64_t pixels = shape.dims[1] * shape.dims[2];
    const std::int64_t channels = shape.dims[3];
    std::vector<float> result;
    for (std::int64_t image = 0; image < shape.dims[0]; ++image) {
        for (std::int64_t c = 0; c < channels; ++c) {
            double joined = start;
            for (std::int64_t pixel = 0; pixel < pixels; ++pixel) {
                joined =
                    join(joined,
                         static_cast<double>(images[at((image * pixels + pixel) * channels + c)]));
            }
            result.push_back(static_cast<float>(finish(joined, pixels)));
        }
    }
    call.give(HostTensor::of(result, call.attrOr("keep_dims", false)
                                         ? Shape{shape.dims[0], 1, 1, channels}
                                         : Shape{shape.dims[0], channels}));
    return {};
}

Result<void> mean(OpCall& call)
{
    return reducePixels(
        call, 0.0, [](double sum, double value) { return sum + value; },
        [](double sum, std::int64_t pixels) { return sum / static_cast<double>(pixels); });
}

Result<void> maximum(OpCall& call)
{
    return reducePixels(call, -std::numeric_limits<double>::infinity(), larger,
                        [](double largest, std::int64_t) { return largest; });
}

constexpr std::array kImageOps{
    OpRow{"AvgPool", avgPool},
    OpRow{"Conv2D", conv2d},
    OpRow{"Conv2DBackpropInput", convolutionBack},
    OpRow{"DepthwiseConv2dNative", depthwise},
    OpRow{"Max", maximum},
    OpRow{"MaxPool", maxPool},
    OpRow{"Mean", mean},
};

} // namespace

std::span<const OpRow> imageOps()
{
    return kImageOps;
}

} // namespace cannery::exporting
