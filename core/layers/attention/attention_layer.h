// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/attention/sequence_attention_layer.h"

namespace cannery::layers {

/// Attention by inner products, or by sums of tanh with one learned factor:
/// tf.keras.layers.Attention.
class AttentionLayer : public SequenceAttentionLayer
{
public:
    explicit AttentionLayer(const spec::AttentionLayer& message);
};

std::unique_ptr<Layer> makeAttentionLayer(const spec::Layer& message);

} // namespace cannery::layers
