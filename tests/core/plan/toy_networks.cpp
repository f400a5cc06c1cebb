// SPDX-License-Identifier: Apache-2.0
#include "tests/core/plan/toy_networks.h"

#include <array>

namespace cannery::tests {

namespace {

constexpr std::array<ToyEstimator, 13> kNetworks = {{
    {"custom_residual", R"(custom_estimator { head { binary_class_head {} }
        feature_columns: ['x', 'one_table', 'many_table'] graph {
        layer { name: "in" input_layer {} }
        layer { name: "a" dense { units: 6 activation: tanh } }
        layer { name: "b" dense { units: 6 activation: relu use_bias: false } }
        layer { name: "normal" batch_normalization {} }
        layer { name: "sum" inputs: ["normal", "a"] add {} }
        layer { name: "gelu" activation { function: gelu } }
        layer { name: "wide" inputs: ["gelu", "a", "in"] concatenate {} }
        layer { name: "square" reshape { target_shape: [-1, 3] } }
        layer { name: "rows" dense { units: 2 activation: sigmoid } }
        layer { name: "flat" flatten {} }
        layer { name: "dropout" dropout { rate: 0.3 } }
        layer { name: "out" dense { units: 1 } } }
        optimizer { adagrad { learning_rate: 0.1 } } })"},
    // A matrix whose gradient is rows of one part and whole in the other, and one that a block has.
    {"custom_shared", R"(custom_estimator { head { binary_class_head {} }
        feature_columns: ['x', 'heavy_hot'] graph {
        layer { name: "in" input_layer {} }
        layer { name: "first" dense { units: 12 activation: tanh } }
        layer { name: "again" shares_weights_with: "first" dense { units: 12 activation: elu } }
        layer { name: "tower" block { repeat: 2
            layer { name: "up" dense { units: 12 activation: gelu use_bias: false } }
            layer { name: "normal" batch_normalization {} }
            layer { name: "sum" inputs: ["normal", "input"] add {} } } }
        layer { shares_weights_with: "tower/1/up" dense { units: 12 use_bias: false } }
        layer { name: "out" dense { units: 1 } } }
        optimizer { adagrad { learning_rate: 0.1 } } })",
     false},
    // Without maxima: their kinks are not what differences of a loss can show.
    {"custom_images", R"(custom_estimator { head { binary_class_head {} }
        feature_columns: ['x', 'heavy_hot', 'one_table', 'many_table', 'heavy_table'] graph {
        layer { name: "in" input_layer {} }
        layer { name: "wide" dense { units: 60 activation: tanh } }
        layer { name: "image" reshape { target_shape: [5, 6, 2] } }
        layer { name: "conv" conv_2d { filters: 4 kernel_size: [3, 2] padding: same
                                       activation: gelu } }
        layer { name: "normal" batch_normalization { momentum: 0.9 } }
        layer { name: "depthwise" depthwise_conv_2d { kernel_size: 3 depth_multiplier: 2
                                                      padding: same activation: elu } }
        layer { name: "grouped" conv_2d { filters: 8 kernel_size: 3 groups: 2 use_bias: false
                                          padding: same } }
        layer { name: "gated" inputs: ["grouped", "depthwise"] multiply {} }
        layer { name: "windows" average_pooling_2d { pool_size: [2, 3] strides: 1 } }
        layer { name: "average" inputs: ["gated"] average_pooling_2d { padding: same } }
        layer { name: "mean" inputs: ["windows"] global_average_pooling_2d {} }
        layer { name: "corner" inputs: ["average"] conv_2d { filters: 3 kernel_size: 3 } }
        layer { name: "flat" flatten {} }
        layer { name: "both" inputs: ["mean", "flat"] concatenate {} }
        layer { name: "out" dense { units: 1 } } }
        optimizer { sgd { learning_rate: 0.05 momentum: 0.9 } } })",
     false},
    {"custom_sequences", R"(custom_estimator { head { binary_class_head {} }
        feature_columns: ['x', 'heavy_hot', 'one_table', 'many_table', 'heavy_table'] graph {
        layer { name: "in" input_layer {} }
        layer { name: "wide" dense { units: 24 activation: tanh } }
        layer { name: "steps" reshape { target_shape: [12, 2] } }
        layer { name: "causal" conv_1d { filters: 4 kernel_size: 3 padding: causal dilation_rate: 2
                                         activation: gelu } }
        layer { name: "each" depthwise_conv_1d { kernel_size: 2 depth_multiplier: 2 stride: 2
                                                 activation: elu } }
        layer { name: "mixed" separable_conv_1d { filters: 3 kernel_size: 3 depth_multiplier: 2
                                                  padding: same activation: swish } }
        layer { name: "longer" conv_1d_transpose { filters: 3 kernel_size: 3 stride: 2
                                                   activation: gelu } }
        layer { name: "around" zero_padding_1d {} }
        layer { name: "slow" up_sampling_1d {} }
        layer { name: "inside" cropping_1d { cropping: [2, 3] } }
        layer { name: "windows" average_pooling_1d { pool_size: 3 padding: same } }
        layer { name: "turned" permute { dims: [2, 1] } }
        layer { name: "mean" global_average_pooling_1d {} }
        layer { name: "again" repeat_vector { n: 3 } }
        layer { name: "flat" flatten {} }
        layer { name: "all" inputs: "turned" flatten {} }
        layer { name: "both" inputs: ["flat", "all"] concatenate {} }
        layer { name: "normal" batch_normalization {} }
        layer { name: "out" dense { units: 1 } } }
        optimizer { sgd { learning_rate: 0.05 momentum: 0.9 } } })",
     false},
    {"custom_resized", R"(custom_estimator { head { binary_class_head {} }
        feature_columns: ['x', 'heavy_hot', 'one_table', 'many_table', 'heavy_table'] graph {
        layer { name: "in" input_layer {} }
        layer { name: "wide" dense { units: 24 activation: tanh } }
        layer { name: "image" reshape { target_shape: [3, 4, 2] } }
        layer { name: "mixed" separable_conv_2d { filters: 3 kernel_size: [2, 3] padding: same
                                                  depth_multiplier: 2 activation: gelu } }
        layer { name: "larger" conv_2d_transpose { filters: 2 kernel_size: [3, 2] strides: [2, 1]
                                                   use_bias: false activation: elu } }
        layer { name: "bare" conv_2d_transpose { filters: 2 kernel_size: 2 padding: same
                                                 use_bias: false activation: swish } }
        layer { name: "around" zero_padding_2d { padding: [1, 0, 2, 1] } }
        layer { name: "repeated" up_sampling_2d { size: [1, 2] } }
        layer { name: "blended" up_sampling_2d { size: [2, 1] interpolation: bilinear } }
        layer { name: "smooth" up_sampling_2d { size: [1, 3] interpolation: bicubic } }
        layer { name: "inside" cropping_2d { cropping: [2, 3] } }
        layer { name: "turned" permute { dims: [3, 1, 2] } }
        layer { name: "windows" average_pooling_2d { pool_size: [1, 4] } }
        layer { name: "normal" batch_normalization {} }
        layer { name: "flat" flatten {} }
        layer { name: "out" dense { units: 1 } } }
        optimizer { sgd { learning_rate: 0.05 momentum: 0.9 } } })",
     false},
    // No variable is before what turns, enlarges and moves: as TensorFlow's, their gradients are
    // not derivatives.
    {"custom_pictures", R"(custom_estimator { head { binary_class_head {} }
        feature_columns: ['x', 'heavy_hot', 'one_table', 'many_table', 'heavy_table'] graph {
        layer { name: "given" input_layer { feature_columns: 'x' } }
        layer { name: "line" reshape { target_shape: [3, 1, 1] } }
        layer { name: "blurred" resizing { height: 6 width: 5 } }
        layer { name: "turned" random_rotation { lower: -0.2 upper: 0.3 } }
        layer { name: "closer" random_zoom { height_lower: -0.3 height_upper: 0.2
                                             fill_mode: constant fill_value: 0.5 } }
        layer { name: "moved" random_translation { height_lower: -0.3 height_upper: 0.3
            width_lower: -0.3 width_upper: 0.3 fill_mode: wrap interpolation: nearest } }
        layer { name: "all" input_layer {} }
        layer { name: "wide" dense { units: 24 activation: tanh } }
        layer { name: "image" reshape { target_shape: [4, 3, 2] } }
        layer { name: "larger" resizing { height: 7 width: 8 interpolation: bicubic } }
        layer { name: "cut" resizing { height: 6 width: 6 crop_to_aspect_ratio: true } }
        layer { name: "mirrored" random_flip {} }
        layer { name: "part" random_crop { height: 5 width: 4 } }
        layer { name: "bytes" rescaling { scale: 10 offset: 100 } }
        layer { name: "contrast" random_contrast { lower: 0.3 upper: 0.4 } }
        layer { name: "numbers" rescaling { scale: 0.1 offset: -10 } }
        layer { name: "brighter" random_brightness { lower: -0.2 upper: 0.2 value_min: -9
                                                     value_max: 9 } }
        layer { name: "middle" center_crop { height: 4 width: 3 } }
        layer { name: "first" inputs: "moved" flatten {} }
        layer { name: "second" inputs: "middle" flatten {} }
        layer { name: "both" inputs: ["first", "second"] concatenate {} }
        layer { name: "out" dense { units: 1 } } }
        optimizer { sgd { learning_rate: 0.05 momentum: 0.9 } } })",
     false},
    // Every layer of it computes parts of a batch at the same time.
    {"custom_merging", R"(custom_estimator { head { binary_class_head {} }
        feature_columns: ['x', 'heavy_hot', 'one_table', 'many_table', 'heavy_table'] graph {
        layer { name: "in" input_layer {} }
        layer { name: "wide" dense { units: 48 activation: tanh } }
        layer { name: "scaled" rescaling { scale: 1.5 offset: 0.1 } }
        layer { name: "known" normalization { mean: 0.1 variance: 0.7 } }
        layer { name: "kept" normalization {} }
        layer { name: "image" reshape { target_shape: [4, 3, 4] } }
        layer { name: "around" layer_normalization { axis: [1, 3] epsilon: 0.1 } }
        layer { name: "groups" inputs: "image" group_normalization { groups: 2 epsilon: 0.1 } }
        layer { name: "unit" inputs: "around" unit_normalization { axis: [2] } }
        layer { name: "narrow" inputs: "kept" dense { units: 4 activation: sigmoid } }
        layer { name: "tall" reshape { target_shape: [4, 1, 1] } }
        layer { name: "gated" inputs: ["unit", "narrow", "around"] multiply {} }
        layer { name: "sum" inputs: ["tall", "gated"] add {} }
        layer { name: "difference" inputs: ["narrow", "groups"] subtract {} }
        layer { name: "mean" inputs: ["sum", "difference", "tall"] average {} }
        layer { name: "beside" inputs: ["mean", "sum"] concatenate { axis: -2 } }
        layer { name: "left" reshape { target_shape: [8, 12] } }
        layer { name: "right" inputs: "mean" reshape { target_shape: [12, 4] } }
        layer { name: "products" inputs: ["left", "right"] dot { axes: [2, 1] } }
        layer { name: "cosines" inputs: ["products", "left"] dot { axes: 1 normalize: true } }
        layer { name: "flat" flatten {} }
        layer { name: "out" dense { units: 1 } } }
        optimizer { sgd { learning_rate: 0.05 momentum: 0.9 } } })",
     false},
    {"custom_weights", R"(custom_estimator { head { binary_class_head {} }
        feature_columns: ['x', 'one_hot', 'many_table'] graph {
        layer { name: "in" input_layer {} activity_regularizer { l2: 0.1 } }
        layer { name: "wide" dense { units: 18 activation: tanh } activity_regularizer { l1: 0.002 }
            weights { name: "kernel" initializer { orthogonal { gain: 1.5 } }
                      regularizer { l1_l2 { l1: 0.003 l2: 0.02 } } constraint { max_norm {} } }
            weights { name: "bias" initializer { ones {} } constraint { non_negative {} } } }
        layer { name: "image" reshape { target_shape: [3, 3, 2] } }
        layer { name: "conv" conv_2d { filters: 2 kernel_size: 3 padding: same }
            weights { name: "kernel" initializer { variance_scaling { mode: fan_out } }
                      regularizer { l1_l2 { l2: 0.1 } } constraint { radial {} } } }
        layer { name: "normal" batch_normalization {}
            weights { name: "gamma" constraint { min_max_norm { min_value: 1 max_value: 2 } } } }
        layer { name: "flat" flatten {} }
        layer { name: "narrow" dense { units: 4 activation: sigmoid }
            weights { name: "kernel" regularizer { orthogonal { factor: 0.3 mode: columns } }
                      constraint { unit_norm {} } } }
        layer { name: "out" dense { units: 1 } } }
        optimizer { adagrad { learning_rate: 0.1 } } })",
     false},
    {"custom_lines", R"(custom_estimator { head { binary_class_head {} }
        feature_columns: ['x', 'heavy_hot', 'one_table', 'many_table', 'heavy_table'] graph {
        layer { name: "in" input_layer {} }
        layer { name: "wide" dense { units: 24 activation: tanh } }
        layer { name: "image" reshape { target_shape: [4, 3, 2] } }
        layer { name: "lines" batch_normalization { axis: 1 momentum: 0.9 scale: false } }
        layer { name: "curve" activation { function: gelu } }
        layer { name: "columns" batch_normalization { axis: 2 center: false } }
        layer { name: "flat" flatten {} }
        layer { name: "out" dense { units: 1 } } }
        optimizer { sgd { learning_rate: 0.05 momentum: 0.9 } } })",
     false},
    {"custom_attention", R"(custom_estimator { head { binary_class_head {} }
        feature_columns: ['x', 'heavy_hot', 'one_table', 'many_table', 'heavy_table'] graph {
        layer { name: "in" input_layer {} }
        layer { name: "wide" dense { units: 24 activation: mish } }
        layer { name: "steps" reshape { target_shape: [4, 6] } }
        layer { name: "slopes" prelu { shared_axes: [1] } }
        layer { name: "heads" inputs: ["slopes", "slopes"]
                multi_head_attention { num_heads: 2 key_dim: 3 value_dim: 2 causal: true
                                       dropout: 0.2 } }
        layer { name: "channels" spatial_dropout_1d { rate: 0.2 } }
        layer { name: "unit" elu { alpha: 0.7 } }
        layer { name: "noisy" gaussian_noise { stddev: 0.1 } }
        layer { name: "scaled" gaussian_dropout { rate: 0.1 } }
        layer { name: "selu" alpha_dropout { rate: 0.1 } }
        layer { name: "joined" inputs: ["selu", "slopes"]
                attention { use_scale: true score_mode: concat } }
        layer { name: "matched" inputs: ["joined", "slopes"] attention { use_scale: true } }
        layer { name: "added" inputs: ["matched", "unit", "slopes"] additive_attention {} }
        layer { name: "shares" softmax { axis: [1] } }
        layer { name: "leaky" leaky_relu {} }
        layer { name: "flat" flatten {} }
        layer { name: "out" dense { units: 1 } } }
        optimizer { sgd { learning_rate: 0.05 momentum: 0.9 } } })",
     false},
    // Counts of an indicator are ids of 0 and 1, and a row has one of 1: the others are padding.
    {"custom_masks", R"(custom_estimator { head { binary_class_head {} }
        feature_columns: ['x', 'one_hot'] graph {
        layer { name: "ids" input_layer { feature_columns: 'one_hot' } }
        layer { name: "words" token_embedding { input_dim: 3 output_dim: 3 mask_zero: true } }
        layer { name: "bent" dense { units: 4 activation: tanh } }
        layer { name: "even" batch_normalization {} }
        layer { name: "mean" global_average_pooling_1d {} }
        layer { name: "given" input_layer { feature_columns: 'x' } }
        layer { name: "positive" activation { function: relu } }
        layer { name: "each" reshape { target_shape: [3, 1] } }
        layer { name: "hidden" masking {} }
        layer { name: "wide" dense { units: 4 } }
        layer { name: "heads" inputs: ["wide", "even"]
                multi_head_attention { num_heads: 1 key_dim: 2 } }
        layer { name: "sum" inputs: ["heads", "wide"] add {} }
        layer { name: "matched" inputs: ["sum", "bent"] attention {} }
        layer { name: "added" inputs: ["matched", "wide"] additive_attention {} }
        layer { name: "flat" flatten {} }
        layer { name: "both" inputs: ["mean", "flat"] concatenate {} }
        layer { name: "out" dense { units: 1 } } }
        optimizer { sgd { learning_rate: 0.05 } global_clipnorm: 0.3 } })",
     false},
    // The mask comes from no variable: differences would show where it changes.
    {"custom_steps", R"(custom_estimator { head { binary_class_head {} }
        feature_columns: ['x', 'one_table', 'many_table'] graph {
        layer { name: "in" input_layer {} }
        layer { name: "wide" dense { units: 18 activation: tanh } }
        layer { name: "steps" reshape { target_shape: [3, 6] } }
        layer { name: "start" inputs: "in" dense { units: 4 activation: tanh } }
        layer { name: "long" inputs: ["steps", "start", "start"] lstm { units: 4
            return_sequences: true activation: softsign recurrent_activation: sigmoid } }
        layer { name: "early" gru { units: 3 return_sequences: true reset_after: false
            go_backwards: true } }
        layer { name: "ways" bidirectional { gru { units: 3 return_sequences: true }
            merge_mode: ave } }
        layer { name: "given" input_layer { feature_columns: 'x' } }
        layer { name: "positive" activation { function: relu } }
        layer { name: "each" reshape { target_shape: [3, 1] } }
        layer { name: "both" inputs: ["ways", "each"] bidirectional { simple_rnn { units: 3
            return_sequences: true activation: gelu } merge_mode: mul } }
        layer { name: "last" inputs: ["both", "each"] simple_rnn { units: 4 } }
        layer { name: "all" inputs: ["both", "each"] lstm { units: 2 return_sequences: true
            use_bias: false } }
        layer { name: "flat" flatten {} }
        layer { name: "joined" inputs: ["last", "flat"] concatenate {} }
        layer { name: "out" dense { units: 1 } } }
        optimizer { sgd { learning_rate: 0.05 } } })",
     false},
    {"custom_sequence", R"(custom_estimator { head { regression_head {} }
        sequence_feature_columns: ['word_table', 'path'] feature_columns: ['one_hot', 'x'] graph {
        layer { name: "row" input_layer {} }
        layer { name: "context" dense { units: 5 activation: tanh } }
        layer { name: "steps" inputs: "context" sequence_input {} }
        layer { name: "ways" bidirectional { lstm { units: 3 return_sequences: true } } }
        layer { name: "back" gru { units: 4 return_sequences: true go_backwards: true
            activation: softsign reset_after: false } }
        layer { name: "start" inputs: "context" dense { units: 3 } }
        layer { name: "last" inputs: ["back", "start"] simple_rnn { units: 3 } }
        layer { name: "out" dense { units: 1 } } }
        optimizer { sgd { learning_rate: 0.1 } } })",
     false},
}};

} // namespace

std::span<const ToyEstimator> toyNetworks()
{
    return kNetworks;
}

} // namespace cannery::tests
