// SPDX-License-Identifier: Apache-2.0
#include "core/layers/attention/additive_attention_layer.h"

namespace cannery::layers {

AdditiveAttentionLayer::AdditiveAttentionLayer(const spec::AdditiveAttentionLayer& message)
    : SequenceAttentionLayer({.kind = "additive_attention",
                              .score = Score::Additive,
                              .usesScale = message.use_scale(),
                              .isCausal = message.causal(),
                              .dropRate = static_cast<float>(message.dropout())})
{}

std::unique_ptr<Layer> makeAdditiveAttentionLayer(const spec::Layer& message)
{
    return std::make_unique<AdditiveAttentionLayer>(message.additive_attention());
}

} // namespace cannery::layers
