// SPDX-License-Identifier: Apache-2.0
#include "tests/end_to_end/extreme_networks.h"

#include <array>

namespace cannery::tests {

namespace {

constexpr const char* kSequences = R"(custom_estimator {
  head { regression_head { label_dimension: 1 } }
  feature_columns: ["x", "n"]
  graph {
    layer { name: "in" input_layer { feature_columns: ["x", "n"] } }
    layer { name: "wide" dense { units: 32 activation: tanh }
            weights { name: "kernel" initializer { he_uniform { seed: 5 } } } }
    layer { name: "steps" reshape { target_shape: [16, 2] } }
    layer { name: "causal" conv_1d { filters: 4 kernel_size: 3 stride: 1 padding: causal
                                     dilation_rate: 1 groups: 2 activation: elu } }
    layer { name: "each" depthwise_conv_1d { kernel_size: 2 stride: 1 padding: same
                                             depth_multiplier: 1 dilation_rate: 1 } }
    layer { name: "mixed" separable_conv_1d { filters: 4 kernel_size: 2 stride: 1 padding: same
                                              depth_multiplier: 2 dilation_rate: 1 } }
    layer { name: "longer" conv_1d_transpose { filters: 3 kernel_size: 3 stride: 2 padding: valid
                                               output_padding: 1 } }
    layer { name: "around" zero_padding_1d { padding: [1, 2] } }
    layer { name: "inside" cropping_1d { cropping: [2, 1] } }
    layer { name: "slow" up_sampling_1d { size: 2 } }
    layer { name: "most" max_pooling_1d { pool_size: 2 stride: 2 padding: same } }
    layer { name: "mean" average_pooling_1d { pool_size: 3 stride: 2 padding: valid } }
    layer { name: "turned" permute { dims: [2, 1] } }
    layer { name: "top" global_max_pooling_1d { keepdims: true } }
    layer { name: "flat" flatten {} }
    layer { name: "again" repeat_vector { n: 3 } }
    layer { name: "all" global_average_pooling_1d {} }
    layer { name: "logits" dense { units: 1 }
            weights { name: "kernel" initializer { lecun_uniform { seed: 6 } } } }
  }
  optimizer { adam { learning_rate: 0.01 } } })";

constexpr const char* kImages = R"(custom_estimator {
  head { regression_head { label_dimension: 1 } }
  feature_columns: ["x", "n"]
  graph {
    layer { name: "in" input_layer { feature_columns: ["x", "n"] } }
    layer { name: "wide" dense { units: 32 activation: tanh }
            weights { name: "kernel" initializer { he_normal { seed: 5 } } } }
    layer { name: "image" reshape { target_shape: [4, 4, 2] } }
    layer { name: "mixed" separable_conv_2d { filters: 3 kernel_size: [2, 2] stride: 1 padding: same
                                              depth_multiplier: 1 dilation_rate: [1, 1]
                                              activation: elu } }
    layer { name: "larger" conv_2d_transpose { filters: 2 kernel_size: [3, 3] strides: [2, 2]
                                               padding: valid output_padding: [1, 0]
                                               dilation_rate: [1, 1] } }
    layer { name: "around" zero_padding_2d { padding: [1, 0, 2, 1] } }
    layer { name: "inside" cropping_2d { cropping: [1, 2, 0, 1] } }
    layer { name: "twice" up_sampling_2d { size: [2, 1] interpolation: bilinear } }
    layer { name: "flat" flatten {} }
    layer { name: "logits" dense { units: 1 }
            weights { name: "kernel" initializer { lecun_normal { seed: 6 } } } }
  }
  optimizer { adam { learning_rate: 0.01 } } })";

constexpr const char* kAttention =
    R"(custom_estimator { head { regression_head { label_dimension: 1 } }
  feature_columns: ["x", "n"]
  graph {
    layer { name: "in" input_layer {} }
    layer { name: "wide" dense { units: 24 activation: mish } }
    layer { name: "steps" reshape { target_shape: [4, 6] } }
    layer { name: "cut" relu { max_value: 6 negative_slope: 0.1 threshold: 0.2 } }
    layer { name: "leaky" leaky_relu { alpha: 0.2 } }
    layer { name: "slopes" prelu { shared_axes: [1] } }
    layer { name: "unit" elu { alpha: 0.8 } }
    layer { name: "above" thresholded_relu { theta: 0.1 } }
    layer { name: "shares" softmax { axis: [1] } }
    layer { name: "channels" inputs: "unit" spatial_dropout_1d { rate: 0.1 } }
    layer { name: "noisy" gaussian_noise { stddev: 0.1 } }
    layer { name: "scaled" gaussian_dropout { rate: 0.1 } }
    layer { name: "selu" alpha_dropout { rate: 0.1 } }
    layer { name: "weighed" inputs: ["selu", "unit"]
            attention { use_scale: true score_mode: concat causal: true dropout: 0.1 } }
    layer { name: "added" inputs: ["weighed", "unit", "shares"]
            additive_attention { use_scale: true causal: true dropout: 0.1 } }
    layer { name: "heads" inputs: ["added", "unit"]
            multi_head_attention { num_heads: 2 key_dim: 3 value_dim: 2 output_width: 6
                                   use_bias: true causal: true dropout: 0.1 } }
    layer { name: "image" reshape { target_shape: [2, 2, 6] } }
    layer { name: "spatial" spatial_dropout_2d { rate: 0.1 } }
    layer { name: "flat" flatten {} }
    layer { name: "logits" dense { units: 1 } }
  }
  optimizer { adam { learning_rate: 0.01 } } })";

constexpr const char* kMerging =
    R"(custom_estimator { head { regression_head { label_dimension: 1 } }
  feature_columns: ["x", "n"]
  graph {
    layer { name: "in" input_layer {} }
    layer { name: "scaled" rescaling { scale: 0.5 offset: 0.1 } }
    layer { name: "known" normalization { mean: 0.2 variance: 2 invert: false } }
    layer { name: "wide" dense { units: 24 activation: tanh } }
    layer { name: "image" reshape { target_shape: [3, 2, 4] } }
    layer { name: "batch" batch_normalization { axis: 1 momentum: 0.9 epsilon: 0.01
                                                center: true scale: true } }
    layer { name: "row" layer_normalization { axis: [1, 3] epsilon: 0.01 center: true scale: true } }
    layer { name: "groups" inputs: "image"
            group_normalization { groups: 2 epsilon: 0.01 center: true scale: true } }
    layer { name: "unit" inputs: "batch" unit_normalization { axis: [2] } }
    layer { name: "difference" inputs: ["row", "groups"] subtract {} }
    layer { name: "largest" inputs: ["difference", "unit"] maximum {} }
    layer { name: "smallest" inputs: ["difference", "unit", "groups"] minimum {} }
    layer { name: "mean" inputs: ["smallest", "largest"] average {} }
    layer { name: "beside" inputs: ["mean", "image"] concatenate { axis: 1 } }
    layer { name: "left" inputs: "beside" reshape { target_shape: [12, 4] } }
    layer { name: "right" inputs: "largest" reshape { target_shape: [6, 4] } }
    layer { name: "products" inputs: ["left", "right"] dot { axes: [2, 2] normalize: true } }
    layer { name: "flat" flatten {} }
    layer { name: "logits" dense { units: 1 } }
  }
  optimizer { adam { learning_rate: 0.01 } } })";

constexpr const char* kBlocks =
    R"(custom_estimator { head { regression_head { label_dimension: 1 } }
  feature_columns: ["x", "n"]
  graph {
    layer { name: "in" input_layer {} }
    layer { name: "wide" dense { units: 8 activation: tanh } }
    layer { name: "other" dense { units: 8 activation: tanh } }
    layer { name: "first" dense { units: 8 activation: tanh } }
    layer { name: "again" shares_weights_with: "first" dense { units: 8 activation: tanh } }
    layer { name: "tower" block { repeat: 2
      layer { name: "up" dense { units: 8 activation: tanh } }
      layer { name: "sum" inputs: ["up", "input"] add {} } } }
    layer { name: "logits" dense { units: 1 } }
  }
  optimizer { adam { learning_rate: 0.01 } } })";

constexpr const char* kSteps = R"(custom_estimator { head { regression_head { label_dimension: 1 } }
  feature_columns: ["x"] sequence_feature_columns: ["sfi", "sgi"]
  graph {
    layer { name: "row" input_layer {} }
    layer { name: "steps" inputs: ["row"] sequence_input { feature_columns: ["sfi", "sgi"] } }
    layer { name: "simple" simple_rnn { units: 3 return_sequences: true } }
    layer { name: "reset" gru { units: 3 return_sequences: true } }
    layer { name: "kept" lstm { units: 4 } }
    layer { name: "rows" reshape { target_shape: [2, 2] } }
    layer { name: "ways" bidirectional { simple_rnn { units: 2 return_sequences: true } } }
    layer { name: "sums" bidirectional { merge_mode: sum lstm { units: 2 return_sequences: true } } }
    layer { name: "products" bidirectional { merge_mode: mul gru { units: 2 } } }
    layer { name: "logits" dense { units: 1 } }
  }
  optimizer { adam { learning_rate: 0.01 } } })";

/// Ids with padding around them, and steps that a value hides: never all of them, which have no
/// mean.
constexpr const char* kTokens =
    R"(custom_estimator { head { regression_head { label_dimension: 1 } }
  feature_columns: ["x", "tok"]
  graph {
    layer { name: "id" input_layer { feature_columns: "tok" } }
    layer { name: "one" reshape { target_shape: [1, 1] } }
    layer { name: "padded" zero_padding_1d { padding: [1, 2] } }
    layer { name: "ids" flatten {} }
    layer { name: "words" token_embedding { input_dim: 5 output_dim: 3 mask_zero: true } }
    layer { name: "read" lstm { units: 3 } }
    layer { name: "numbers" input_layer { feature_columns: "x" } }
    layer { name: "number" dense { units: 1 activation: sigmoid } }
    layer { name: "step" reshape { target_shape: [1, 1] } }
    layer { name: "steps" zero_padding_1d { padding: [1, 1] } }
    layer { name: "hidden" masking { mask_value: 0 } }
    layer { name: "kept" global_average_pooling_1d {} }
    layer { name: "both" inputs: ["read", "kept"] concatenate {} }
    layer { name: "logits" dense { units: 1 } }
  }
  optimizer { adam { learning_rate: 0.01 } } })";

/// Each loss; one whose loss is computed behind an activation reads a layer that others read too.
constexpr const char* kLosses = R"(custom_estimator { head { multi_head {
    heads { loss_head { name: "mse" label_dimension: 1 loss { mean_squared_error {} }  } }
    heads { loss_head { name: "mae" label_dimension: 1 loss { mean_absolute_error {} }  } }
    heads { loss_head { name: "mape" label_dimension: 1 loss { mean_absolute_percentage_error {} }  } }
    heads { loss_head { name: "msle" label_dimension: 1 loss { mean_squared_logarithmic_error {} }  } }
    heads { loss_head { name: "huber" label_dimension: 1 loss { huber { delta: 0.3 } }  } }
    heads { loss_head { name: "cosh" label_dimension: 1 loss { log_cosh {} }  } }
    heads { loss_head { name: "counts" label_dimension: 1 loss { poisson {} }  } }
    heads { loss_head { name: "kl_chance" n_classes: 3 loss { kl_divergence {} }  } }
    heads { loss_head { name: "cosine" n_classes: 3 loss { cosine_similarity {} }  } }
    heads { loss_head { name: "hinge" n_classes: 2 loss { hinge {} }  } }
    heads { loss_head { name: "squared" n_classes: 2 loss { squared_hinge {} }  } }
    heads { loss_head { name: "margin" n_classes: 3 loss { categorical_hinge {} }  } }
    heads { loss_head { name: "binary_chance" n_classes: 2 loss { binary_crossentropy { from_logits: false label_smoothing: 0.1 } }  } }
    heads { loss_head { name: "focal" n_classes: 2 loss { binary_focal_crossentropy { from_logits: true label_smoothing: 0.1 gamma: 1.5 apply_class_balancing: true alpha: 0.3 } }  } }
    heads { loss_head { name: "one_chance" n_classes: 3 loss { categorical_crossentropy { from_logits: false label_smoothing: 0.1 } }  } }
    heads { loss_head { name: "many" n_classes: 3 loss { categorical_focal_crossentropy { from_logits: true label_smoothing: 0.1 gamma: 1.5 alpha: 0.3 } }  } }
    heads { loss_head { name: "sparse" n_classes: 3 loss { sparse_categorical_crossentropy { from_logits: true ignore_class: 1 } }  } } } }
  feature_columns: ["x", "n"]
  graph {
    outputs: ["number", "number", "number", "number", "number", "number", "chance", "chances",
              "scores", "score", "score", "scores", "chance", "score", "chances", "scores",
              "scores"]
    layer { name: "in" input_layer {} }
    layer { name: "wide" dense { units: 4 activation: tanh } }
    layer { name: "number" dense { units: 1 } }
    layer { name: "score" inputs: "wide" dense { units: 1 } }
    layer { name: "chance" inputs: "wide" dense { units: 1 activation: sigmoid } }
    layer { name: "scores" inputs: "wide" dense { units: 3 } }
    layer { name: "chances" softmax {} }
  }
  optimizer { adam { learning_rate: 0.01 } } })";
constexpr const char* kLossLabels = R"(heads {
  head { name: "mse" column: "amount" } head { name: "mae" column: "amount" } head { name:
  "mape" column: "amount" } head { name: "msle" column: "amount" } head { name: "huber"
  column: "amount" } head { name: "cosh" column: "amount" } head { name: "counts" column:
  "amount" } head { name: "kl_chance" column: "class" } head { name: "cosine" column: "class"
  } head { name: "hinge" column: "label" } head { name: "squared" column: "label" } head {
  name: "margin" column: "class" } head { name: "binary_chance" column: "label" } head { name:
  "focal" column: "label" } head { name: "one_chance" column: "class" } head { name: "many"
  column: "class" } head { name: "sparse" column: "class" } })";

constexpr const char* kWeights =
    R"(custom_estimator { head { regression_head { label_dimension: 1 } }
  feature_columns: ["x", "n"]
  graph {
    layer { name: "in" input_layer {} }
    layer { name: "wide" dense { units: 32 activation: tanh } activity_regularizer { l1: 0.01 l2: 0.02 }
            weights { name: "kernel" initializer { variance_scaling { scale: 2 seed: 5 } }
                      regularizer { l1_l2 { l1: 0.01 l2: 0.02 } }
                      constraint { max_norm { max_value: 0.5 axis: 0 } } }
            weights { name: "bias" initializer { constant { value: 0.2 } }
                      constraint { min_max_norm { min_value: 0.1 max_value: 0.4 rate: 0.5
                                                  axis: 0 } } } }
    layer { name: "image" reshape { target_shape: [4, 4, 2] } }
    layer { name: "conv" conv_2d { filters: 2 kernel_size: 3 }
            weights { name: "kernel" initializer { orthogonal { gain: 0.5 seed: 6 } }
                      constraint { radial {} } }
            weights { name: "bias" constraint { non_negative {} } } }
    layer { name: "flat" flatten {} }
    layer { name: "square" dense { units: 8 }
            weights { name: "kernel" initializer { identity { gain: 0.9 } }
                      regularizer { orthogonal { factor: 0.1 } }
                      constraint { unit_norm { axis: 0 } } } }
    layer { name: "logits" dense { units: 1 } }
  }
  optimizer { sgd { learning_rate: 0.1 } } })";

/// Pictures that are resized, cut, and changed at random during training.
constexpr const char* kRandomPictures =
    R"(custom_estimator { head { regression_head { label_dimension: 1 } }
  feature_columns: ["x", "n"]
  graph {
    layer { name: "in" input_layer {} }
    layer { name: "wide" dense { units: 50 activation: sigmoid } }
    layer { name: "picture" reshape { target_shape: [5, 5, 2] } }
    layer { name: "sized" resizing { height: 8 width: 7 interpolation: bicubic
                                     crop_to_aspect_ratio: true } }
    layer { name: "flip" random_flip { mode: horizontal } }
    layer { name: "turn" random_rotation { lower: -0.2 upper: 0.3 fill_mode: constant
                                           interpolation: bilinear fill_value: 0.5 } }
    layer { name: "zoom" random_zoom { height_lower: -0.2 height_upper: 0.3 width_lower: -0.1
                                       width_upper: 0.2 fill_mode: constant
                                       interpolation: bilinear fill_value: 0.25 } }
    layer { name: "move" random_translation { height_lower: -0.2 height_upper: 0.3
                                              width_lower: -0.1 width_upper: 0.2
                                              fill_mode: constant interpolation: bilinear
                                              fill_value: 0.75 } }
    layer { name: "contrast" random_contrast { lower: 0.2 upper: 0.3 } }
    layer { name: "light" random_brightness { lower: -0.2 upper: 0.3 value_min: 0 value_max: 1 } }
    layer { name: "part" random_crop { height: 6 width: 6 } }
    layer { name: "middle" center_crop { height: 4 width: 5 } }
    layer { name: "flat" flatten {} }
    layer { name: "logits" dense { units: 1 } }
  }
  optimizer { adam { learning_rate: 0.01 } } })";

constexpr auto kNetworks = std::to_array<ExtremeNetwork>({
    {"attention.cannery", kAttention},
    {"augmentation.cannery", kRandomPictures},
    {"blocks.cannery", kBlocks},
    {"images.cannery", kImages},
    {"losses.cannery", kLosses, kLossLabels},
    {"merging.cannery", kMerging},
    {"sequences.cannery", kSequences},
    {"steps.cannery", kSteps},
    {"tokens.cannery", kTokens},
    {"weights.cannery", kWeights},
});

} // namespace

std::span<const ExtremeNetwork> extremeNetworks()
{
    return kNetworks;
}

} // namespace cannery::tests
