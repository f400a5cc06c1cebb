// SPDX-License-Identifier: Apache-2.0
#include "core/layers/pictures/random_brightness_layer.h"

#include "core/layers/inputs/lookup.h"
#include "storage/tf/graphs/float_nodes.h"

namespace cannery::layers {

namespace {

constexpr ErrorKind kValueRange{
    "layers.value_range",
    "A layer {} takes black ({}) for {} and white ({}) for {}: white must be the greater number."};

} // namespace

RandomBrightnessLayer::RandomBrightnessLayer(const spec::RandomBrightnessLayer& message)
    : RandomPictureLayer("random_brightness"), m_parts{.lower = message.lower(),
                                                       .upper = message.upper()},
      m_values{.least = static_cast<float>(message.value_min()),
               .greatest = static_cast<float>(message.value_max())}
{}

Result<void> RandomBrightnessLayer::checkOptions() const
{
    if (!(m_values.least < m_values.greatest)) {
        return fail(ErrorCode::InvalidArgument, kValueRange, kind(), "value_min", m_values.least,
                    "value_max", m_values.greatest);
    }
    return expectAscending(kind(), "parts of the range of values", m_parts);
}

float RandomBrightnessLayer::deltaOf(const PictureDraws& draws) const
{
    return m_parts.at(draws[0]) * (m_values.greatest - m_values.least);
}

void RandomBrightnessLayer::change(const PictureDraws& draws, const View& picture, float* dst) const
{
    pictures::lighten(picture, deltaOf(draws), m_values, dst);
}

void RandomBrightnessLayer::changeBack(const PictureDraws& draws, const View& picture,
                                       const View& dstGradient, float* gradient) const
{
    pictures::lightenBack(picture, deltaOf(draws), m_values, dstGradient.values, gradient);
}

storage::EmittedValue
RandomBrightnessLayer::emitTraining(const EmitContext& context,
                                    std::vector<storage::NodeRef>& /*updates*/) const
{
    const storage::FloatNodes nodes(context.graph);
    const storage::NodeRef delta = nodes.multiply(emitDraw(context, m_parts, 3),
                                                  nodes.number(m_values.greatest - m_values.least));
    const storage::NodeRef lighter = nodes.add(nodeRef(context.inputs[0].dense), delta);
    return {.dense = nodes
                         .larger(nodes.smaller(lighter, nodes.number(m_values.greatest)),
                                 nodes.number(m_values.least))
                         .input()};
}

std::unique_ptr<Layer> makeRandomBrightnessLayer(const spec::Layer& message)
{
    return std::make_unique<RandomBrightnessLayer>(message.random_brightness());
}

} // namespace cannery::layers
