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

/// Windows that move over images: what convolutions and poolings share.
namespace cannery::layers {

/// Of a row of shape [height, width, channels].
struct ImageSize
{
    std::int64_t height = 0;
    std::int64_t width = 0;
    std::int64_t channels = 0;

    std::int64_t pixels() const { return height * width; }
    std::int64_t floats() const { return pixels() * channels; }
    std::vector<std::int64_t> shape() const { return {height, width, channels}; }
};

/// "layers.not_an_image" unless rows are dense and have three dimensions.
Result<ImageSize> imageSizeOf(std::string_view layer, const graph::Value& input);
/// Of the rows of a buffer whose value has passed that check.
ImageSize imageSizeOf(const ValueBuffer& buffer);

/// What the schema says of the windows of a layer; a list has one or two numbers, or none.
struct WindowOptions
{
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

/// Errors: "layers.window_numbers"; "layers.window_too_large" for an image that no window fits in.
Result<void> checkWindow(std::string_view layer, const graph::Value& input, const ImageSize& image,
                         const WindowOptions& options);
/// Of options that passed the check. TensorFlow's "valid" and "same" (tf.nn.convolution: the larger
/// part of the padding comes after).
ImageWindow windowOver(const ImageSize& image, const WindowOptions& options);

/// The output of a layer that makes images.
graph::Value imageValue(const ImageSize& size);

/// Attributes "strides", "padding" and, for windows of pixels apart, "dilations" of a TensorFlow
/// operation over images.
storage::Attrs windowAttrs(const ImageWindow& window, spec::Padding::Kind padding);

} // namespace cannery::layers
