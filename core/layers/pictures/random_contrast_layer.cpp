// SPDX-License-Identifier: Apache-2.0
#include "core/layers/pictures/random_contrast_layer.h"

#include "core/layers/inputs/lookup.h"
#include "core/pictures/adjusting.h"
#include "storage/tf/graphs/float_nodes.h"

namespace cannery::layers {

namespace {

/// What Keras cuts results to, whatever the pixels are.
constexpr pictures::ValueRange kByteRange{.least = 0, .greatest = 255};

} // namespace

RandomContrastLayer::RandomContrastLayer(const spec::RandomContrastLayer& message)
    : RandomPictureLayer("random_contrast"), m_factors{.lower = 1 - message.lower(),
                                                       .upper = 1 + message.upper()}
{}

void RandomContrastLayer::change(const PictureDraws& draws, const View& picture, float* dst) const
{
    pictures::stretchContrast(picture, m_factors.at(draws[0]), kByteRange, dst);
}

void RandomContrastLayer::changeBack(const PictureDraws& draws, const View& picture,
                                     const View& dstGradient, float* gradient) const
{
    pictures::stretchContrastBack(picture, m_factors.at(draws[0]), kByteRange, dstGradient.values,
                                  gradient);
}

/// By arithmetic: TensorFlow's AdjustContrastv2 has no gradient.
storage::EmittedValue
RandomContrastLayer::emitTraining(const EmitContext& context,
                                  std::vector<storage::NodeRef>& /*updates*/) const
{
    const storage::FloatNodes nodes(context.graph);
    const storage::NodeRef images = nodeRef(context.inputs[0].dense);
    const storage::NodeRef mean =
        context.graph.add("Mean", "Mean", {images, nodes.ints({1, 2})},
                          {{"T", DType::Float32}, {"Tidx", DType::Int32}, {"keep_dims", true}});
    const storage::NodeRef stretched = nodes.add(
        nodes.multiply(nodes.subtract(images, mean), emitDraw(context, m_factors, 3)), mean);
    return {.dense = nodes
                         .larger(nodes.smaller(stretched, nodes.number(kByteRange.greatest)),
                                 nodes.number(kByteRange.least))
                         .input()};
}

std::unique_ptr<Layer> makeRandomContrastLayer(const spec::Layer& message)
{
    return std::make_unique<RandomContrastLayer>(message.random_contrast());
}

} // namespace cannery::layers
