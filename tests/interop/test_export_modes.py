# SPDX-License-Identifier: Apache-2.0
"""Graphs for evaluation and training that Cannery exports, run by TensorFlow from golden cases."""
import os
import re
import subprocess
import tempfile
import unittest

import numpy as np
import tensorflow as tf

import support
from support import cannery

# What each case trains with, if no TensorFlow operations express it.
REFUSED = {"boosted_trees": "in steps of its own", "bt_": "in steps of its own",
           "rnn": "need the gradient of the operation"}


def column_values(rows, column, dtype):
    """A column of the table with its default for an empty cell."""
    cells = [row[column["name"]] or str(column.get("default", "")) for row in rows]
    if dtype == tf.string:
        return np.array([cell.encode() for cell in cells], object)
    return np.array([float(cell) for cell in cells], dtype.as_numpy_dtype)


def split_values(rows, name, separator, dtype):
    """Lists of a row, padded with "" or -1."""
    lists = [[piece for piece in row[name].split(separator) if piece] for row in rows]
    width = max(1, max(len(pieces) for pieces in lists))
    if dtype == tf.string:
        return np.array([[p.encode() for p in pieces] + [b""] * (width - len(pieces))
                         for pieces in lists], object)
    return np.array([[float(p) for p in pieces] + [-1] * (width - len(pieces))
                     for pieces in lists], dtype.as_numpy_dtype)


class Case:
    """The rows of a golden case as the inputs of a signature."""

    def __init__(self, name):
        self.name = name
        self.description = support.read_json(support.CASES, name, "case.json")
        self.data = self.description["data"]
        self.columns = {column["name"]: column for column in self.data["columns"]}

    def rows(self, table):
        return support.read_csv(os.path.join(support.CASES, self.name, table))

    def source(self, key):
        """Which columns an input is made of, and the separator of split cells."""
        label = self.data["label"]
        described = label if key == "label" else label.get("heads", {}).get(key)
        if described is None:
            described = next(f for f in self.data["features"] if f["name"] == key)
        columns = described.get("columns") or [described.get("column", described.get("name"))]
        return columns, described.get("split")

    def feed(self, signature, rows):
        feed = {}
        for key, info in signature.inputs.items():
            dtype = tf.dtypes.as_dtype(info.dtype)
            columns, separator = self.source(key)
            if separator:
                values = split_values(rows, columns[0], separator, dtype)
            else:
                values = np.stack([column_values(rows, self.columns[c], dtype)
                                   for c in columns], axis=1)
                values = values.reshape([-1] + [d.size for d in info.tensor_shape.dim[1:]])
            feed[info.name] = values
        return feed


class Exported(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def arguments(self, case, which, modes):
        experiment = support.experiment_of(case, self.folder.name)
        model_dir = support.model_dir_from(case, which, self.folder.name)
        output = os.path.join(self.folder.name, case + "_" + modes)
        return ["export", experiment, "--model-dir", model_dir, "--output", output, "--modes", modes]

    def cases(self, *without):
        return [case for case in support.runnable_cases() if not case.startswith(without)]

    def test_evaluation_gives_tensorflows_metrics(self):
        for name in self.cases("kmeans", "rnn"):
            with self.subTest(case=name):
                case = Case(name)
                path = cannery(*self.arguments(name, "final", "eval")).strip()
                expected = support.read_json(support.CASES, name, "eval.json")
                del expected["global_step"]
                self.assertEqual(sorted(self.evaluate(case, path, expected)), sorted(expected))

    def evaluate(self, case, path, expected):
        rows = case.rows("eval.csv")
        size = case.description["eval_batch_size"]
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            meta = tf.compat.v1.saved_model.load(session, ["eval"], path)
            signature = meta.signature_def["eval"]
            self.assertEqual(signature.method_name, "tensorflow/supervised/eval")
            names = [k[len("metrics/"):-len("/value")] for k in signature.outputs
                     if k.endswith("/value")]
            updates = [signature.outputs["metrics/%s/update_op" % n].name for n in names]
            losses = []
            for first in range(0, len(rows), size):
                loss, _ = session.run([signature.outputs["loss"].name, updates],
                                      case.feed(signature, rows[first:first + size]))
                losses.append(loss)
            found = session.run({n: signature.outputs["metrics/%s/value" % n].name for n in names})
        found["loss"] = np.mean(losses)
        for key, value in found.items():
            support.assert_close(self, value, np.float32(expected[key]), case.name + " " + key)
        return found

    def test_training_takes_tensorflows_steps(self):
        for name in self.cases("kmeans", *REFUSED):
            with self.subTest(case=name):
                case = Case(name)
                path = cannery(*self.arguments(name, "initial", "all")).strip()
                self.train(case, path, support.read_json(support.CASES, name, "trajectory.json"))

    def train(self, case, path, trajectory):
        rows = case.rows("train.csv")
        size = case.description["batch_size"]
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            meta = tf.compat.v1.saved_model.load(session, ["train"], path)
            signature = meta.signature_def["train"]
            self.assertEqual(signature.method_name, "tensorflow/supervised/training")
            (train_op,) = tf.compat.v1.get_collection("saved_model_train_op")
            losses = []
            for step in range(len(trajectory["loss"])):
                first = step * size
                batch = [rows[i % len(rows)] for i in range(first, first + size)]
                loss, _ = session.run([signature.outputs["loss"].name, train_op],
                                      case.feed(signature, batch))
                losses.append(loss)
            variables = {v.op.name: session.run(v.read_value())
                         for v in tf.compat.v1.global_variables()}
        support.assert_close(self, losses, trajectory["loss"], case.name + " losses")
        final = tf.train.load_checkpoint(os.path.join(support.CASES, case.name, "final"))
        self.assertEqual(sorted(variables), sorted(final.get_variable_to_dtype_map()), case.name)
        for key, value in variables.items():
            expected = final.get_tensor(key)
            value = np.where(self.is_noise(case, final, key, value - expected), expected, value)
            support.assert_close(self, value, expected, case.name + " " + key)

    @staticmethod
    def is_noise(case, final, key, difference):
        """Of a bias before batch normalization, as tests/golden/README.md says."""
        layer = re.search(r"dnn/hiddenlayer_\d+(?=/(bias|batchnorm_\d+/moving_mean)(/[mv])?$)", key)
        slot = "training/Adam/%s/bias/v" % (layer.group() if layer else "")
        if not final.has_tensor(slot) or "batch_norm" not in case.description["arguments"]:
            return False
        noise = support.read_json(support.CASES, case.name, "noise.json")["weights_abs"]
        return (final.get_tensor(slot) < 1e-15) & (np.abs(difference) <= 10 * noise)

    def test_what_tensorflow_cannot_train_is_refused(self):
        for name in support.runnable_cases():
            reason = next((r for kind, r in REFUSED.items() if name.startswith(kind)), None)
            if reason is None:
                continue
            with self.subTest(case=name):
                done = subprocess.run([support.CANNERY, *self.arguments(name, "final", "all")],
                                      capture_output=True, text=True, check=False)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(reason, done.stderr)

    def test_a_label_that_is_no_class_is_an_error(self):
        for name, wrong in (("linear_classifier_crossed", b"much"), ("digits_dnn", 10)):
            with self.subTest(case=name), tf.Graph().as_default(), \
                    tf.compat.v1.Session() as session:
                case = Case(name)
                path = cannery(*self.arguments(name, "final", "eval")).strip()
                meta = tf.compat.v1.saved_model.load(session, ["eval"], path)
                signature = meta.signature_def["eval"]
                feed = case.feed(signature, case.rows("eval.csv")[:4])
                loss = signature.outputs["loss"].name
                self.assertTrue(np.isfinite(session.run(loss, feed)))
                feed[signature.inputs["label"].name][1, 0] = wrong
                with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "a label is not"):
                    session.run(loss, feed)

    def test_clusters_have_no_labels(self):
        name = next(c for c in support.runnable_cases() if c.startswith("kmeans"))
        done = subprocess.run([support.CANNERY, *self.arguments(name, "final", "eval")],
                              capture_output=True, text=True, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("The model learns without labels", done.stderr)

    def test_the_serving_graph_is_the_same_as_alone(self):
        name = "combined_classifier"
        path = cannery(*self.arguments(name, "final", "all")).strip()
        requests = support.read_json(support.CASES, name, "requests.json")
        serialized = tf.constant(support.decoded(requests["examples"]))
        served = tf.saved_model.load(path, ["serve"]).signatures["predict"](examples=serialized)
        for key, output in requests["saved_model"]["predict"]["outputs"].items():
            support.assert_close(self, served[key].numpy(), support.as_array(output["value"]), key)



TITANIC = os.path.join(support.ROOT, "resources", "examples", "titanic", "titanic_train.csv")
EXPERIMENT = """
data { train { csv { files: "%s" } } label { column: "survived" } }
feature_column { name: "fare" numeric_column { key: "fare" normalizer { subtract_divide { subtract: 30 divide: 50 } } } }
feature_column { name: "sex" categorical_column_with_vocabulary_list { key: "sex" vocabulary_list: ["male", "female"] } }
feature_column { name: "deck" categorical_column_with_hash_bucket { key: "deck" hash_bucket_size: 10 } }
feature_column { name: "class" categorical_column_with_hash_bucket { key: "class" hash_bucket_size: 10 } }
feature_column { name: "sex_x_deck" crossed_column { key { feature: "sex" } key { feature: "deck" } hash_bucket_size: 20 } }
feature_column { name: "deck_embedding" embedding_column { categorical_column: "deck" dimension: 3 max_norm: 0.5 } }
feature_column { name: "class_embedding" embedding_column { categorical_column: "class" dimension: 2 combiner: sqrtn } }
estimator { dnn_linear_combined_classifier {
  linear_feature_columns: ["fare", "sex", "sex_x_deck"]  linear_optimizer { %s }
  dnn_feature_columns: ["fare", "deck_embedding", "class_embedding"]  dnn_optimizer { %s }
  dnn_hidden_units: [6, 4]  %s
} }
train_spec { max_steps: 12 input { batch_size: 16 shuffle: false } }
run_config { tf_random_seed: 3 save_checkpoints_steps: 12 }
"""
OPTIMIZERS = {
    "sgd": "sgd { learning_rate: 0.05 }",
    "momentum": "sgd { learning_rate: 0.05 momentum: 0.9 }",
    "nesterov": "sgd { learning_rate: 0.05 momentum: 0.9 nesterov: true } decay: 0.1",
    "adagrad": "adagrad { learning_rate: 0.05 } clipnorm: 0.1",
    "adadelta": "adadelta { learning_rate: 1 } clipvalue: 0.01",
    "adam": "adam { learning_rate: 0.01 } global_clipnorm: 0.2",
    "amsgrad": "adam { learning_rate: 0.01 amsgrad: true }",
    "adamax": "adamax { learning_rate: 0.01 }",
    "nadam": "nadam { learning_rate: 0.01 }",
    "rmsprop": "rmsprop { learning_rate: 0.01 }",
    "rmsprop_centered": "rmsprop { learning_rate: 0.01 centered: true }",
    "rmsprop_momentum": "rmsprop { learning_rate: 0.01 momentum: 0.5 centered: true }",
    "ftrl": "ftrl { learning_rate: 0.1 beta: 0.5 l1_regularization_strength: 0.001 }",
    "ftrl_shrinkage": "ftrl { learning_rate: 0.1 l2_shrinkage_regularization_strength: 0.01 }",
    "proximal": "proximal_gradient_descent { learning_rate: 0.05 l1_regularization_strength: 0.01 }",
    "proximal_adagrad": "proximal_adagrad { learning_rate: 0.05 l2_regularization_strength: 0.01 }",
}
SCHEDULES = {
    "constant": "constant { learning_rate: 0.05 }",
    "exponential": "exponential_decay { learning_rate: 0.1 decay_steps: 3 decay_rate: 0.7 staircase: true }",
    "inverse_time": "inverse_time_decay { learning_rate: 0.1 decay_steps: 3 decay_rate: 0.7 }",
    "natural_exp": "natural_exp_decay { learning_rate: 0.1 decay_steps: 3 decay_rate: 0.7 }",
    "polynomial": "polynomial_decay { learning_rate: 0.1 decay_steps: 5 end_learning_rate: 0.01 power: 2 cycle: true }",
    "cosine": "cosine_decay { learning_rate: 0.1 decay_steps: 9 alpha: 0.1 } warmup_steps: 4",
    "piecewise": "piecewise_constant { boundaries: [2, 7] values: [0.1, 0.05, 0.01] }",
}


class Steps(unittest.TestCase):
    """Our training, and TensorFlow's of the graph that we export before it, end in the same state."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.rows = support.read_csv(TITANIC)

    def check(self, linear, dnn, further=""):
        experiment = os.path.join(self.folder.name, "e.cannery")
        with open(experiment, "w", encoding="utf-8") as stream:
            stream.write(EXPERIMENT % (TITANIC, linear, dnn, further))
        model_dir = tempfile.mkdtemp(dir=self.folder.name)
        cannery("train", experiment, "--model-dir", model_dir, "--quiet")
        path = cannery("export", experiment, "--model-dir", model_dir, "--checkpoint", "0", "--output",
                       os.path.join(self.folder.name, "served"), "--modes", "all").strip()
        ours = tf.train.load_checkpoint(os.path.join(model_dir, "model.ckpt-12"))
        theirs = self.trained(path)
        self.assertEqual(sorted(theirs), sorted(ours.get_variable_to_dtype_map()))
        for key, value in theirs.items():
            support.assert_close(self, value, ours.get_tensor(key), key)

    def feed(self, inputs, step):
        batch = self.rows[step * 16:step * 16 + 16]
        feed = {}
        for key, info in inputs.items():
            column = {"name": "survived" if key == "label" else key}
            values = column_values(batch, column, tf.dtypes.as_dtype(info.dtype))
            feed[info.name] = values.reshape(-1, 1)
        return feed

    def trained(self, path):
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            meta = tf.compat.v1.saved_model.load(session, ["train"], path)
            (train_op,) = tf.compat.v1.get_collection("saved_model_train_op")
            inputs = meta.signature_def["train"].inputs
            for step in range(12):
                session.run(train_op, self.feed(inputs, step))
            return {v.op.name: session.run(v.read_value())
                    for v in tf.compat.v1.global_variables()}

    def test_optimizers(self):
        names = sorted(OPTIMIZERS)
        for name, other in zip(names, names[1:] + names[:1]):
            with self.subTest(dnn=name, linear=other):
                self.check(OPTIMIZERS[other], OPTIMIZERS[name])

    def test_schedules(self):
        for name, schedule in SCHEDULES.items():
            with self.subTest(schedule=name):
                text = "learning_rate_schedule { %s }" % schedule
                self.check("adagrad {} " + text, "sgd {} decay: 0.1 " + text)

    def test_batch_normalization(self):
        self.check("ftrl { learning_rate: 0.1 }", "sgd { learning_rate: 0.05 }", "batch_norm: true")

    def test_dropout_drops_in_training_only(self):
        experiment = os.path.join(self.folder.name, "e.cannery")
        with open(experiment, "w", encoding="utf-8") as stream:
            stream.write(EXPERIMENT % (TITANIC, "sgd {}", "sgd {}", "dnn_dropout: 0.5"))
        model_dir = os.path.join(self.folder.name, "model")
        cannery("train", experiment, "--model-dir", model_dir, "--quiet")
        path = cannery("export", experiment, "--model-dir", model_dir, "--output",
                       os.path.join(self.folder.name, "served"), "--modes", "all").strip()
        spread = {}
        for tag in ("train", "eval"):
            with tf.Graph().as_default(), tf.compat.v1.Session() as session:
                meta = tf.compat.v1.saved_model.load(session, [tag], path)
                signature = meta.signature_def[tag]
                feed = self.feed(signature.inputs, 0)
                losses = [session.run(signature.outputs["loss"].name, feed) for _ in range(20)]
                spread[tag] = np.ptp(losses)
        self.assertEqual(spread["eval"], 0)
        self.assertGreater(spread["train"], 0)

    def test_activations(self):
        for name in ("relu6", "elu", "selu", "tanh", "sigmoid", "softplus", "softsign",
                     "leaky_relu", "swish", "gelu", "exponential", "hard_sigmoid", "mish"):
            with self.subTest(activation=name):
                # Sums of exponentials are large, and so are their gradients.
                rate = 0.0001 if name == "exponential" else 0.05
                self.check("sgd {}", "sgd { learning_rate: %g }" % rate,
                           "dnn_activation_fn: %s" % name)


if __name__ == "__main__":
    unittest.main()
