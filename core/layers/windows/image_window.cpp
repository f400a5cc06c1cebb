// SPDX-License-Identifier: Apache-2.0
#include "core/layers/windows/image_window.h"

#include "core/layers/layer_errors.h"

#include <algorithm>

namespace cannery::layers {

namespace {

constexpr ErrorKind kNotAnImage{
    "layers.not_an_image",
    "A layer {} reads images of height, width and channels, but '{}' gives rows of shape {}: put "
    "a reshape before it."};
constexpr ErrorKind kNotASequence{
    "layers.not_a_sequence",
    "A layer {} reads sequences of steps and channels, but '{}' gives rows of shape {}: put a "
    "reshape before it."};
constexpr ErrorKind kNumbers{"layers.window_numbers",
                             "A layer {} takes one or two numbers for {}, not {}."};
constexpr ErrorKind kTooLarge{
    "layers.window_too_large",
    "The window of a layer {} covers {} x {} pixels, but '{}' gives images of {} x {}: make it "
    "smaller, or write padding: same."};
constexpr ErrorKind kTooLong{
    "layers.window_too_long",
    "The window of a layer {} covers {} steps, but '{}' gives sequences of {}: make it smaller, or "
    "write padding: same."};

constexpr ErrorKind kTooManyNumbers{
    "layers.too_many_numbers",
    "A layer {} would give {} numbers for each row of '{}', by a kernel of {} numbers: "
    "give it a smaller window, or fewer filters."};
constexpr ErrorKind kGroups{
    "layers.convolution_groups",
    "{} groups must divide both the {} channels of '{}' and the {} filters: choose a number that "
    "does."};

using Pair = std::array<std::int64_t, 2>;

} // namespace

Result<ImageSize> imageSizeOf(std::string_view layer, const graph::Value& input, WindowsOver over)
{
    CANNERY_TRY(expectDense(layer, input));
    const std::vector<std::int64_t> shape = graph::rowShape(input);
    const bool isOverSteps = over == WindowsOver::Steps;
    if (shape.size() != (isOverSteps ? 2 : 3)) {
        return fail(ErrorCode::InvalidArgument, isOverSteps ? kNotASequence : kNotAnImage, layer,
                    input.name, graph::shapeText(input));
    }
    return imageSizeOf(shape);
}

ImageSize imageSizeOf(const std::vector<std::int64_t>& shape)
{
    return {shape.size() == 2 ? 1 : shape[0], shape[shape.size() - 2], shape.back()};
}

ImageSize imageSizeOf(const ValueBuffer& buffer)
{
    return imageSizeOf(buffer.shape);
}

Result<void> checkNumbers(std::string_view layer, std::string_view option,
                          const std::vector<std::int64_t>& numbers)
{
    if (numbers.size() > 2) {
        return fail(ErrorCode::InvalidArgument, kNumbers, layer, option, numbers.size());
    }
    return {};
}

Result<void> checkNumbers(std::string_view layer, const WindowOptions& options)
{
    CANNERY_TRY(checkNumbers(layer, "the size of its window", options.size));
    CANNERY_TRY(checkNumbers(layer, "strides", options.strides));
    return checkNumbers(layer, "dilation_rate", options.dilation);
}

Result<void> checkWindow(std::string_view layer, const graph::Value& input, const ImageSize& image,
                         const WindowOptions& options)
{
    CANNERY_TRY(checkNumbers(layer, options));
    const ImageWindow window = windowOver(image, options);
    if (options.over == WindowsOver::Steps && window.width.positions() == 0) {
        return fail(ErrorCode::InvalidArgument, kTooLong, layer, window.width.reach(), input.name,
                    image.width);
    }
    if (window.height.positions() == 0 || window.width.positions() == 0) {
        return fail(ErrorCode::InvalidArgument, kTooLarge, layer, window.height.reach(),
                    window.width.reach(), input.name, image.height, image.width);
    }
    return {};
}

ImageWindow windowOver(const ImageSize& image, const WindowOptions& options)
{
    const auto along = [&](std::size_t axis, std::int64_t pixels) {
        return windowAxis({.size = pixels,
                           .window = pairOf(options.size, {2, 2})[axis],
                           .stride = pairOf(options.strides, {1, 1})[axis],
                           .dilation = pairOf(options.dilation, {1, 1})[axis]},
                          options.padding);
    };
    return {.height =
                options.over == WindowsOver::Steps ? kernels::WindowAxis() : along(0, image.height),
            .width = along(1, image.width)};
}

Result<void> checkSizes(std::string_view layer, const graph::Value& input,
                        const ConvolutionSizes& sizes)
{
    const double output = static_cast<double>(sizes.output.height) *
                          static_cast<double>(sizes.output.width) *
                          static_cast<double>(sizes.filters);
    const double kernel = static_cast<double>(sizes.window.height.window) *
                          static_cast<double>(sizes.window.width.window) *
                          static_cast<double>(sizes.channels) * static_cast<double>(sizes.filters);
    if (output > kMostCountable || kernel > kMostCountable) {
        return fail(ErrorCode::InvalidArgument, kTooManyNumbers, layer,
                    fmt::format("{:.3g}", output), input.name, fmt::format("{:.3g}", kernel));
    }
    return {};
}

Result<void> checkGroups(std::int64_t groups, std::int64_t channels, std::int64_t filters,
                         const graph::Value& input)
{
    if (channels % groups != 0 || filters % groups != 0) {
        return fail(ErrorCode::InvalidArgument, kGroups, groups, channels, input.name, filters);
    }
    return {};
}

Shape kernelShape(const ImageWindow& window, WindowsOver over, const Shape& channels)
{
    Shape shape;
    if (over == WindowsOver::Pixels) {
        shape.dims.push_back(window.height.window);
    }
    shape.dims.push_back(window.width.window);
    shape.dims.insert(shape.dims.end(), channels.dims.begin(), channels.dims.end());
    return shape;
}

graph::Value imageValue(const ImageSize& size, WindowsOver over)
{
    graph::Value value;
    value.width = size.floats();
    value.shape = size.shape();
    if (over == WindowsOver::Steps) {
        value.shape.erase(value.shape.begin());
    }
    return value;
}

std::array<std::int64_t, 2> pairOf(const std::vector<std::int64_t>& numbers, const Pair& unset)
{
    return numbers.empty() ? unset : Pair{numbers.front(), numbers.back()};
}

kernels::WindowAxis windowAxis(kernels::WindowAxis unpadded, spec::Padding::Kind padding)
{
    kernels::WindowAxis axis = unpadded;
    if (padding == spec::Padding::same) {
        const std::int64_t positions = (axis.size + axis.stride - 1) / axis.stride;
        const std::int64_t total =
            std::max<std::int64_t>((positions - 1) * axis.stride + axis.reach() - axis.size, 0);
        axis.before = total / 2;
        axis.after = total - axis.before;
    } else if (padding == spec::Padding::causal) {
        axis.before = axis.reach() - 1;
    }
    return axis;
}

storage::Attrs windowAttrs(const ImageWindow& window, spec::Padding::Kind padding)
{
    using Numbers = std::vector<std::int64_t>;
    return {{"T", DType::Float32},
            {"strides", Numbers{1, window.height.stride, window.width.stride, 1}},
            {"padding", std::string(padding == spec::Padding::same ? "SAME" : "VALID")}};
}

} // namespace cannery::layers
