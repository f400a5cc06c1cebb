// SPDX-License-Identifier: Apache-2.0
#include "tests/end_to_end/schema_readings_parts.h"

namespace cannery::tests {

/// Layers of attention, of activation and of noise; ids and masks.
std::vector<SchemaReading> readingsOfAttention()
{
    const char* const experiment = "attention.cannery";
    const char* const tokens = "tokens.cannery";
    const std::string layer = "estimator.custom_estimator.graph.layer";
    const std::string attention = layer + "[weighed].attention";
    const std::string additive = layer + "[added].additive_attention";
    const std::string heads = layer + "[heads].multi_head_attention";
    return {
        {experiment, {}, layer + "[wide].dense.activation=exponential"},
        {experiment, {}, layer + "[cut].relu={}"},
        {experiment, {}, layer + "[cut].relu.max_value=0.3"},
        {experiment, {}, layer + "[cut].relu.negative_slope=0.4"},
        {experiment, {}, layer + "[cut].relu.threshold=0.4"},
        {experiment, {}, layer + "[leaky].leaky_relu={}"},
        {experiment, {}, layer + "[leaky].leaky_relu.alpha=0.5"},
        {experiment, {}, layer + "[slopes].prelu={}"},
        {experiment, {}, layer + "[slopes].prelu.shared_axes=[2]"},
        {experiment, {}, layer + "[unit].elu={}"},
        {experiment, {}, layer + "[unit].elu.alpha=0.5"},
        {experiment, {}, layer + "[above].thresholded_relu={}"},
        {experiment, {}, layer + "[above].thresholded_relu.theta=0.5"},
        {experiment, {}, layer + "[shares].softmax={}"},
        {experiment, {}, layer + "[shares].softmax.axis=[-1]"},
        {experiment, {}, layer + "[channels].spatial_dropout_1d={}"},
        {experiment, {}, layer + "[channels].spatial_dropout_1d.rate=0.5"},
        {experiment, {}, layer + "[spatial].spatial_dropout_2d={}"},
        {experiment, {}, layer + "[spatial].spatial_dropout_2d.rate=0.5"},
        {experiment, {}, layer + "[noisy].gaussian_noise={ stddev: 0.3 }"},
        {experiment, {}, layer + "[noisy].gaussian_noise.stddev=0.2"},
        {experiment, {}, layer + "[scaled].gaussian_dropout={ rate: 0.3 }"},
        {experiment, {}, layer + "[scaled].gaussian_dropout.rate=0.2"},
        {experiment, {}, layer + "[selu].alpha_dropout={ rate: 0.3 }"},
        {experiment, {}, layer + "[selu].alpha_dropout.rate=0.2"},
        {experiment, {}, layer + "[weighed].attention={}"},
        {experiment, {}, attention + ".use_scale=false"},
        {experiment, {}, attention + ".score_mode=dot"},
        {experiment, {}, attention + ".causal=false"},
        {experiment, {}, attention + ".dropout=0.3"},
        {experiment, {}, layer + "[added].additive_attention={}"},
        {experiment, {}, additive + ".use_scale=false"},
        {experiment, {}, additive + ".causal=false"},
        {experiment, {}, additive + ".dropout=0.3"},
        {experiment, {}, layer + "[heads].multi_head_attention={ num_heads: 1 key_dim: 2 }"},
        {experiment, {}, heads + ".num_heads=3"},
        {experiment, {}, heads + ".key_dim=2"},
        {experiment, {}, heads + ".value_dim=3"},
        {experiment,
         {layer + "[image].reshape.target_shape=[2, 2, -1]"},
         heads + ".output_width=5"},
        {experiment, {}, heads + ".use_bias=false"},
        {experiment, {}, heads + ".causal=false"},
        {experiment, {}, heads + ".dropout=0.3"},
        {tokens, {}, layer + "[words].token_embedding={ input_dim: 4 output_dim: 2 }"},
        {tokens, {}, layer + "[words].token_embedding.input_dim=2", "features.token_id"},
        {tokens, {}, layer + "[words].token_embedding.output_dim=2"},
        {tokens, {}, layer + "[words].token_embedding.mask_zero=false"},
        {tokens, {}, layer + "[hidden].masking={ mask_value: 1 }"},
        {tokens, {}, layer + "[hidden].masking.mask_value=1"},
    };
}

} // namespace cannery::tests
