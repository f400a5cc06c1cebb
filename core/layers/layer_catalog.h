// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/layer.h"
#include "core/spec/layers.pb.h"

#include <memory>
#include <span>
#include <string_view>

namespace cannery::layers {

struct LayerRow
{
    spec::Layer::KindCase key;
    std::string_view name; ///< of the field of spec::Layer
    /// Reads its own case of the message.
    std::unique_ptr<Layer> (*make)(const spec::Layer&);
};

/// Every layer, in the order of the schema.
std::span<const LayerRow> layerCatalog();

/// The layer that the message describes; "layers.empty" if none is set.
Result<std::unique_ptr<Layer>> makeLayer(const spec::Layer& message);
/// The layer of a node: its own, or the one that its message describes.
Result<std::unique_ptr<Layer>> makeLayer(const graph::Node& node);

} // namespace cannery::layers
