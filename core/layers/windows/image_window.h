// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/graph/layer_graph.h"
#include "core/layers/layer_buffers.h"
#include "core/spec/layers.pb.h"
#include "kernels/ops/window_axis.h"
#include "storage/tf/graphs/graph_def_builder.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Windows that move over images and sequences: what convolutions and poolings share.
namespace cannery::layers {

/// What windows move over: rows of shape [steps, channels] or [height, width, channels]. To the
/// kernels a sequence of steps is an image of height 1.
enum class WindowsOver
{
    Steps,
    Pixels,
};

/// Of a row of shape [height, width, channels]; of [steps, channels] with the height 1.
struct ImageSize
{
    std::int64_t height = 0;
    std::int64_t width = 0;
    std::int64_t channels = 0;

    std::int64_t pixels() const { return height * width; }
    std::int64_t floats() const { return pixels() * channels; }
    std::vector<std::int64_t> shape() const { return {height, width, channels}; }
};

/// "layers.not_an_image" or "layers.not_a_sequence" unless rows are dense and have three or two
/// dimensions.
Result<ImageSize> imageSizeOf(std::string_view layer, const graph::Value& input,
                              WindowsOver over = WindowsOver::Pixels);
/// Of a row of a value that has passed that check.
ImageSize imageSizeOf(const std::vector<std::int64_t>& shape);
ImageSize imageSizeOf(const ValueBuffer& buffer);

/// What the schema says of the windows of a layer; a list has one or two numbers, or none; one over
/// steps.
struct WindowOptions
{
    WindowsOver over = WindowsOver::Pixels;
    std::vector<std::int64_t> size;
    std::vector<std::int64_t> strides;
    std::vector<std::int64_t> dilation;
    spec::Padding::Kind padding = spec::Padding::valid;
};

/// The windows over an image, down and to the right.
struct ImageWindow
{
    kernels::WindowAxis height;
    kernels::WindowAxis width;

    /// Of an image with so many channels.
    ImageSize output(std::int64_t channels) const
    {
        return {height.positions(), width.positions(), channels};
    }
};

/// "layers.window_numbers" if a list is longer than the directions of a window.
Result<void> checkNumbers(std::string_view layer, std::string_view option,
                          const std::vector<std::int64_t>& numbers);
Result<void> checkNumbers(std::string_view layer, const WindowOptions& options);
/// Errors: "layers.window_numbers"; "layers.window_too_large" for an image that no window fits in,
/// "layers.window_too_long" for a sequence.
Result<void> checkWindow(std::string_view layer, const graph::Value& input, const ImageSize& image,
                         const WindowOptions& options);
/// Of options that passed the check. TensorFlow's "valid" and "same" (tf.nn.convolution: the larger
/// part of the padding comes after) and Keras's "causal" (all of it comes before).
ImageWindow windowOver(const ImageSize& image, const WindowOptions& options);

/// What a convolution makes of an image, and with what.
struct ConvolutionSizes
{
    ImageSize output; ///< its channels do not count
    ImageWindow window;
    std::int64_t filters = 0;
    std::int64_t channels = 0; ///< of the input that each filter sees
};
/// "layers.too_many_numbers" before any of their products is formed in whole numbers.
Result<void> checkSizes(std::string_view layer, const graph::Value& input,
                        const ConvolutionSizes& sizes);
/// "layers.convolution_groups" unless the groups divide channels and filters.
Result<void> checkGroups(std::int64_t groups, std::int64_t channels, std::int64_t filters,
                         const graph::Value& input);
/// The window's dimensions, then those of the channels: a convolution's kernel in TensorFlow.
Shape kernelShape(const ImageWindow& window, WindowsOver over, const Shape& channels);

/// The output of a layer that makes images, or sequences.
graph::Value imageValue(const ImageSize& size, WindowsOver over = WindowsOver::Pixels);

/// An option for height and width: a single number counts for both; `unset` if it has none.
std::array<std::int64_t, 2> pairOf(const std::vector<std::int64_t>& numbers,
                                   const std::array<std::int64_t, 2>& unset);
/// How a window moves along an axis of so many pixels, with the padding that follows from it.
kernels::WindowAxis windowAxis(kernels::WindowAxis unpadded, spec::Padding::Kind padding);

/// Attributes "strides" and "padding" of a TensorFlow operation over images, whose windows are
/// dense.
storage::Attrs windowAttrs(const ImageWindow& window, spec::Padding::Kind padding);

} // namespace cannery::layers
