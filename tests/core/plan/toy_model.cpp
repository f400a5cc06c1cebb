// SPDX-License-Identifier: Apache-2.0
#include "tests/core/plan/toy_model.h"

#include "core/base/check.h"
#include "core/estimators/estimator_catalog.h"
#include "kernels/device/random.h"

#include <google/protobuf/text_format.h>

#include <array>
#include <numeric>

namespace cannery::tests {

namespace {

constexpr const char* kColumns = R"(
feature_column { name: "x" numeric_column { key: "x" shape: 3 } }
feature_column { name: "one" categorical_column_with_identity { key: "one" num_buckets: 40 } }
feature_column { name: "many" categorical_column_with_identity { key: "many" num_buckets: 9 } }
feature_column { name: "plain" categorical_column_with_identity { key: "h" num_buckets: 9 } }
feature_column { name: "heavy" weighted_categorical_column {
    categorical_column: "plain" weight_feature_key: "w" } }
feature_column { name: "one_table" embedding_column {
    categorical_column: "one" dimension: 3 combiner: sum } }
feature_column { name: "many_table" embedding_column {
    categorical_column: "many" dimension: 3 combiner: mean max_norm: 0.5 } }
feature_column { name: "heavy_table" embedding_column {
    categorical_column: "heavy" dimension: 3 combiner: sqrtn } }
feature_column { name: "one_hot" indicator_column { categorical_column: "one" } }
feature_column { name: "heavy_hot" indicator_column { categorical_column: "heavy" } }
feature_column { name: "both" shared_embeddings {
    categorical_columns: ["many", "heavy"] dimension: 3 } }
feature_column { name: "path" sequence_numeric_column { key: "path" shape: 2 } }
feature_column { name: "word" sequence_categorical_column_with_identity {
    key: "word" num_buckets: 320 } }
feature_column { name: "word_table" embedding_column {
    categorical_column: "word" dimension: 3 max_norm: 0.8 } }
feature_column { name: "word_hot" indicator_column { categorical_column: "word" } }
)";

constexpr std::array<ToyEstimator, 21> kEstimators = {{
    {"linear_sum", "linear_classifier { feature_columns: ['x', 'one', 'many', 'heavy', "
                   "'one_hot'] optimizer { ftrl { learning_rate: 0.1 } } }"},
    {"linear_mean",
     "linear_regressor { feature_columns: ['x', 'many', 'heavy', 'one_table'] "
     "sparse_combiner: mean optimizer { sgd { learning_rate: 0.1 momentum: 0.9 } } }"},
    {"linear_sqrtn", "linear_classifier { n_classes: 2 feature_columns: ['many', 'heavy'] "
                     "sparse_combiner: sqrtn optimizer { rmsprop { learning_rate: 0.01 } } }"},
    {"dnn_tanh", "dnn_classifier { feature_columns: ['x', 'one_hot', 'heavy_hot', 'many_table', "
                 "'heavy_table'] hidden_units: [8, 6] activation_fn: tanh optimizer { adagrad { "
                 "learning_rate: 0.1 } } }"},
    {"dnn_gelu_dropout", "dnn_regressor { feature_columns: ['x', 'one_table', 'one_hot'] "
                         "hidden_units: [8, 6] activation_fn: gelu dropout: 0.4 optimizer { adam { "
                         "learning_rate: 0.01 } } }"},
    {"dnn_batch_norm", "dnn_classifier { feature_columns: ['many_table', 'x', 'heavy_hot'] "
                       "hidden_units: [8, 6] activation_fn: sigmoid batch_norm: true optimizer { "
                       "sgd { learning_rate: 0.1 } clipnorm: 0.5 } }"},
    {"combined",
     "dnn_linear_combined_classifier { linear_feature_columns: ['one', 'many', 'x'] "
     "linear_optimizer { ftrl { learning_rate: 0.1 l2_shrinkage_regularization_strength: "
     "0.1 } } dnn_feature_columns: ['both', 'x', 'one_hot'] dnn_hidden_units: [8, 4] "
     "dnn_activation_fn: softplus dnn_optimizer { adagrad { learning_rate: 0.1 } "
     "global_clipnorm: 0.3 } }"},
    {"baseline", "baseline_regressor { optimizer { ftrl { learning_rate: 0.3 } } }"},
    {"rnn_stacked", "rnn_classifier { sequence_feature_columns: ['path', 'word_hot'] "
                    "context_feature_columns: ['x', 'one_table'] units: [5, 4] optimizer { adagrad "
                    "{ learning_rate: 0.1 } clipnorm: 5 } }"},
    {"rnn_lstm", "rnn_classifier { sequence_feature_columns: ['path', 'word_table'] units: 5 "
                 "cell_type: lstm optimizer { adam { learning_rate: 0.01 } } }"},
    {"rnn_gru", "rnn_estimator { head { regression_head {} } sequence_feature_columns: "
                "['word_table', 'path'] context_feature_columns: ['one_hot', 'x'] units: [4, 5] "
                "cell_type: gru optimizer { sgd { learning_rate: 0.1 momentum: 0.9 } } }"},
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
        layer { name: "mean" global_average_pooling_1d {} }
        layer { name: "given" input_layer { feature_columns: 'x' } }
        layer { name: "positive" activation { function: relu } }
        layer { name: "each" reshape { target_shape: [3, 1] } }
        layer { name: "hidden" masking {} }
        layer { name: "wide" dense { units: 4 } }
        layer { name: "heads" inputs: ["wide", "bent"]
                multi_head_attention { num_heads: 1 key_dim: 2 } }
        layer { name: "sum" inputs: ["heads", "wide"] add {} }
        layer { name: "matched" inputs: ["sum", "bent"] attention {} }
        layer { name: "added" inputs: ["matched", "wide"] additive_attention {} }
        layer { name: "flat" flatten {} }
        layer { name: "both" inputs: ["mean", "flat"] concatenate {} }
        layer { name: "out" dense { units: 1 } } }
        optimizer { sgd { learning_rate: 0.05 } } })",
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

features::IdBlock randomIds(kernels::RandomStream& random, std::int64_t rows, std::uint64_t buckets,
                            std::uint64_t mostPerRow, bool weighted)
{
    features::IdBlock block;
    block.rowOffsets.push_back(0);
    for (std::int64_t row = 0; row < rows; ++row) {
        const std::uint64_t count = mostPerRow == 1 ? 1 : random.nextBelow(mostPerRow + 1);
        for (std::uint64_t entry = 0; entry < count; ++entry) {
            const bool missing = mostPerRow > 1 && random.nextBelow(8) == 0;
            block.ids.push_back(missing ? -1
                                        : static_cast<std::int32_t>(random.nextBelow(buckets)));
            if (weighted) {
                block.weights.push_back(random.nextUniform(-0.3F, 2.0F));
            }
        }
        block.rowOffsets.push_back(static_cast<std::int64_t>(block.ids.size()));
    }
    return block;
}

void addStep(kernels::RandomStream& random, features::SequenceBlock& path, features::IdBlock& word)
{
    const bool missing = random.nextBelow(8) == 0;
    word.ids.push_back(missing ? -1 : static_cast<std::int32_t>(random.nextBelow(320)));
    path.values.push_back(static_cast<float>(random.nextNormal()));
    path.values.push_back(static_cast<float>(random.nextNormal()));
}

/// Labels of 0 or 1 for all steps, and weights if wanted.
void labelSteps(features::EncodedRows& batch, std::int64_t labelWidth, bool areWeighted)
{
    batch.labelOffsets = batch.sequences[0].rowOffsets;
    batch.labels.clear();
    for (std::int64_t step = 0; step < batch.labelOffsets.back(); ++step) {
        for (std::int64_t i = 0; i < labelWidth; ++i) {
            batch.labels.push_back((step * 7 + i) % 3 == 0 ? 1.0F : 0.0F);
        }
        if (areWeighted) {
            batch.weights.push_back(0.5F + static_cast<float>(step % 4));
        }
    }
}

/// 0 to 5 steps per row, in `block` an id for each, in one of eight none.
features::SequenceBlock randomPath(kernels::RandomStream& random, std::int64_t rows,
                                   features::IdBlock& block)
{
    features::SequenceBlock path{.width = 2, .rowOffsets = {0}};
    block.rowOffsets = {0};
    for (std::int64_t row = 0; row < rows; ++row) {
        for (std::uint64_t step = random.nextBelow(6); step > 0; --step) {
            addStep(random, path, block);
        }
        block.rowOffsets.push_back(static_cast<std::int64_t>(block.ids.size()));
    }
    path.rowOffsets = block.rowOffsets;
    return path;
}

} // namespace

features::InputLayout toyLayout()
{
    const auto ids = [](const char* column, const char* name, std::int64_t width, bool weighted,
                        std::int32_t block) {
        return features::InputSlot{features::SlotKind::Ids, column, name, width, weighted, block};
    };
    features::InputLayout layout;
    layout.slots = {ids("heavy", "h_weighted_by_w", 9, true, 0),
                    ids("many", "many", 9, false, 1),
                    ids("one", "one", 40, false, 2),
                    {features::SlotKind::Dense, "x", "x", 3, false, 0},
                    {features::SlotKind::Sequence, "path", "path", 2, false, 0},
                    ids("word", "word", 320, false, 3)};
    layout.labelWidth = 1;
    return layout;
}

features::EncodedRows toyRows(std::int64_t rows, std::uint64_t seed, std::int64_t labelWidth)
{
    kernels::RandomStream random(seed);
    features::EncodedRows batch;
    batch.rowCount = rows;
    batch.ids = {randomIds(random, rows, 9, 4, true), randomIds(random, rows, 9, 4, false),
                 randomIds(random, rows, 40, 1, false)};
    features::DenseBlock dense{.width = 3};
    for (std::int64_t element = 0; element < rows * 3; ++element) {
        dense.values.push_back(static_cast<float>(random.nextNormal()));
    }
    batch.dense.push_back(std::move(dense));
    for (std::int64_t element = 0; element < rows * labelWidth; ++element) {
        batch.labels.push_back(static_cast<float>(random.nextBelow(2)));
    }
    batch.sequences = {randomPath(random, rows, batch.ids.emplace_back())};
    return batch;
}

features::EncodedRows stepRows(std::int64_t rows, std::uint64_t seed, std::int64_t labelWidth,
                               bool areWeighted)
{
    features::EncodedRows batch = toyRows(rows, seed);
    labelSteps(batch, labelWidth, areWeighted);
    return batch;
}

features::InputLayout singleIdLayout()
{
    features::InputLayout layout = toyLayout();
    std::erase_if(layout.slots, [](const features::InputSlot& slot) {
        return slot.kind == features::SlotKind::Sequence;
    });
    return layout;
}

features::EncodedRows singleIdRows(std::int64_t rows, std::uint64_t seed, std::int64_t labelWidth)
{
    features::EncodedRows batch = toyRows(rows, seed, labelWidth);
    batch.sequences.clear();
    for (features::IdBlock& block : batch.ids) {
        const auto count = static_cast<std::size_t>(rows);
        block.ids.resize(count);
        block.weights.resize(block.weights.empty() ? 0 : count);
        block.rowOffsets.resize(count + 1);
        std::iota(block.rowOffsets.begin(), block.rowOffsets.end(), std::int64_t{0});
    }
    return batch;
}

void setSteps(features::EncodedRows& batch, const std::vector<std::int64_t>& lengths,
              std::uint64_t seed)
{
    kernels::RandomStream random(seed);
    features::SequenceBlock& path = batch.sequences[0];
    features::IdBlock& word = batch.ids[3];
    path = {.width = 2, .rowOffsets = {0}, .values = {}};
    word = {.rowOffsets = {0}, .ids = {}, .weights = {}};
    for (const std::int64_t length : lengths) {
        for (std::int64_t step = 0; step < length; ++step) {
            addStep(random, path, word);
        }
        path.rowOffsets.push_back(static_cast<std::int64_t>(word.ids.size()));
    }
    word.rowOffsets = path.rowOffsets;
    if (!batch.labelOffsets.empty()) {
        labelSteps(batch, 1, false);
    }
}

Result<graph::LoweredModel> toyLowered(const std::string& estimator)
{
    spec::Experiment experiment;
    const std::string text = std::string(kColumns) + "estimator { " + estimator + " }";
    CANNERY_CHECK(google::protobuf::TextFormat::ParseFromString(text, &experiment));
    return estimators::lower(experiment, toyLayout());
}

Result<std::unique_ptr<plan::Model>> toyModel(const std::string& estimator,
                                              const plan::ModelOptions& options)
{
    CANNERY_TRY_ASSIGN(graph::LoweredModel lowered, toyLowered(estimator));
    return plan::Model::create(std::move(lowered), options);
}

std::span<float> floatsOf(const plan::StateTensor& tensor)
{
    CANNERY_CHECK(tensor.dtype == DType::Float32);
    return {reinterpret_cast<float*>(tensor.bytes.data()), tensor.bytes.size() / sizeof(float)};
}

std::span<float> stateOf(plan::Model& model, const std::string& name)
{
    for (const plan::StateTensor& tensor : model.state()) {
        if (tensor.name == name) {
            return floatsOf(tensor);
        }
    }
    CANNERY_CHECK(!"the model has this state");
    return {};
}

std::vector<std::byte> allState(plan::Model& model)
{
    std::vector<std::byte> bytes;
    for (const plan::StateTensor& tensor : model.state()) {
        bytes.insert(bytes.end(), tensor.bytes.begin(), tensor.bytes.end());
    }
    return bytes;
}

double lossSlope(plan::Model& model, const features::EncodedRows& rows, std::int64_t globalStep,
                 float& weight)
{
    constexpr float kStep = 4e-3F;
    const float kept = weight;
    weight = kept + kStep;
    const double above = model.computeGradients(rows, globalStep);
    weight = kept - kStep;
    const double below = model.computeGradients(rows, globalStep);
    weight = kept;
    return (above - below) / (2.0 * static_cast<double>(kStep));
}

std::span<const ToyEstimator> toyEstimators()
{
    return kEstimators;
}

} // namespace cannery::tests
