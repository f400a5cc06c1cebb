// SPDX-License-Identifier: Apache-2.0
#include "core/layers/pictures/random_translation_layer.h"

#include "storage/tf/graphs/float_nodes.h"

namespace cannery::layers {

RandomTranslationLayer::RandomTranslationLayer(const spec::RandomTranslationLayer& message)
    : RandomTransformLayer("random_translation", message), m_heights{.lower =
                                                                         message.height_lower(),
                                                                     .upper =
                                                                         message.height_upper()},
      m_widths{.lower = message.width_lower(), .upper = message.width_upper()}
{}

Result<void> RandomTranslationLayer::checkOptions() const
{
    CANNERY_TRY(expectAscending(kind(), "parts of the height", m_heights));
    return expectAscending(kind(), "parts of the width", m_widths);
}

pictures::AffineMap RandomTranslationLayer::mapOf(const PictureDraws& draws,
                                                  const ImageSize& size) const
{
    return pictures::translationBy(m_heights.at(draws[0]) * static_cast<float>(size.height),
                                   m_widths.at(draws[1]) * static_cast<float>(size.width));
}

EmittedMap RandomTranslationLayer::emitMap(const EmitContext& context, const ImageSize& size) const
{
    const storage::FloatNodes nodes(context.graph);
    const auto back = [&](const RandomRange& parts, std::int64_t side) {
        return nodes.multiply(emitDraw(context, parts, 1), nodes.number(-static_cast<float>(side)));
    };
    const storage::NodeRef zero = emitColumn(context, 0.0F);
    const storage::NodeRef one = emitColumn(context, 1.0F);
    return {.a0 = one,
            .a1 = zero,
            .a2 = back(m_widths, size.width),
            .b0 = zero,
            .b1 = one,
            .b2 = back(m_heights, size.height)};
}

std::unique_ptr<Layer> makeRandomTranslationLayer(const spec::Layer& message)
{
    return std::make_unique<RandomTranslationLayer>(message.random_translation());
}

} // namespace cannery::layers
