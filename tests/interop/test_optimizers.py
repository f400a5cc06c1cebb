# SPDX-License-Identifier: Apache-2.0
"""One model_dir, trained by TensorFlow and by Cannery in turn, with each optimizer that only experts
name, and with moving averages of the weights."""
import glob
import os
import shutil
import tempfile
import unittest

import numpy as np
import tensorflow as tf

import support
from support import cannery

COLOURS = ["red", "green", "blue", "grey"]
ROWS = 96
BATCH = 8
EXPERIMENT = """
data { train { csv { files: "%(train)s" } } eval { csv { files: "%(train)s" } } label { column: "y" } }
feature_column { name: "x" numeric_column { key: "x" } }
feature_column { name: "z" numeric_column { key: "z" } }
feature_column { name: "c" categorical_column_with_vocabulary_list { key: "c" vocabulary_list: ["red", "green", "blue", "grey"] } }
feature_column { name: "e" embedding_column { categorical_column: "c" dimension: 3 } }
estimator { dnn_classifier { feature_columns: ["x", "z", "e"] hidden_units: [5] optimizer { %(optimizer)s } } }
train_spec { max_steps: %(steps)d input { batch_size: 8 shuffle: false num_epochs: 0 } %(more)s }
eval_spec { steps: 0 throttle_secs: 0 input { batch_size: 8 } }
run_config { tf_random_seed: 3 save_checkpoints_steps: 6 }
"""


class LegacyAdamW(tf.keras.optimizers.legacy.Adam):
    """Keras 2.15 has AdamW only as an optimizer that estimators do not take: this is the rule of
    tf.keras.optimizers.AdamW, with its 1 - beta in double, as a legacy optimizer."""

    def __init__(self, weight_decay, name="AdamW", **arguments):
        super().__init__(name=name, **arguments)
        self._set_hyper("weight_decay", weight_decay)

    def _resource_apply_dense(self, grad, var, apply_state=None):
        rate, decay, beta_1, beta_2 = (self._get_hyper(name, var.dtype) for name in (
            "learning_rate", "weight_decay", "beta_1", "beta_2"))
        step = tf.cast(self.iterations + 1, var.dtype)
        alpha = rate * tf.sqrt(1 - tf.pow(beta_2, step)) / (1 - tf.pow(beta_1, step))
        m, v = self.get_slot(var, "m"), self.get_slot(var, "v")
        m = m.assign_add((grad - m) * (1 - 0.9))
        v = v.assign_add((tf.square(grad) - v) * (1 - 0.999))
        with tf.control_dependencies([grad]):  # every reader of the weights has read them
            decayed = var.assign_sub(var * decay * rate)
        with tf.control_dependencies([decayed]):
            return var.assign_sub(m * alpha / (tf.sqrt(v) + self.epsilon))

    def _resource_apply_sparse(self, grad, var, indices, apply_state=None):
        dense = tf.scatter_nd(indices[:, None], grad, var.shape)
        return self._resource_apply_dense(dense, var, apply_state)


def columns():
    c = tf.feature_column
    colour = c.categorical_column_with_vocabulary_list("c", COLOURS)
    return [c.numeric_column("x"), c.numeric_column("z"), c.embedding_column(colour, 3)]


def arguments(model_dir):
    return {"model_dir": model_dir, "hidden_units": [5], "feature_columns": columns(),
            "config": tf.estimator.RunConfig(tf_random_seed=3, save_checkpoints_steps=6)}


def keras_classifier(make):
    return lambda model_dir: tf.estimator.DNNClassifier(optimizer=make, **arguments(model_dir))


def v1_classifier(make):
    """Not DNNClassifier, which inserts a `t_0` into the names of slots."""

    def classifier(model_dir):
        given = arguments(model_dir)
        return tf.compat.v1.estimator.DNNLinearCombinedClassifier(
            model_dir=model_dir, config=given["config"], dnn_optimizer=make(),
            dnn_feature_columns=given["feature_columns"], dnn_hidden_units=given["hidden_units"],
            loss_reduction=tf.compat.v1.losses.Reduction.SUM_OVER_BATCH_SIZE)

    return classifier


def averaged_classifier(decay):
    """A canned estimator that also averages its weights, and infers with the averages."""

    def make(model_dir):
        canned = tf.estimator.DNNClassifier(
            optimizer=lambda: tf.keras.optimizers.legacy.Adagrad(0.1), **arguments(model_dir))

        def model_fn(features, labels, mode, config):
            spec = canned.model_fn(features=features, labels=labels, mode=mode, config=config)
            averages = tf.train.ExponentialMovingAverage(decay)
            trained = tf.compat.v1.trainable_variables()
            if mode == tf.estimator.ModeKeys.TRAIN:
                with tf.control_dependencies([spec.train_op]):
                    return spec._replace(train_op=averages.apply(trained))
            saver = tf.compat.v1.train.Saver(averages.variables_to_restore(trained))
            return spec._replace(scaffold=tf.compat.v1.train.Scaffold(saver=saver))

        return tf.estimator.Estimator(model_fn, model_dir=model_dir, config=canned.config)

    return make


legacy, v1 = tf.keras.optimizers.legacy, tf.compat.v1.train
# What stands in the experiment, and its estimator.
CASES = {
    "adadelta": ("adadelta { learning_rate: 0.5 }",
                 keras_classifier(lambda: legacy.Adadelta(0.5))),
    "adamax": ("adamax { learning_rate: 0.05 }", keras_classifier(lambda: legacy.Adamax(0.05))),
    "adamw": ("adamw { learning_rate: 0.05 weight_decay: 0.2 }",
              keras_classifier(lambda: LegacyAdamW(0.2, learning_rate=0.05))),
    "proximal_gradient_descent": (
        "proximal_gradient_descent { learning_rate: 0.1 l1_regularization_strength: 0.01 "
        "l2_regularization_strength: 0.02 }",
        v1_classifier(lambda: v1.ProximalGradientDescentOptimizer(
            0.1, l1_regularization_strength=0.01, l2_regularization_strength=0.02))),
    "proximal_adagrad": (
        "proximal_adagrad { learning_rate: 0.1 initial_accumulator_value: 0.2 "
        "l1_regularization_strength: 0.01 l2_regularization_strength: 0.02 }",
        v1_classifier(lambda: v1.ProximalAdagradOptimizer(
            0.1, 0.2, l1_regularization_strength=0.01, l2_regularization_strength=0.02))),
    "schedule": (
        "adamax {} learning_rate_schedule { cosine_decay_restarts { learning_rate: 0.05 "
        "first_decay_steps: 4 } }",
        keras_classifier(lambda: legacy.Adamax(v1.cosine_decay_restarts(
            0.05, v1.get_global_step(), 4)))),
    "moving averages": ("adagrad { learning_rate: 0.1 } moving_average_decay: 0.8",
                        averaged_classifier(0.8)),
}


class Optimizers(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        random = np.random.default_rng(5)
        self.table = {"x": random.normal(size=ROWS).astype(np.float32),
                      "z": random.normal(size=ROWS).astype(np.float32),
                      "c": np.array(COLOURS)[random.integers(0, 4, ROWS)]}
        self.labels = (self.table["x"] + random.normal(size=ROWS) > 0).astype(np.int64)
        self.file = os.path.join(self.folder, "train.csv")
        with open(self.file, "w", encoding="utf-8") as stream:
            stream.write("x,z,c,y\n")
            for row in zip(*self.table.values(), self.labels):
                stream.write("%s,%s,%s,%d\n" % row)

    def input_fn(self, skip=None):
        dataset = tf.data.Dataset.from_tensor_slices((self.table, self.labels))
        if skip is None:
            return dataset.batch(BATCH)
        return dataset.repeat().batch(BATCH).skip(skip)

    def experiment(self, optimizer, steps, more=""):
        path = os.path.join(self.folder, "experiment.cannery")
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(EXPERIMENT % {"train": self.file, "optimizer": optimizer, "steps": steps,
                                       "more": more})
        return path

    def train_ours(self, model_dir, optimizer, steps, more=""):
        cannery("train", self.experiment(optimizer, steps, more), "--model-dir", model_dir,
                "--quiet")

    def assert_same_checkpoint(self, ours, theirs):
        a, b = (tf.train.load_checkpoint(tf.train.latest_checkpoint(d)) for d in (ours, theirs))
        self.assertEqual(sorted(a.get_variable_to_shape_map()),
                         sorted(b.get_variable_to_shape_map()))
        for name in a.get_variable_to_shape_map():
            np.testing.assert_allclose(a.get_tensor(name), b.get_tensor(name), rtol=1e-4,
                                       atol=1e-6, err_msg=name)

    def test_each_continues_what_the_other_has_begun(self):
        for name, (optimizer, make) in CASES.items():
            with self.subTest(name):
                begun, ours, theirs = (os.path.join(self.folder, name + end)
                                       for end in ("_begun", "_ours", "_theirs"))
                self.train_ours(begun, optimizer, 6)
                shutil.copytree(begun, theirs)
                make(theirs).train(lambda: self.input_fn(6), max_steps=12)
                self.train_ours(begun, optimizer, 12)
                self.assert_same_checkpoint(begun, theirs)
                # The position in TensorFlow's input is unknown: ours begins with the first row.
                shutil.copytree(theirs, ours)
                self.train_ours(ours, optimizer, 18)
                make(theirs).train(lambda: self.input_fn(0), max_steps=18)
                self.assert_same_checkpoint(ours, theirs)

    def test_both_evaluate_with_moving_averages(self):
        optimizer, make = CASES["moving averages"]
        ours = os.path.join(self.folder, "ours")
        self.train_ours(ours, optimizer, 12)
        theirs = make(ours).evaluate(self.input_fn)
        told = support.json.loads(cannery("evaluate", self.experiment(optimizer, 12), "--model-dir",
                                          ours, "--json"))["metrics"]
        for key in ("loss", "average_loss", "accuracy", "auc"):
            self.assertAlmostEqual(told[key], float(theirs[key]), delta=1e-5, msg=key)
        plain = tf.estimator.DNNClassifier(**arguments(ours)).evaluate(self.input_fn)
        self.assertNotAlmostEqual(told["loss"], float(plain["loss"]), delta=1e-4)

    def test_exports_have_the_averages(self):
        optimizer, make = CASES["moving averages"]
        ours, base = (os.path.join(self.folder, name) for name in ("ours", "served"))
        self.train_ours(ours, optimizer, 12)
        cannery("export", self.experiment(optimizer, 12), "--model-dir", ours, "--output", base)
        served = tf.saved_model.load(glob.glob(os.path.join(base, "*"))[0])
        examples = [tf.train.Example(features=tf.train.Features(feature={
            "x": tf.train.Feature(float_list=tf.train.FloatList(value=[x])),
            "z": tf.train.Feature(float_list=tf.train.FloatList(value=[z])),
            "c": tf.train.Feature(bytes_list=tf.train.BytesList(value=[c.encode()])),
        })).SerializeToString() for x, z, c in zip(*self.table.values())]
        logits = served.signatures["predict"](tf.constant(examples))["logits"].numpy()
        theirs = np.array([row["logits"] for row in make(ours).predict(self.input_fn)])
        support.assert_close(self, logits, theirs, "logits")

    def test_class_weights_train_as_a_weight_column(self):
        ours, theirs = (os.path.join(self.folder, name) for name in ("ours", "theirs"))
        optimizer = "adagrad { learning_rate: 0.1 }"
        weights = 'class_weight { label: "1" weight: 3 } class_weight { label: "0" weight: 0.5 }'
        self.train_ours(ours, optimizer, 6, weights)
        shutil.copytree(ours, theirs)
        estimator = tf.estimator.DNNClassifier(
            weight_column="w", optimizer=lambda: legacy.Adagrad(0.1), **arguments(theirs))
        self.table["w"] = np.where(self.labels == 1, 3, 0.5).astype(np.float32)
        estimator.train(lambda: self.input_fn(6), max_steps=12)
        self.train_ours(ours, optimizer, 12, weights)
        self.assert_same_checkpoint(ours, theirs)


if __name__ == "__main__":
    unittest.main()
