// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"
#include "core/spec/estimators.pb.h"
#include "core/spec/text/spec_path.h"

#include <cstdint>
#include <string>
#include <vector>

namespace cannery::spec {

/// A layer of a network whose blocks are unfolded; never a block.
struct UnfoldedLayer
{
    const NetworkLayer* layer = nullptr; ///< of the network that was unfolded
    SpecPath path;                       ///< below NetworkGraph: "layer[3].block.layer[0]"
    /// Its own name behind those of its blocks: "residual/conv_2d", and "residual/2/conv_2d" in a
    /// block that is repeated. A number of its own stands for the repetition because "residual_2"
    /// may be another layer, and because charts then show all repetitions under "residual".
    std::string name;
    bool isTrainable = true;    ///< its own `trainable`, and that of every block around it
    std::vector<int> inputs;    ///< indices of UnfoldedNetwork::layers
    int sharesWeightsWith = -1; ///< likewise: the layer that has the weights; -1: it has its own
};

/// A field that is wrong in a network, and why.
struct UnfoldingProblem
{
    SpecPath path; ///< as UnfoldedLayer::path, or of a field below it
    Error error;
};

struct UnfoldedNetwork
{
    /// In the order in which they are written, repetitions behind another.
    std::vector<UnfoldedLayer> layers;
    std::vector<int> outputs;               ///< as NetworkLayout::outputs
    std::vector<int> order;                 ///< each layer after its inputs
    std::vector<UnfoldingProblem> problems; ///< if there are any, there are no layers
};

/// The most layers that a network may have with its blocks unfolded.
inline constexpr std::int64_t kMostLayers = 10'000;

/// The layers of a network, those of blocks as often as they are repeated. The network must
/// outlive the result. Problems: those of layoutOf(), "spec.empty_block", "spec.too_many_layers"
/// (found before any layer is made), "spec.block_input_unread", "spec.setting_of_block", and of
/// shared weights "spec.shared_unknown", "spec.shared_kind", "spec.shared_nothing",
/// "spec.shared_later", "spec.shared_trainable", "spec.shared_settings".
UnfoldedNetwork unfold(const NetworkGraph& network);

/// The layer alone, with what the blocks around it say of it.
Layer layerOf(const UnfoldedLayer& layer);

} // namespace cannery::spec
