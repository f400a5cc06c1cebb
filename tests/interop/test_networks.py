# SPDX-License-Identifier: Apache-2.0
"""Networks of one's own: our exports answer and learn in TensorFlow as they do here."""
import os
import re
import shutil
import tempfile
import unittest

import numpy as np
import tensorflow as tf

import support
from support import cannery

EXAMPLE = os.path.join(support.ROOT, "resources", "examples", "digits")
PIXELS = ["p%d%d" % (row, column) for row in range(8) for column in range(8)]
STEPS = 6
BATCH = 32
# Each layer that has a gradient or statistics, branches and a residual connection.
NETWORK = """
estimator { custom_estimator {
  head { multi_class_head { n_classes: 10 } }
  feature_columns: ["pixels"]
  graph {
    layer { name: "in" input_layer {} }
    layer { name: "picture" reshape { target_shape: [8, 8, 1] } }
    layer { name: "first" conv_2d { filters: 8 kernel_size: 3 padding: same activation: relu } }
    layer { name: "normal" batch_normalization { momentum: 0.9 } }
    layer { name: "each" depthwise_conv_2d { kernel_size: 3 depth_multiplier: 1 padding: same activation: elu } }
    layer { name: "residual" inputs: ["each", "normal"] add {} }
    layer { name: "gated" inputs: ["residual", "first"] multiply {} }
    layer { name: "largest" max_pooling_2d { pool_size: 3 strides: 2 padding: same } }
    layer { name: "grouped" conv_2d { filters: 6 kernel_size: [2, 3] groups: 2 use_bias: false } }
    layer { name: "curve" activation { function: gelu } }
    layer { name: "pixelwise" dense { units: 5 activation: tanh } }
    layer { name: "mean" average_pooling_2d { pool_size: 2 strides: 1 padding: same } }
    layer { name: "average" global_average_pooling_2d {} }
    layer { name: "top" inputs: "grouped" global_max_pooling_2d {} }
    layer { name: "flat" inputs: "mean" flatten {} }
    layer { name: "joined" inputs: ["average", "top", "flat"] concatenate {} }
    layer { name: "logits" dense { units: 10 } }
  }
  optimizer { adam { learning_rate: 0.01 } }
} }
train_spec { max_steps: %d input { batch_size: %d shuffle: false } }
run_config { tf_random_seed: 3 save_checkpoints_steps: 100 }
""" % (STEPS, BATCH)
HEAD = """
estimator { custom_estimator {
  head { multi_class_head { n_classes: 10 } }
  feature_columns: ["pixels"]
  graph {
    layer { name: "in" input_layer {} }"""
TAIL = """
    layer { name: "logits" dense { units: 10 } }
  }
  optimizer { adam { learning_rate: 0.01 } }
} }
train_spec { max_steps: %d input { batch_size: %d shuffle: false } }
run_config { tf_random_seed: 3 save_checkpoints_steps: 100 }
""" % (STEPS, BATCH)
# Penalties of weights and of outputs, with the initial values of weights{}.
WEIGHTS = HEAD + """
    layer { name: "wide" inputs: "in" dense { units: 32 activation: tanh } activity_regularizer { l1: 0.01 l2: 0.02 }
            weights { name: "kernel" initializer { variance_scaling { scale: 2 mode: fan_avg } }
                      regularizer { l1_l2 { l1: 0.001 l2: 0.01 } } }
            weights { name: "bias" regularizer { l1_l2 { l1: 0.1 } } } }
    layer { name: "square" dense { units: 16 activation: sigmoid }
            weights { name: "kernel" initializer { orthogonal {} } regularizer { l1_l2 { l2: 0.1 } } } }
    layer { name: "picture" reshape { target_shape: [4, 4, 1] } }
    layer { name: "conv" conv_2d { filters: 4 kernel_size: 3 } activity_regularizer { l2: 0.1 }
            weights { name: "kernel" regularizer { l1_l2 { l2: 0.3 } } } }
    layer { name: "flat" flatten {} }
    layer { name: "angles" dense { units: 6 }
            weights { name: "kernel" regularizer { orthogonal { factor: 0.5 mode: columns } } } }
    layer { name: "beside" dense { units: 6 activation: tanh }
            weights { name: "kernel" regularizer { orthogonal { factor: 0.5 } } } }""" + TAIL
# Each layer over steps.
SEQUENCES = HEAD + """
    layer { name: "steps" reshape { target_shape: [16, 4] } }
    layer { name: "causal" conv_1d { filters: 6 kernel_size: 3 padding: causal dilation_rate: 2 activation: elu } }
    layer { name: "each" trainable: false depthwise_conv_1d { kernel_size: 3 padding: same dilation_rate: 2 activation: tanh } }
    layer { name: "mixed" separable_conv_1d { filters: 5 kernel_size: 3 stride: 2 padding: causal depth_multiplier: 2 activation: tanh } }
    layer { name: "longer" conv_1d_transpose { filters: 4 kernel_size: 3 stride: 2 padding: same output_padding: 1 } }
    layer { name: "around" zero_padding_1d { padding: [1, 2] } }
    layer { name: "inside" cropping_1d { cropping: [2, 1] } }
    layer { name: "slow" up_sampling_1d { size: 2 } }
    layer { name: "most" max_pooling_1d { pool_size: 3 stride: 2 padding: same } }
    layer { name: "mean" average_pooling_1d {} }
    layer { name: "turned" permute { dims: [2, 1] } }
    layer { name: "all" global_average_pooling_1d { keepdims: true } }
    layer { name: "flat" flatten {} }
    layer { name: "top" inputs: "mean" global_max_pooling_1d {} }
    layer { name: "again" repeat_vector { n: 3 } }
    layer { name: "vector" flatten {} }
    layer { name: "joined" inputs: ["flat", "vector"] concatenate {} }""" + TAIL
# Each layer that changes the size of images, and dilated windows.
IMAGES = HEAD + """
    layer { name: "picture" reshape { target_shape: [8, 8, 1] } }
    layer { name: "dilated" separable_conv_2d { filters: 6 kernel_size: 3 padding: same depth_multiplier: 2 dilation_rate: 2 activation: tanh } }
    layer { name: "each" depthwise_conv_2d { kernel_size: [2, 3] padding: same dilation_rate: [2, 1] } }
    layer { name: "strided" separable_conv_2d { filters: 6 kernel_size: [2, 3] stride: 2 } }
    layer { name: "larger" conv_2d_transpose { filters: 4 kernel_size: [3, 2] strides: [2, 1] output_padding: [1, 0] activation: elu } }
    layer { name: "apart" conv_2d_transpose { filters: 3 kernel_size: 2 dilation_rate: 2 padding: same } }
    layer { name: "around" zero_padding_2d { padding: [1, 0, 2, 1] } }
    layer { name: "inside" cropping_2d { cropping: [2, 1] } }
    layer { name: "repeated" up_sampling_2d { size: [2, 1] } }
    layer { name: "blended" up_sampling_2d { size: [1, 2] interpolation: bilinear } }
    layer { name: "smooth" up_sampling_2d { interpolation: bicubic } }
    layer { name: "largest" max_pooling_2d { pool_size: 4 } }
    layer { name: "turned" permute { dims: [3, 1, 2] } }
    layer { name: "flat" flatten {} }""" + TAIL
# Attention, activation layers with parameters, and noise, which only predictions can compare. The
# gradient of a key's bias is rounding alone, of which Adam would make whole steps.
ATTENTION = HEAD + """
    layer { name: "rows" reshape { target_shape: [8, 8] } }
    layer { name: "wide" dense { units: 12 activation: mish } }
    layer { name: "heads" inputs: ["wide", "wide"]
            multi_head_attention { num_heads: 2 key_dim: 4 value_dim: 3 causal: true } }
    layer { name: "slopes" prelu { shared_axes: 1 } }
    layer { name: "cut" relu { max_value: 0.9 negative_slope: 0.1 threshold: 0.05 } }
    layer { name: "leaky" inputs: "slopes" leaky_relu { alpha: 0.2 } }
    layer { name: "unit" elu { alpha: 0.7 } }
    layer { name: "above" inputs: "wide" thresholded_relu { theta: 0.1 } }
    layer { name: "six" relu { max_value: 6 } }
    layer { name: "products" inputs: ["unit", "six", "above"] attention { use_scale: true causal: true } }
    layer { name: "sums" inputs: ["products", "cut"] attention { use_scale: true score_mode: concat } }
    layer { name: "added" inputs: ["sums", "unit", "wide"] additive_attention {} }
    layer { name: "shown" inputs: "in" dense { units: 8 activation: relu } }
    layer { name: "masked" inputs: ["added", "unit", "wide", "shown"] additive_attention { use_scale: false } }
    layer { name: "hidden" inputs: ["masked", "unit", "unit", "shown", "shown"] attention {} }
    layer { name: "narrow" inputs: ["hidden", "wide", "wide", "shown"]
            multi_head_attention { num_heads: 1 key_dim: 3 output_width: 6 use_bias: false } }
    layer { name: "down" softmax { axis: 1 } }
    layer { name: "picture" reshape { target_shape: [2, 4, 6] } }
    layer { name: "area" softmax { axis: [1, 2] } }
    layer { name: "large" inputs: ["picture", "area"] multiply {} }
    layer { name: "over" inputs: ["large", "area"]
            multi_head_attention { num_heads: 1 key_dim: 2 } }
    layer { name: "channels" spatial_dropout_2d { rate: 0.1 } }
    layer { name: "lines" reshape { target_shape: [8, 6] } }
    layer { name: "line" spatial_dropout_1d { rate: 0.1 } }
    layer { name: "noisy" gaussian_noise { stddev: 0.1 } }
    layer { name: "scaled" gaussian_dropout { rate: 0.1 } }
    layer { name: "selu" alpha_dropout { rate: 0.1 } }
    layer { name: "flat" flatten {} }
    layer { name: "steep" inputs: "wide" activation { function: exponential } }
    layer { name: "hard" dense { units: 2 activation: hard_sigmoid } }
    layer { name: "both" flatten {} }
    layer { name: "joined" inputs: ["flat", "both"] concatenate {} }""" + TAIL.replace("adam { learning_rate: 0.01 }", "sgd { learning_rate: 0.05 }")
NOISE = r"(?:spatial_dropout_[12]d|gaussian_noise|gaussian_dropout|alpha_dropout) \{[^}]*\}"
# Recurrent layers over the lines of a digit: backwards, both ways, with other functions than
# Keras's, with a mask (lines without ink are skipped) and with states that other layers make.
RECURRENT = HEAD + """
    layer { name: "lines" reshape { target_shape: [8, 8] } }
    layer { name: "picture" inputs: "in" reshape { target_shape: [8, 8, 1] } }
    layer { name: "brightest" max_pooling_2d { pool_size: [1, 8] strides: [1, 8] } }
    layer { name: "inked" reshape { target_shape: [8, 1] } }
    layer { name: "start" inputs: "in" dense { units: 5 activation: tanh } }
    layer { name: "simple" inputs: ["lines", "inked", "start"]
            simple_rnn { units: 5 return_sequences: true activation: softsign go_backwards: true } }
    layer { name: "long" inputs: ["simple", "inked", "start", "start"]
            lstm { units: 5 return_sequences: true recurrent_activation: hard_sigmoid } }
    layer { name: "early" gru { units: 4 return_sequences: true reset_after: false } }
    layer { name: "ways" bidirectional { gru { units: 3 return_sequences: true } merge_mode: ave } }
    layer { name: "both" inputs: ["ways", "inked"]
            bidirectional { lstm { units: 3 return_sequences: true use_bias: false } } }
    layer { name: "last" bidirectional { simple_rnn { units: 6 } merge_mode: mul } }
    layer { name: "late" inputs: ["both", "inked"] gru { units: 6 activation: elu } }
    layer { name: "joined" inputs: ["last", "late"] concatenate {} }""" + TAIL
# Pixels as ids, of which 0 is padding, and the columns of a digit, of which empty ones are hidden:
# masks flow to every layer that reads one. Adam would make noise of the gradient of a key's bias.
TOKENS = HEAD + """
    layer { name: "ids" token_embedding { input_dim: 17 output_dim: 4 mask_zero: true } }
    layer { name: "bent" dense { units: 4 activation: tanh } }
    layer { name: "mixed" batch_normalization {} }
    layer { name: "heads" inputs: ["mixed", "mixed"] multi_head_attention { num_heads: 1 key_dim: 3 } }
    layer { name: "even" layer_normalization {} }
    layer { name: "sum" inputs: ["mixed", "even"] add {} }
    layer { name: "mean" global_average_pooling_1d {} }
    layer { name: "added" inputs: ["sum", "mixed"] additive_attention {} }
    layer { name: "rows" global_average_pooling_1d { keepdims: true } }
    layer { name: "flat" flatten {} }
    layer { name: "lines" inputs: "in" reshape { target_shape: [8, 8] } }
    layer { name: "ink" rescaling { scale: 0.0625 } }
    layer { name: "columns" permute { dims: [2, 1] } }
    layer { name: "inked" masking {} }
    layer { name: "forth" lstm { units: 4 return_sequences: true } }
    layer { name: "ways" bidirectional { gru { units: 2 return_sequences: true } } }
    layer { name: "weighed" inputs: ["ways", "forth"] attention {} }
    layer { name: "bare" inputs: "columns" dense { units: 4 } }
    layer { name: "longer" inputs: ["weighed", "bare"] concatenate { axis: 1 } }
    layer { name: "last" simple_rnn { units: 5 } }
    layer { name: "joined" inputs: ["mean", "flat", "last"] concatenate {} }""" + TAIL.replace("adam { learning_rate: 0.01 }", "sgd { learning_rate: 0.05 }")
# The ids of padding and of paper repeat within a row, so slices and their sums are clipped apart.
CLIPPED = HEAD + """
    layer { name: "ids" token_embedding { input_dim: 17 output_dim: 4 } }
    layer { name: "others" inputs: "in" token_embedding { input_dim: 17 output_dim: 3 }%s }
    layer { name: "both" inputs: ["ids", "others"] concatenate {} }
    layer { name: "flat" flatten {} }""" + TAIL.replace("adam { learning_rate: 0.01 }", "sgd { learning_rate: 0.5 } %s")
PENALTY = """ weights { name: "embeddings" regularizer { l1_l2 { l2: 0.1 } } }"""
# Layers that resize and move pictures, with a layer before them that their gradients reach. Those
# whose bounds are equal draw nothing that matters.
PICTURES = HEAD + """
    layer { name: "picture" reshape { target_shape: [8, 8, 1] } }
    layer { name: "edges" conv_2d { filters: 3 kernel_size: 3 padding: same activation: tanh } }
    layer { name: "larger" resizing { height: 11 width: 10 interpolation: bicubic } }
    layer { name: "cut" resizing { height: 9 width: 7 crop_to_aspect_ratio: true } }
    layer { name: "turned" random_rotation { lower: 0.06 upper: 0.06 } }
    layer { name: "closer" random_zoom { height_lower: -0.2 height_upper: -0.2 fill_mode: constant fill_value: 0.3 } }
    layer { name: "moved" random_translation { height_lower: 0.1 height_upper: 0.1 width_lower: -0.2 width_upper: -0.2
                                               fill_mode: wrap interpolation: nearest } }
    layer { name: "bright" random_brightness { lower: 0.1 upper: 0.1 value_min: -1 value_max: 1 } }
    layer { name: "flipped" random_flip {} }
    layer { name: "contrast" random_contrast { lower: 0.2 upper: 0.3 } }
    layer { name: "part" random_crop { height: 7 width: 6 } }
    layer { name: "middle" center_crop { height: 6 width: 5 } }
    layer { name: "flat" flatten {} }""" + TAIL
DRAWN = r'layer { name: "\w+" random_(?:flip|contrast|crop) \{[^}]*\} }'
# Rows merged and normalized in every way, along several dimensions and repeated along others; ties
# of the largest number where an input comes twice. No layer takes away what the one before it adds:
# Adam would make noise of gradients of 0.
MERGING = HEAD + """
    layer { name: "ink" rescaling { scale: 0.0625 offset: -0.25 } }
    layer { name: "standard" normalization { mean: 0.1 variance: 0.25 } }
    layer { name: "grey" normalization { mean: 0.2 variance: 2 invert: true } }
    layer { name: "kept" normalization {} }
    layer { name: "wide" dense { units: 48 activation: tanh } }
    layer { name: "picture" reshape { target_shape: [4, 3, 4] } }
    layer { name: "lines" batch_normalization { axis: 1 momentum: 0.9 center: false } }
    layer { name: "columns" trainable: false batch_normalization { axis: 2 momentum: 0.8 scale: false } }
    layer { name: "channels" layer_normalization { axis: [1, 2] epsilon: 0.01 } }
    layer { name: "pixelwise" inputs: "picture" layer_normalization { scale: false } }
    layer { name: "groups" inputs: "channels" group_normalization { groups: 2 } }
    layer { name: "instance" group_normalization { groups: -1 center: false } }
    layer { name: "unit" inputs: "instance" unit_normalization { axis: [1, 3] } }
    layer { name: "gate" inputs: "picture" global_average_pooling_2d {} }
    layer { name: "levels" dense { units: 4 activation: sigmoid } }
    layer { name: "gated" inputs: ["unit", "levels"] multiply {} }
    layer { name: "grey_lines" inputs: "wide" dense { units: 4 } }
    layer { name: "tall" reshape { target_shape: [4, 1, 1] } }
    layer { name: "summed" inputs: ["tall", "gated", "pixelwise"] add {} }
    layer { name: "difference" inputs: ["levels", "summed"] subtract {} }
    layer { name: "mean" inputs: ["difference", "groups", "tall"] average {} }
    layer { name: "largest" inputs: ["mean", "tall", "mean"] maximum {} }
    layer { name: "smallest" inputs: ["levels", "largest"] minimum {} }
    layer { name: "beside" inputs: ["smallest", "mean"] concatenate { axis: 2 } }
    layer { name: "left" inputs: "beside" reshape { target_shape: [8, 12] } }
    layer { name: "right" inputs: "largest" reshape { target_shape: [12, 4] } }
    layer { name: "products" inputs: ["left", "right"] dot { axes: [2, 1] } }
    layer { name: "cosines" inputs: ["products", "left"] dot { axes: [1, 1] normalize: true } }
    layer { name: "triples" inputs: "mean" reshape { target_shape: [16, 3] } }
    layer { name: "planes" inputs: ["smallest", "triples"] dot { axes: [2, -1] } }
    layer { name: "narrow" inputs: "planes" flatten {} }
    layer { name: "few" dense { units: 4 } }
    layer { name: "similar" inputs: ["few", "levels"] dot { axes: -1 normalize: true } }
    layer { name: "angles" inputs: "cosines" flatten {} }
    layer { name: "joined" inputs: ["angles", "few", "similar"] concatenate {} }""" + TAIL

# A loss of Keras behind a softmax; two outputs, of which one is read by another layer.
LOSS = HEAD.replace("multi_class_head { n_classes: 10 }", """loss_head { n_classes: 10
    loss { categorical_focal_crossentropy { gamma: 1.5 label_smoothing: 0.1 } } }""") + """
    layer { name: "hidden" dense { units: 12 activation: tanh } }
    layer { name: "logits" dense { units: 10 } }
    layer { name: "shares" softmax {} }
  }
  optimizer { adam { learning_rate: 0.01 } }
} }
train_spec { max_steps: %d input { batch_size: %d shuffle: false } }
run_config { tf_random_seed: 3 save_checkpoints_steps: 100 }
""" % (STEPS, BATCH)
TWO_LOSSES = LOSS.replace(LOSS[LOSS.index("head {"):LOSS.index("feature_columns")], """head { multi_head {
    head_weights: [1, 0.5]
    heads { loss_head { name: "digit" n_classes: 10 loss { sparse_categorical_crossentropy {} } } }
    heads { loss_head { name: "size" loss { huber { delta: 0.8 } } } } } }
  """).replace("graph {", """graph { outputs: ["shares", "size"]
    layer { name: "size" inputs: "hidden" dense { units: 1 } }""").replace("adam { learning_rate: 0.01 }", "sgd { learning_rate: 0.1 }")

# Blocks within blocks, repeated, and layers that use the weights of others: of the same repetition,
# of another block, and statistics that two layers move. No bias is taken away by a normalization:
# Adam would make noise of it.
BLOCKS = HEAD + """
    layer { name: "picture" reshape { target_shape: [8, 8, 1] } }
    layer { name: "stem" conv_2d { filters: 6 kernel_size: 3 padding: same use_bias: false } }
    layer { name: "residual" block { repeat: 2
      layer { name: "pair" block { repeat: 2
        layer { name: "conv" conv_2d { filters: 6 kernel_size: 3 padding: same use_bias: false } }
        layer { name: "normal" batch_normalization { momentum: 0.9 } }
        layer { name: "curve" activation { function: elu } } } }
      layer { name: "once" inputs: "input" conv_2d { filters: 6 kernel_size: 1 use_bias: false } }
      layer { name: "again" inputs: "pair" shares_weights_with: "once" conv_2d { filters: 6 kernel_size: 1 use_bias: false } }
      layer { name: "sum" inputs: ["again", "input", "once"] add {} } } }
    layer { name: "same" shares_weights_with: "residual/1/pair/2/normal" batch_normalization { momentum: 0.9 } }
    layer { name: "last" shares_weights_with: "residual/2/pair/1/conv"
            conv_2d { filters: 6 kernel_size: 3 strides: 2 use_bias: false } }
    layer { name: "flat" flatten {} }""" + TAIL


class Networks(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        shutil.copy(os.path.join(EXAMPLE, "digits.csv"), self.folder)
        self.rows = support.read_csv(os.path.join(self.folder, "digits.csv"))

    def train(self, network):
        with open(os.path.join(EXAMPLE, "digits.cannery"), encoding="utf-8") as stream:
            text = stream.read()
        data = text[:text.index("estimator {")]
        # Rows in the order of the file.
        data = "\n".join(line for line in data.split("\n") if "eval_fraction" not in line)
        if "token_embedding" in network:  # ids are whole numbers
            data = data.replace(" normalizer { subtract_divide { divide: 16 } }", "")
        if re.search(r"multi_head\s*{", network):
            data = re.sub(r'label \{ column: "label" \}', 'label { heads { head { name: "digit" column: "label" } '
                          'head { name: "size" column: "label" } } }', data)
        self.experiment = os.path.join(self.folder, "network.cannery")
        with open(self.experiment, "w", encoding="utf-8") as stream:
            stream.write(data + network)
        self.model_dir = os.path.join(self.folder, "model")
        cannery("train", self.experiment, "--model-dir", self.model_dir, "--quiet")

    def pixels(self, rows):
        return np.array([[float(row[p]) for p in PIXELS] for row in rows],
                        np.float32).reshape(-1, 8, 8)

    def export(self, *options):
        output = os.path.join(self.folder, "_".join(options).strip("-"))
        return cannery("export", self.experiment, "--model-dir", self.model_dir, "--output", output,
                       *options).strip()

    def predicts_alike(self, network):
        self.train(network)
        served = tf.saved_model.load(self.export("--receiver", "raw")).signatures["predict"]
        theirs = served(pixels=tf.constant(self.pixels(self.rows[:40])))["probabilities"].numpy()
        table = os.path.join(self.folder, "asked.csv")
        with open(os.path.join(self.folder, "digits.csv"), encoding="utf-8") as stream:
            lines = stream.readlines()[:41]
        with open(table, "w", encoding="utf-8") as stream:
            stream.writelines(lines)
        told = cannery("predict", self.experiment, "--model-dir", self.model_dir, "--input", table,
                       "--output", "-")
        ours = [[float(row["probabilities_%d" % c]) for c in range(10)]
                for row in support.csv.DictReader(told.splitlines())]
        support.assert_close(self, np.array(ours, np.float32), theirs, "probabilities")
        self.assertGreater(np.std(theirs, axis=0).max(), 1e-3)  # a network that reads its input

    def trains_alike(self, network):
        self.train(network)
        path = self.export("--modes", "all", "--checkpoint", "0")
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            meta = tf.compat.v1.saved_model.load(session, ["train"], path)
            signature = meta.signature_def["train"]
            (train_op,) = tf.compat.v1.get_collection("saved_model_train_op")
            for step in range(STEPS):
                batch = self.rows[step * BATCH:(step + 1) * BATCH]
                feed = {signature.inputs["pixels"].name: self.pixels(batch),
                        signature.inputs["label"].name: [[int(row["label"])] for row in batch]}
                session.run(train_op, feed)
            variables = {v.op.name: session.run(v.read_value())
                         for v in tf.compat.v1.global_variables()}
        ours = tf.train.load_checkpoint(self.model_dir)
        self.assertEqual(sorted(variables), sorted(ours.get_variable_to_dtype_map()))
        for key, theirs in variables.items():
            support.assert_close(self, ours.get_tensor(key), theirs, key, 1e-4)

    def test_tensorflow_predicts_alike(self):
        self.predicts_alike(NETWORK)

    def test_tensorflow_trains_alike(self):
        # On a processor TensorFlow has no gradient of groups.
        self.trains_alike(NETWORK.replace("groups: 2 ", ""))

    def test_tensorflow_predicts_penalized_networks_alike(self):
        self.predicts_alike(WEIGHTS)

    def test_tensorflow_trains_penalized_networks_alike(self):
        self.trains_alike(WEIGHTS)

    def test_tensorflow_predicts_sequences_alike(self):
        self.predicts_alike(SEQUENCES)

    def test_tensorflow_trains_sequences_alike(self):
        self.trains_alike(SEQUENCES)

    def test_tensorflow_predicts_images_alike(self):
        self.predicts_alike(IMAGES)

    def test_tensorflow_trains_images_alike(self):
        self.trains_alike(IMAGES)

    def test_tensorflow_predicts_pictures_alike(self):
        self.predicts_alike(PICTURES)

    def test_tensorflow_trains_pictures_alike(self):
        self.trains_alike(re.sub(DRAWN, "", PICTURES))

    def test_tensorflow_predicts_attention_alike(self):
        self.predicts_alike(ATTENTION)

    def test_tensorflow_trains_attention_alike(self):
        # What is drawn at random cannot be compared.
        self.trains_alike(re.sub(NOISE, "activation { function: linear }", ATTENTION))

    def test_tensorflow_predicts_recurrent_networks_alike(self):
        self.predicts_alike(RECURRENT)

    def test_tensorflow_trains_recurrent_networks_alike(self):
        self.trains_alike(RECURRENT)

    def test_merging_layers_predict_alike(self):
        self.predicts_alike(MERGING)

    def test_merging_layers_train_alike(self):
        self.trains_alike(MERGING)

    def test_tensorflow_predicts_masked_networks_alike(self):
        self.predicts_alike(TOKENS)

    def test_tensorflow_trains_masked_networks_alike(self):
        self.trains_alike(TOKENS)

    def test_tensorflow_clips_lookups_alike(self):
        for penalty in ("", PENALTY):
            for clipping in ("global_clipnorm: 0.1", "clipnorm: 0.05", "clipvalue: 0.0005"):
                with self.subTest(clipping=clipping, penalty=penalty):
                    shutil.rmtree(os.path.join(self.folder, "model"), ignore_errors=True)
                    self.trains_alike(CLIPPED % (penalty, clipping))

    def test_losses_predict_alike(self):
        self.predicts_alike(LOSS)

    def test_losses_train_alike(self):
        self.trains_alike(LOSS)

    def test_two_outputs_train_as_in_keras(self):
        self.train(TWO_LOSSES)
        pixels = tf.keras.Input((8, 8))
        hidden = tf.keras.layers.Dense(12, "tanh", name="hidden")(tf.keras.layers.Flatten()(pixels))
        shares = tf.keras.layers.Dense(10, "softmax", name="logits")(hidden)
        size = tf.keras.layers.Dense(1, name="size")(hidden)
        model = tf.keras.Model(pixels, [shares, size])
        first = tf.train.load_checkpoint(os.path.join(self.model_dir, "model.ckpt-0"))
        for name in ("hidden", "logits", "size"):
            model.get_layer(name).set_weights(
                [first.get_tensor(name + part) for part in ("/kernel", "/bias")])
        model.compile(tf.keras.optimizers.SGD(0.1), loss_weights=[1, 0.5],
                      loss=["sparse_categorical_crossentropy", tf.keras.losses.Huber(0.8)])
        for step in range(STEPS):
            batch = self.rows[step * BATCH:(step + 1) * BATCH]
            label = np.array([[int(row["label"])] for row in batch])
            # Divided as the column's normalizer does.
            model.train_on_batch(self.pixels(batch) / 16, [label, label.astype(np.float32)])
        last = tf.train.load_checkpoint(self.model_dir)
        for name in ("hidden", "logits", "size"):
            for part, theirs in zip(("/kernel", "/bias"), model.get_layer(name).get_weights()):
                support.assert_close(self, last.get_tensor(name + part), theirs, name + part, 1e-4)

    def test_blocks_predict_alike(self):
        self.predicts_alike(BLOCKS)

    def test_blocks_train_alike(self):
        self.trains_alike(BLOCKS)


if __name__ == "__main__":
    unittest.main()
