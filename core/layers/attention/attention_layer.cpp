// SPDX-License-Identifier: Apache-2.0
#include "core/layers/attention/attention_layer.h"

namespace cannery::layers {

AttentionLayer::AttentionLayer(const spec::AttentionLayer& message)
    : SequenceAttentionLayer({.kind = "attention",
                              .score = message.score_mode() == spec::ScoreMode::concat
                                           ? Score::Concat
                                           : Score::Product,
                              .usesScale = message.use_scale(),
                              .isCausal = message.causal(),
                              .dropRate = static_cast<float>(message.dropout())})
{}

std::unique_ptr<Layer> makeAttentionLayer(const spec::Layer& message)
{
    return std::make_unique<AttentionLayer>(message.attention());
}

} // namespace cannery::layers
