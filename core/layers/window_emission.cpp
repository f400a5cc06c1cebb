// SPDX-License-Identifier: Apache-2.0
#include "core/layers/window_emission.h"

#include "core/layers/lookup.h"

#include <algorithm>

namespace cannery::layers {

namespace {

using Numbers = std::vector<std::int32_t>;

bool isDilated(const ImageWindow& window)
{
    return window.height.dilation > 1 || window.width.dilation > 1;
}

std::string paddingWord(spec::Padding::Kind padding)
{
    return padding == spec::Padding::same ? "SAME" : "VALID";
}

/// TensorFlow wants one stride in both directions; an image of height 1 has one position for any.
storage::Attrs depthwiseAttrs(const ImageWindow& window)
{
    const std::int64_t stride = std::max(window.height.stride, window.width.stride);
    return {{"T", DType::Float32}, {"strides", std::vector<std::int64_t>{1, stride, stride, 1}}};
}

/// What must follow an axis so that it is cut into equal parts of pixels that are a dilation apart.
std::int32_t toWholeParts(const kernels::WindowAxis& axis)
{
    const std::int64_t padded = axis.size + axis.before + axis.after;
    return static_cast<std::int32_t>((axis.dilation - padded % axis.dilation) % axis.dilation);
}

/// Pixels that are a dilation apart become an image of their own (tf.nn.depthwise_conv2d does so
/// too): TensorFlow's operation has an attribute for the dilation, but on a processor the
/// operations of its gradient ignore it.
storage::NodeRef dilatedDepthwise(storage::GraphDefBuilder& graph, const ImageWindow& window,
                                  const storage::NodeRef& images, const storage::NodeRef& kernel)
{
    const kernels::WindowAxis& height = window.height;
    const kernels::WindowAxis& width = window.width;
    const auto number = [](std::int64_t value) { return static_cast<std::int32_t>(value); };
    const std::int32_t moreRows = toWholeParts(height);
    const std::int32_t moreColumns = toWholeParts(width);
    const storage::Attrs types{{"T", DType::Float32}, {"Tblock_shape", DType::Int32}};
    const auto with = [&](const char* name) {
        storage::Attrs attrs = types;
        attrs.emplace_back(name, DType::Int32);
        return attrs;
    };
    const storage::NodeRef block =
        graph.constant("block_shape", Numbers{number(height.dilation), number(width.dilation)});
    const storage::NodeRef paddings =
        graph.constant("paddings",
                       Numbers{number(height.before), number(height.after) + moreRows,
                               number(width.before), number(width.after) + moreColumns},
                       Shape{2, 2});
    const storage::NodeRef parts =
        graph.add("SpaceToBatchND", "SpaceToBatchND", {images, block, paddings}, with("Tpaddings"));
    storage::Attrs attrs = depthwiseAttrs(window);
    attrs.emplace_back("padding", paddingWord(spec::Padding::valid));
    const storage::NodeRef sums =
        graph.add("DepthwiseConv2dNative", "depthwise", {parts, kernel}, attrs);
    const storage::NodeRef crops =
        graph.constant("crops", Numbers{0, moreRows, 0, moreColumns}, Shape{2, 2});
    return graph.add("BatchToSpaceND", "BatchToSpaceND", {sums, block, crops}, with("Tcrops"));
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
    if (m_options.padding == spec::Padding::causal) {
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
    return m_context.graph.add("Conv2D", "Conv2D", {images, kernel},
                               windowAttrs(m_window, m_options.padding));
}

storage::NodeRef WindowEmission::depthwise(const storage::NodeRef& images,
                                           const storage::NodeRef& kernel) const
{
    if (isDilated(m_window)) {
        return dilatedDepthwise(m_context.graph, m_window, images, kernel);
    }
    storage::Attrs attrs = depthwiseAttrs(m_window);
    attrs.emplace_back("padding", paddingWord(m_options.padding));
    return m_context.graph.add("DepthwiseConv2dNative", "depthwise", {images, kernel}, attrs);
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
