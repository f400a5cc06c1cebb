// SPDX-License-Identifier: Apache-2.0
#include "core/layers/pictures/random_zoom_layer.h"

#include "storage/tf/graphs/float_nodes.h"

namespace cannery::layers {

RandomZoomLayer::RandomZoomLayer(const spec::RandomZoomLayer& message)
    : RandomTransformLayer("random_zoom", message), m_heights{.lower = 1 + message.height_lower(),
                                                              .upper = 1 + message.height_upper()},
      m_widths(m_heights),
      m_isProportional(!message.has_width_lower() && !message.has_width_upper())
{
    if (message.has_width_lower()) {
        m_widths.lower = 1 + message.width_lower();
    }
    if (message.has_width_upper()) {
        m_widths.upper = 1 + message.width_upper();
    }
}

Result<void> RandomZoomLayer::checkOptions() const
{
    CANNERY_TRY(expectAscending(kind(), "factors of the height", m_heights));
    return expectAscending(kind(), "factors of the width", m_widths);
}

pictures::AffineMap RandomZoomLayer::mapOf(const PictureDraws& draws, const ImageSize& size) const
{
    return pictures::zoomBy(m_heights.at(draws[0]), m_widths.at(draws[m_isProportional ? 0 : 1]),
                            size.height, size.width);
}

EmittedMap RandomZoomLayer::emitMap(const EmitContext& context, const ImageSize& size) const
{
    const storage::FloatNodes nodes(context.graph);
    const storage::NodeRef height = emitDraw(context, m_heights, 1);
    const storage::NodeRef width = m_isProportional ? height : emitDraw(context, m_widths, 1);
    const storage::NodeRef zero = emitColumn(context, 0.0F);
    const auto offset = [&](std::int64_t side, const storage::NodeRef& factor) {
        return nodes.multiply(nodes.number(static_cast<float>(side - 1) / 2),
                              nodes.subtract(nodes.number(1.0F), factor));
    };
    return {.a0 = width,
            .a1 = zero,
            .a2 = offset(size.width, width),
            .b0 = zero,
            .b1 = height,
            .b2 = offset(size.height, height)};
}

std::unique_ptr<Layer> makeRandomZoomLayer(const spec::Layer& message)
{
    return std::make_unique<RandomZoomLayer>(message.random_zoom());
}

} // namespace cannery::layers
