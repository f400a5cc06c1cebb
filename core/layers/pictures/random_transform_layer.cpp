// SPDX-License-Identifier: Apache-2.0
#include "core/layers/pictures/random_transform_layer.h"

#include "core/layers/inputs/lookup.h"
#include "storage/tf/graphs/float_nodes.h"

#include <algorithm>

namespace cannery::layers {

namespace {

using pictures::Fill;

Fill fillOf(spec::FillMode::Kind mode)
{
    switch (mode) {
    case spec::FillMode::wrap:
        return Fill::Wrap;
    case spec::FillMode::constant:
        return Fill::Constant;
    case spec::FillMode::nearest:
        return Fill::Nearest;
    case spec::FillMode::reflect:
        break;
    }
    return Fill::Reflect;
}

/// TensorFlow's name.
const char* fillNameOf(Fill fill)
{
    switch (fill) {
    case Fill::Wrap:
        return "WRAP";
    case Fill::Constant:
        return "CONSTANT";
    case Fill::Nearest:
        return "NEAREST";
    case Fill::Reflect:
        break;
    }
    return "REFLECT";
}

} // namespace

storage::NodeRef emitColumn(const EmitContext& context, float value)
{
    storage::GraphDefBuilder& graph = context.graph;
    const storage::NodeRef shape = graph.add(
        "Pack", "column/shape", {context.batchSize, graph.constant("column/size", std::int32_t{1})},
        {{"N", std::int64_t{2}}, {"T", DType::Int32}});
    return graph.add("Fill", "Fill", {shape, graph.constant("column/value", value)},
                     {{"T", DType::Float32}});
}

storage::NodeRef emitTransform(const EmitContext& context, const EmittedMap& map,
                               const pictures::TransformOptions& options, std::int64_t height,
                               std::int64_t width)
{
    const storage::FloatNodes nodes(context.graph);
    // Without perspective: the last two numbers divide the places that are read.
    const storage::NodeRef zero = emitColumn(context, 0.0F);
    const storage::NodeRef maps =
        nodes.columns({map.a0, map.a1, map.a2, map.b0, map.b1, map.b2, zero, zero});
    const storage::NodeRef size =
        nodes.ints({static_cast<std::int32_t>(height), static_cast<std::int32_t>(width)});
    return context.graph.add(
        "ImageProjectiveTransformV3", "ImageProjectiveTransformV3",
        {nodeRef(context.inputs[0].dense), maps, size, nodes.number(options.fillValue)},
        {{"dtype", DType::Float32},
         {"interpolation", options.takesNearest ? "NEAREST" : "BILINEAR"},
         {"fill_mode", fillNameOf(options.fill)}});
}

RandomTransformLayer::RandomTransformLayer(std::string_view kind, spec::FillMode::Kind fill,
                                           spec::PictureResize::Method interpolation,
                                           float fillValue)
    : RandomPictureLayer(kind), m_options{.fill = fillOf(fill),
                                          .takesNearest =
                                              interpolation == spec::PictureResize::nearest,
                                          .fillValue = fillValue}
{}

void RandomTransformLayer::change(const PictureDraws& draws, const View& picture, float* dst) const
{
    pictures::transform(picture, mapOf(draws, image()), m_options, dst);
}

void RandomTransformLayer::changeBack(const PictureDraws& draws, const View& /*picture*/,
                                      const View& dstGradient, float* gradient) const
{
    pictures::TransformOptions options = m_options;
    options.fillValue = 0;
    const auto back = pictures::inverseOf(mapOf(draws, image()));
    if (back) {
        pictures::transform(dstGradient, *back, options, gradient);
    } else {
        std::fill_n(gradient, image().floats(), 0.0F);
    }
}

storage::EmittedValue
RandomTransformLayer::emitTraining(const EmitContext& context,
                                   std::vector<storage::NodeRef>& /*updates*/) const
{
    const ImageSize size = imageSizeOf(graph::rowShape(context.layers.value(context.node.output)));
    return {.dense =
                emitTransform(context, emitMap(context, size), m_options, size.height, size.width)
                    .input()};
}

} // namespace cannery::layers
