// SPDX-License-Identifier: Apache-2.0
#include "core/layers/windows/window_emission.h"

#include "core/layers/inputs/lookup.h"
#include "storage/tf/graphs/float_nodes.h"

#include <algorithm>

namespace cannery::layers {

namespace {

using Numbers = std::vector<std::int32_t>;

bool isDilated(const ImageWindow& window)
{
    return window.height.dilation > 1 || window.width.dilation > 1;
}

/// TensorFlow wants one stride in both directions; an image of height 1 has one position for any.
storage::Attrs depthwiseAttrs(ImageWindow window, spec::Padding::Kind padding)
{
    window.height.stride = std::max(window.height.stride, window.width.stride);
    window.width.stride = window.height.stride;
    return windowAttrs(window, padding);
}

/// What must follow an axis so that it is cut into equal parts of pixels that are a dilation apart.
std::int32_t toWholeParts(const kernels::WindowAxis& axis)
{
    const std::int64_t padded = axis.size + axis.before + axis.after;
    return static_cast<std::int32_t>((axis.dilation - padded % axis.dilation) % axis.dilation);
}

/// Pixels that are a dilation apart become images of their own, over which windows are dense, as in
/// Keras: TensorFlow's operations have an attribute for the dilation, but on a processor those of
/// its gradient refuse it or, for depthwise convolutions, ignore it.
class PixelsApart
{
public:
    /// Of windows over images; nodes go to the graph.
    PixelsApart(storage::GraphDefBuilder& graph, const ImageWindow& window) : m_graph(graph)
    {
        const auto number = [](std::int64_t value) { return static_cast<std::int32_t>(value); };
        const kernels::WindowAxis& height = window.height;
        const kernels::WindowAxis& width = window.width;
        m_block =
            graph.constant("block_shape", Numbers{number(height.dilation), number(width.dilation)});
        const std::int32_t rows = toWholeParts(height);
        const std::int32_t columns = toWholeParts(width);
        m_around = {number(height.before), number(height.after) + rows, number(width.before),
                    number(width.after) + columns};
        m_positions = {0, rows, 0, columns};
    }

    /// The images that windows move over, with the padding, and back.
    storage::NodeRef cutImages(const storage::NodeRef& images) const
    {
        return cut(images, m_around);
    }
    storage::NodeRef joinImages(const storage::NodeRef& parts) const
    {
        return join(parts, m_around);
    }
    /// The positions of the windows.
    storage::NodeRef cutPositions(const storage::NodeRef& images) const
    {
        return cut(images, m_positions);
    }
    storage::NodeRef joinPositions(const storage::NodeRef& parts) const
    {
        return join(parts, m_positions);
    }

private:
    storage::NodeRef cut(const storage::NodeRef& images, const Numbers& edges) const
    {
        return m_graph.add(
            "SpaceToBatchND", "SpaceToBatchND",
            {images, m_block, m_graph.constant("paddings", edges, Shape{2, 2})},
            {{"T", DType::Float32}, {"Tblock_shape", DType::Int32}, {"Tpaddings", DType::Int32}});
    }
    storage::NodeRef join(const storage::NodeRef& parts, const Numbers& edges) const
    {
        return m_graph.add(
            "BatchToSpaceND", "BatchToSpaceND",
            {parts, m_block, m_graph.constant("crops", edges, Shape{2, 2})},
            {{"T", DType::Float32}, {"Tblock_shape", DType::Int32}, {"Tcrops", DType::Int32}});
    }

    storage::GraphDefBuilder& m_graph;
    storage::NodeRef m_block;
    Numbers m_around;
    Numbers m_positions;
};

/// Over one of the parts.
ImageWindow windowOverPart(const ImageWindow& window)
{
    const auto dense = [](const kernels::WindowAxis& axis) {
        const std::int64_t padded = axis.size + axis.before + axis.after + toWholeParts(axis);
        return kernels::WindowAxis{.size = padded / axis.dilation, .window = axis.window};
    };
    return {.height = dense(window.height), .width = dense(window.width)};
}

/// The shape of images of this size, as many as there are in `images`.
storage::NodeRef shapeLike(storage::GraphDefBuilder& graph, const storage::NodeRef& images,
                           const ImageSize& size)
{
    const auto number = [](std::int64_t value) { return static_cast<std::int32_t>(value); };
    const storage::FloatNodes nodes(graph);
    const storage::NodeRef count =
        graph.add("StridedSlice", "strided_slice",
                  {nodes.shape(images), nodes.ints({0}), nodes.ints({1}), nodes.ints({1})},
                  {{"T", DType::Int32}, {"Index", DType::Int32}});
    const storage::NodeRef rest = graph.constant(
        "output_size", Numbers{number(size.height), number(size.width), number(size.channels)});
    return graph.add("ConcatV2", "output_shape",
                     {count, rest, graph.constant("output_shape/axis", std::int32_t{0})},
                     {{"N", std::int64_t{2}}, {"T", DType::Int32}, {"Tidx", DType::Int32}});
}

} // namespace

WindowEmission::WindowEmission(const EmitContext& context, const WindowOptions& options)
    : m_context(context), m_options(options),
      m_window(windowOver(
          imageSizeOf(graph::rowShape(context.layers.value(context.node.inputs[0]))), options))
{}

storage::NodeRef WindowEmission::expanded(const storage::NodeRef& value, std::int32_t axis) const
{
    if (m_options.over == WindowsOver::Pixels) {
        return value;
    }
    return m_context.graph.add("ExpandDims", "ExpandDims",
                               {value, m_context.graph.constant("ExpandDims/dim", axis)},
                               {{"T", DType::Float32}, {"Tdim", DType::Int32}});
}

storage::NodeRef WindowEmission::images() const
{
    storage::NodeRef rows = nodeRef(m_context.inputs[0].dense);
    // Where pixels are cut apart, zeros come with that.
    if (m_options.padding == spec::Padding::causal && !isDilated(m_window)) {
        const auto before = static_cast<std::int32_t>(m_window.width.before);
        const storage::NodeRef paddings = m_context.graph.constant(
            "Pad/paddings", std::vector<std::int32_t>{0, 0, before, 0, 0, 0}, Shape{3, 2});
        rows = m_context.graph.add("Pad", "Pad", {rows, paddings},
                                   {{"T", DType::Float32}, {"Tpaddings", DType::Int32}});
    }
    return expanded(rows, 1);
}

storage::NodeRef WindowEmission::kernel(const storage::GraphVariable& kernel) const
{
    return expanded(kernel.read, 0);
}

storage::NodeRef WindowEmission::convolution(const storage::NodeRef& images,
                                             const storage::NodeRef& kernel) const
{
    const auto product = [&](const storage::NodeRef& input, const storage::Attrs& attrs) {
        return m_context.graph.add("Conv2D", "Conv2D", {input, kernel}, attrs);
    };
    if (!isDilated(m_window)) {
        return product(images, windowAttrs(m_window, m_options.padding));
    }
    const PixelsApart apart(m_context.graph, m_window);
    return apart.joinPositions(product(
        apart.cutImages(images), windowAttrs(windowOverPart(m_window), spec::Padding::valid)));
}

storage::NodeRef WindowEmission::depthwise(const storage::NodeRef& images,
                                           const storage::NodeRef& kernel) const
{
    const auto product = [&](const storage::NodeRef& input, const ImageWindow& window,
                             spec::Padding::Kind padding) {
        return m_context.graph.add("DepthwiseConv2dNative", "depthwise", {input, kernel},
                                   depthwiseAttrs(window, padding));
    };
    if (!isDilated(m_window)) {
        return product(images, m_window, m_options.padding);
    }
    const PixelsApart apart(m_context.graph, m_window);
    return apart.joinPositions(
        product(apart.cutImages(images), windowOverPart(m_window), spec::Padding::valid));
}

storage::NodeRef WindowEmission::transposed(const ImageWindow& window, std::int64_t filters,
                                            const storage::NodeRef& images,
                                            const storage::NodeRef& kernel) const
{
    const auto adjoint = [&](const storage::NodeRef& input, const ImageWindow& over,
                             spec::Padding::Kind padding) {
        const storage::NodeRef shape =
            shapeLike(m_context.graph, input, {over.height.size, over.width.size, filters});
        return m_context.graph.add("Conv2DBackpropInput", "conv_transpose", {shape, kernel, input},
                                   windowAttrs(over, padding));
    };
    if (!isDilated(window)) {
        return adjoint(images, window, m_options.padding);
    }
    const PixelsApart apart(m_context.graph, window);
    return apart.joinImages(
        adjoint(apart.cutPositions(images), windowOverPart(window), spec::Padding::valid));
}

storage::NodeRef WindowEmission::rows(const storage::NodeRef& images) const
{
    if (m_options.over == WindowsOver::Pixels) {
        return images;
    }
    return m_context.graph.add(
        "Squeeze", "Squeeze", {images},
        {{"T", DType::Float32}, {"squeeze_dims", std::vector<std::int64_t>{1}}});
}

} // namespace cannery::layers
