// SPDX-License-Identifier: Apache-2.0
#include "core/layers/pictures/random_rotation_layer.h"

#include "storage/tf/graphs/float_nodes.h"

#include <numbers>

namespace cannery::layers {

namespace {

constexpr double kTurn = 2.0 * std::numbers::pi;

} // namespace

RandomRotationLayer::RandomRotationLayer(const spec::RandomRotationLayer& message)
    : RandomTransformLayer("random_rotation", message), m_turns{.lower = message.lower(),
                                                                .upper = message.upper()},
      m_angles{.lower = message.lower() * kTurn, .upper = message.upper() * kTurn}
{}

Result<void> RandomRotationLayer::checkOptions() const
{
    return expectAscending(kind(), "angles", m_turns);
}

pictures::AffineMap RandomRotationLayer::mapOf(const PictureDraws& draws,
                                               const ImageSize& size) const
{
    return pictures::rotationBy(m_angles.at(draws[0]), size.height, size.width);
}

EmittedMap RandomRotationLayer::emitMap(const EmitContext& context, const ImageSize& size) const
{
    const storage::FloatNodes nodes(context.graph);
    const storage::NodeRef angle = emitDraw(context, m_angles, 1);
    const storage::NodeRef cosine = nodes.apply("Cos", {angle});
    const storage::NodeRef sine = nodes.apply("Sin", {angle});
    const storage::NodeRef right = nodes.number(static_cast<float>(size.width - 1));
    const storage::NodeRef bottom = nodes.number(static_cast<float>(size.height - 1));
    const auto offset = [&](const storage::NodeRef& last, const storage::NodeRef& turned) {
        return nodes.divide(nodes.subtract(last, turned), nodes.number(2.0F));
    };
    return {.a0 = cosine,
            .a1 = nodes.apply("Neg", {sine}),
            .a2 = offset(
                right, nodes.subtract(nodes.multiply(cosine, right), nodes.multiply(sine, bottom))),
            .b0 = sine,
            .b1 = cosine,
            .b2 = offset(bottom,
                         nodes.add(nodes.multiply(sine, right), nodes.multiply(cosine, bottom)))};
}

std::unique_ptr<Layer> makeRandomRotationLayer(const spec::Layer& message)
{
    return std::make_unique<RandomRotationLayer>(message.random_rotation());
}

} // namespace cannery::layers
