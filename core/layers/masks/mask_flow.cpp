// SPDX-License-Identifier: Apache-2.0
#include "core/layers/masks/mask_flow.h"

#include "core/layers/masks/mask_catalog.h"

#include <utility>

namespace cannery::layers {

Result<graph::ValueId> MaskFlow::addNode(const std::string& name, spec::Layer layer,
                                         std::vector<graph::ValueId> inputs, NodeOptions options)
{
    const MaskRow* rule = maskRuleOf(layer.kind_case());
    if (rule == nullptr) {
        return m_builder.addNode(name, std::move(layer), std::move(inputs), std::move(options));
    }
    MaskedLayer place{.flow = *this, .name = name, .layer = layer, .inputs = inputs};
    if (rule->read != nullptr) {
        CANNERY_TRY_ASSIGN(inputs, rule->read(place));
    }
    CANNERY_TRY_ASSIGN(place.output, m_builder.addNode(name, std::move(layer), std::move(inputs),
                                                       std::move(options)));
    if (rule->give != nullptr) {
        if (Recipe recipe = rule->give(place)) {
            setMask(place.output, std::move(recipe));
        }
    }
    return place.output;
}

void MaskFlow::setMask(graph::ValueId value, Recipe recipe)
{
    m_masks[value] = {.recipe = std::move(recipe), .made = std::nullopt};
}

Result<graph::ValueId> MaskFlow::maskOf(graph::ValueId value)
{
    Mask& mask = m_masks.at(value);
    if (!mask.made) {
        CANNERY_TRY_ASSIGN(mask.made, mask.recipe());
    }
    return *mask.made;
}

} // namespace cannery::layers
