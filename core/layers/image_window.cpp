// SPDX-License-Identifier: Apache-2.0
#include "core/layers/image_window.h"

#include "core/layers/layer_errors.h"

#include <algorithm>

namespace cannery::layers {

namespace {

constexpr ErrorKind kNotAnImage{
    "layers.not_an_image",
    "A layer {} reads images of height, width and channels, but '{}' gives rows of shape {}: put "
    "a reshape before it."};
constexpr ErrorKind kNumbers{"layers.window_numbers",
                             "A layer {} takes one or two numbers for {}, not {}."};
constexpr ErrorKind kTooLarge{
    "layers.window_too_large",
    "The window of a layer {} covers {} x {} pixels, but '{}' gives images of {} x {}: make it "
    "smaller, or write padding: same."};

using Pair = std::array<std::int64_t, 2>;

Pair pairOf(const std::vector<std::int64_t>& numbers, const Pair& unset)
{
    return numbers.empty() ? unset : Pair{numbers.front(), numbers.back()};
}

kernels::WindowAxis axisOf(std::int64_t size, std::int64_t window, std::int64_t stride,
                           std::int64_t dilation, spec::Padding::Kind padding)
{
    kernels::WindowAxis axis{
        .size = size, .window = window, .stride = stride, .dilation = dilation};
    if (padding == spec::Padding::same) {
        const std::int64_t positions = (size + stride - 1) / stride;
        const std::int64_t total =
            std::max<std::int64_t>((positions - 1) * stride + axis.reach() - size, 0);
        axis.before = total / 2;
        axis.after = total - axis.before;
    }
    return axis;
}

} // namespace

Result<ImageSize> imageSizeOf(std::string_view layer, const graph::Value& input)
{
    CANNERY_TRY(expectDense(layer, input));
    const std::vector<std::int64_t> shape = graph::rowShape(input);
    if (shape.size() != 3) {
        return fail(ErrorCode::InvalidArgument, kNotAnImage, layer, input.name,
                    graph::shapeText(input));
    }
    return ImageSize{shape[0], shape[1], shape[2]};
}

ImageSize imageSizeOf(const ValueBuffer& buffer)
{
    return {buffer.shape[0], buffer.shape[1], buffer.shape[2]};
}

Result<void> checkWindow(std::string_view layer, const graph::Value& input, const ImageSize& image,
                         const WindowOptions& options)
{
    struct List
    {
        std::string_view name;
        const std::vector<std::int64_t>& numbers;
    };
    for (const List& list :
         {List{"the size of its window", options.size}, List{"strides", options.strides},
          List{"dilation_rate", options.dilation}}) {
        if (list.numbers.size() > 2) {
            return fail(ErrorCode::InvalidArgument, kNumbers, layer, list.name,
                        list.numbers.size());
        }
    }
    const ImageWindow window = windowOver(image, options);
    if (window.height.positions() == 0 || window.width.positions() == 0) {
        return fail(ErrorCode::InvalidArgument, kTooLarge, layer, window.height.reach(),
                    window.width.reach(), input.name, image.height, image.width);
    }
    return {};
}

ImageWindow windowOver(const ImageSize& image, const WindowOptions& options)
{
    const Pair size = pairOf(options.size, {2, 2});
    const Pair strides = pairOf(options.strides, {1, 1});
    const Pair dilation = pairOf(options.dilation, {1, 1});
    return {.height = axisOf(image.height, size[0], strides[0], dilation[0], options.padding),
            .width = axisOf(image.width, size[1], strides[1], dilation[1], options.padding)};
}

graph::Value imageValue(const ImageSize& size)
{
    graph::Value value;
    value.width = size.floats();
    value.shape = size.shape();
    return value;
}

storage::Attrs windowAttrs(const ImageWindow& window, spec::Padding::Kind padding)
{
    using Numbers = std::vector<std::int64_t>;
    storage::Attrs attrs{
        {"T", DType::Float32},
        {"strides", Numbers{1, window.height.stride, window.width.stride, 1}},
        {"padding", std::string(padding == spec::Padding::same ? "SAME" : "VALID")}};
    if (window.height.dilation > 1 || window.width.dilation > 1) {
        attrs.push_back(
            {"dilations", Numbers{1, window.height.dilation, window.width.dilation, 1}});
    }
    return attrs;
}

} // namespace cannery::layers
