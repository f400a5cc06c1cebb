// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/masks/mask_flow.h"

#include <span>

namespace cannery::layers {

/// A layer that is added to a graph.
struct MaskedLayer
{
    MaskFlow& flow;
    std::string name;
    spec::Layer layer;
    std::vector<graph::ValueId> inputs; ///< as the network names them
    graph::ValueId output = -1;         ///< once the layer is added
};

/// What a layer does with the masks of its inputs.
struct MaskRow
{
    spec::Layer::KindCase key;
    /// Its inputs with those of their masks that it uses; a mask that the network names stays as it
    /// is. Null: it uses none.
    Result<std::vector<graph::ValueId>> (*read)(MaskedLayer&);
    /// The mask of its output, which is empty if all steps count. Null: the output never has a
    /// mask.
    MaskFlow::Recipe (*give)(const MaskedLayer&);
};

/// The layers that use masks or pass them on, in the order of the schema: those whose Keras classes
/// do (supports_masking, compute_mask of Keras 2.15). All others drop them.
std::span<const MaskRow> maskCatalog();
/// Null for a layer that drops masks.
const MaskRow* maskRuleOf(spec::Layer::KindCase kind);

} // namespace cannery::layers
