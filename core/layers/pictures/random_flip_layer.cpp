// SPDX-License-Identifier: Apache-2.0
#include "core/layers/pictures/random_flip_layer.h"

#include "core/layers/inputs/lookup.h"
#include "core/pictures/adjusting.h"
#include "storage/tf/graphs/float_nodes.h"

namespace cannery::layers {

namespace {

constexpr float kChance = 0.5F;

/// Mirrors a dimension of half of the images.
storage::NodeRef emitFlip(const EmitContext& context, const storage::NodeRef& images,
                          std::int32_t dimension)
{
    const storage::FloatNodes nodes(context.graph);
    const storage::NodeRef mirrored =
        context.graph.add("ReverseV2", "ReverseV2", {images, nodes.ints({dimension})},
                          {{"T", DType::Float32}, {"Tidx", DType::Int32}});
    const storage::NodeRef isMirrored =
        nodes.holds("Less", emitDraw(context, {.lower = 0, .upper = 1}, 3), nodes.number(kChance));
    return nodes.select(isMirrored, mirrored, images);
}

} // namespace

RandomFlipLayer::RandomFlipLayer(const spec::RandomFlipLayer& message)
    : RandomPictureLayer("random_flip"), m_isHorizontal(message.mode() != spec::FlipMode::vertical),
      m_isVertical(message.mode() != spec::FlipMode::horizontal)
{}

void RandomFlipLayer::change(const PictureDraws& draws, const View& picture, float* dst) const
{
    pictures::mirror(picture,
                     {.leftRight = m_isHorizontal && draws[0] < kChance,
                      .upDown = m_isVertical && draws[1] < kChance},
                     dst);
}

void RandomFlipLayer::changeBack(const PictureDraws& draws, const View& /*picture*/,
                                 const View& dstGradient, float* gradient) const
{
    change(draws, dstGradient, gradient);
}

storage::EmittedValue
RandomFlipLayer::emitTraining(const EmitContext& context,
                              std::vector<storage::NodeRef>& /*updates*/) const
{
    storage::NodeRef images = nodeRef(context.inputs[0].dense);
    if (m_isHorizontal) {
        images = emitFlip(context, images, 2);
    }
    if (m_isVertical) {
        images = emitFlip(context, images, 1);
    }
    return {.dense = images.input()};
}

std::unique_ptr<Layer> makeRandomFlipLayer(const spec::Layer& message)
{
    return std::make_unique<RandomFlipLayer>(message.random_flip());
}

} // namespace cannery::layers
