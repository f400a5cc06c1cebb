// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/attention/sequence_attention_layer.h"

namespace cannery::layers {

/// Attention by sums of tanh, each term with a learned factor (Bahdanau et al. 2015):
/// tf.keras.layers.AdditiveAttention.
class AdditiveAttentionLayer : public SequenceAttentionLayer
{
public:
    explicit AdditiveAttentionLayer(const spec::AdditiveAttentionLayer& message);
};

std::unique_ptr<Layer> makeAdditiveAttentionLayer(const spec::Layer& message);

} // namespace cannery::layers
