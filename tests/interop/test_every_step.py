# SPDX-License-Identifier: Apache-2.0
"""Recurrent networks that predict every step: steps, metrics, predictions and exports beside TensorFlow's."""
import json
import os
import shutil
import tempfile
import unittest
from unittest import mock

import numpy as np
import tensorflow as tf
from tensorflow_estimator.python.estimator.head.sequential_head import SequentialHeadWrapper

import support
import test_programs
from support import cannery

PAGES = ["home", "search", "product", "cart", "help"]
DEVICES = ["phone", "tablet", "computer"]
BATCH = 16
EXPERIMENT = """
data {
  train { csv { files: "steps.csv" } }
  eval { csv { files: "steps.csv" } }
  label { split { column: "%(label)s" dtype: %(dtype)s } }
  feature { name: "page" split { column: "pages" } }
  feature { name: "seconds" split { column: "seconds" dtype: float32 } }
  feature { name: "weight" split { column: "weights" dtype: float32 } }
}
feature_column { name: "page" sequence_categorical_column_with_vocabulary_list {
  key: "page" vocabulary_list: ["home", "search", "product", "cart", "help"] } }
feature_column { name: "page_embedding" embedding_column { categorical_column: "page" dimension: 4 } }
feature_column { name: "seconds" sequence_numeric_column { key: "seconds" } }
feature_column { name: "device" categorical_column_with_vocabulary_list {
  key: "device" vocabulary_list: ["phone", "tablet", "computer"] } }
feature_column { name: "device_indicator" indicator_column { categorical_column: "device" } }
estimator { %(estimator)s
  sequence_feature_columns: ["page_embedding", "seconds"]
  context_feature_columns: ["device_indicator"]
  return_sequences: true
} }
train_spec { max_steps: %(steps)d input { batch_size: 16 shuffle: false } }
eval_spec { steps: 0 throttle_secs: 0 input { batch_size: 16 shuffle: false } }
run_config { tf_random_seed: 3 save_checkpoints_steps: 10 }
"""


def head(static_head):
    return SequentialHeadWrapper(static_head, feature_columns="weight")


def classifier(**arguments):
    def make(columns, context, model_dir):
        return tf.estimator.experimental.RNNClassifier(
            columns, context, return_sequences=True, model_dir=model_dir, **arguments)
    return make


def estimator_of(static_head, **arguments):
    def make(columns, context, model_dir):
        return tf.estimator.experimental.RNNEstimator(
            head(static_head()), columns, context, return_sequences=True, model_dir=model_dir,
            **arguments)
    return make


WEIGHED = 'weight_column { feature: "weight" }'
# Name: our estimator, its label and its type, and TensorFlow's estimator.
MODELS = {
    "binary": ("rnn_classifier { units: 5 cell_type: lstm " + WEIGHED, "bought", "int64",
               classifier(units=5, cell_type="lstm", weight_column="weight")),
    "classes": ('rnn_classifier { units: [4, 3] cell_type: gru n_classes: 3 sequence_mask: "steps" '
                'label_vocabulary: ["low", "mid", "high"]', "kind", "string",
                classifier(units=[4, 3], cell_type="gru", n_classes=3, sequence_mask="steps",
                           label_vocabulary=["low", "mid", "high"])),
    "sum": ("rnn_classifier { units: 3 loss_reduction: SUM optimizer { sgd { learning_rate: 0.01 } } "
            + WEIGHED, "bought", "int64",
            classifier(units=3, cell_type="simple_rnn", weight_column="weight", loss_reduction="sum",
                       optimizer=lambda: tf.keras.optimizers.legacy.SGD(0.01))),
    "numbers": ('rnn_estimator { head { regression_head { name: "amount" %s } } units: 4 '
                "cell_type: gru" % WEIGHED, "amount", "float32",
                estimator_of(lambda: tf.estimator.RegressionHead(name="amount", weight_column="weight"),
                             units=4, cell_type="gru")),
    "pairs": ("rnn_estimator { head { regression_head { label_dimension: 2 %s } } units: [4] "
              "stacked_cells: true" % WEIGHED, "hot", "float32",
              estimator_of(lambda: tf.estimator.RegressionHead(2, weight_column="weight"), units=[4],
                           cell_type="simple_rnn")),
    "counts": ("rnn_estimator { head { poisson_regression_head { %s } } units: 4 cell_type: lstm"
               % WEIGHED, "amount", "float32",
               estimator_of(lambda: tf.estimator.PoissonRegressionHead(weight_column="weight"), units=4,
                            cell_type="lstm")),
    "labels": ("rnn_estimator { head { multi_label_head { n_classes: 2 %s } } units: 4 "
               "cell_type: lstm" % WEIGHED, "hot", "int64",
               estimator_of(lambda: tf.estimator.MultiLabelHead(2, weight_column="weight"), units=4,
                            cell_type="lstm")),
}


def made_rows():
    """Visits of 0 to 9 steps. What is bought depends on the pages before."""
    random = np.random.RandomState(5)
    rows = []
    for _ in range(64):
        pages = [PAGES[i] for i in random.randint(0, 5, random.randint(0, 10))]
        seconds = (random.randint(1, 60, len(pages)) / 20).round(2).tolist()
        seen = [int("cart" in pages[:i + 1]) for i in range(len(pages))]
        rows.append({
            "device": DEVICES[random.randint(0, 3)], "pages": pages, "seconds": seconds,
            "bought": seen,
            "kind": ["low" if p == "home" else "mid" if s < 1.5 else "high"
                     for p, s in zip(pages, seconds)],
            "amount": [round(s + i, 2) for s, i in zip(seconds, seen)],
            "weights": random.choice([0.5, 1.0, 2.0], len(pages)).tolist(),
            "hot": [v for p, i in zip(pages, seen) for v in (i, int(p == "help"))]})
    return rows


class EveryStep(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.rows = made_rows()
        with open(os.path.join(self.folder, "steps.csv"), "w", encoding="utf-8") as stream:
            stream.write(",".join(self.rows[0]) + "\n")
            for row in self.rows:
                stream.write(",".join("|".join(map(str, cell)) if isinstance(cell, list) else cell
                                      for cell in row.values()) + "\n")

    def experiment(self, model, steps):
        ours, label, dtype, _ = MODELS[model]
        path = os.path.join(self.folder, model + ".cannery")
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(EXPERIMENT % {"label": label, "dtype": dtype, "estimator": ours,
                                       "steps": steps})
        return path

    def train_ours(self, model, model_dir, steps, *options):
        cannery("train", self.experiment(model, steps), "--model-dir", model_dir, "--quiet", *options)

    def theirs(self, model, model_dir):
        column = tf.feature_column
        pages = column.sequence_categorical_column_with_vocabulary_list("page", PAGES)
        device = column.categorical_column_with_vocabulary_list("device", DEVICES)
        return MODELS[model][3]([column.embedding_column(pages, 4),
                                 column.sequence_numeric_column("seconds")],
                                [column.indicator_column(device)], model_dir)

    def input_fn(self, model, skip=0, count=None):
        """Batches in file order from batch `skip` on; without end, or the first rows once."""
        _, label, dtype, _ = MODELS[model]
        types = {"int64": tf.int64, "float32": tf.float32, "string": tf.string}

        def ragged(name, kind, width=1):
            values = [r[name] for r in self.rows]
            if width > 1:
                values = [[v[i:i + width] for i in range(0, len(v), width)] for v in values]
                return tf.ragged.constant(values, dtype=kind, inner_shape=(width,))
            return tf.ragged.constant(values, dtype=kind)

        def plain(features, labels):
            features = {name: value.to_sparse() if name != "device" else value[:, tf.newaxis]
                        for name, value in features.items()}
            return features, labels.to_tensor() if label == "hot" else labels.to_sparse()

        def make():
            features = {"device": [r["device"] for r in self.rows], "page": ragged("pages", tf.string),
                        "seconds": ragged("seconds", tf.float32),
                        "weight": ragged("weights", tf.float32)}
            labels = ragged(label, types[dtype], 2 if label == "hot" else 1)
            dataset = tf.data.Dataset.from_tensor_slices((features, labels))
            dataset = dataset.repeat().skip(skip * BATCH) if count is None else dataset.take(count)
            return dataset.batch(BATCH).map(plain)

        return make

    def copied(self, model_dir, name):
        target = os.path.join(self.folder, name)
        shutil.copytree(model_dir, target)
        return target

    def assert_same_variables(self, ours, theirs, message):
        a, b = (tf.train.load_checkpoint(tf.train.latest_checkpoint(d)) for d in (ours, theirs))
        self.assertEqual(sorted(a.get_variable_to_shape_map()), sorted(b.get_variable_to_shape_map()))
        for name in a.get_variable_to_shape_map():
            np.testing.assert_allclose(a.get_tensor(name), b.get_tensor(name), rtol=1e-5, atol=1e-5,
                                       err_msg="%s: %s" % (message, name))

    def first_checkpoint(self, model_dir, name):
        """A folder that begins where `model_dir` began."""
        target = os.path.join(self.folder, name)
        os.makedirs(target)
        for file in os.listdir(model_dir):
            if file.startswith("model.ckpt-0."):
                shutil.copy(os.path.join(model_dir, file), target)
        with open(os.path.join(target, "checkpoint"), "w", encoding="utf-8") as stream:
            stream.write('model_checkpoint_path: "model.ckpt-0"\n')
        return target

    def test_steps_are_tensorflows(self):
        for model in MODELS:
            with self.subTest(model=model):
                ours = os.path.join(self.folder, model)
                self.train_ours(model, ours, 12)
                theirs = self.first_checkpoint(ours, model + "_theirs")
                self.theirs(model, theirs).train(self.input_fn(model), max_steps=12)
                self.assert_same_variables(ours, theirs, model)

    def test_each_continues_the_other(self):
        for model in ("binary", "numbers"):
            with self.subTest(model=model):
                ours = os.path.join(self.folder, model)
                self.train_ours(model, ours, 7)
                theirs = self.copied(ours, model + "_theirs")
                self.theirs(model, theirs).train(self.input_fn(model, 7), max_steps=12)
                self.train_ours(model, ours, 12)
                self.assert_same_variables(ours, theirs, model)
                back = self.copied(theirs, model + "_back")
                for file in os.listdir(back):
                    if ".cannery" in file:
                        os.remove(os.path.join(back, file))
                self.train_ours(model, back, 16)  # from the first row on
                self.theirs(model, theirs).train(self.input_fn(model), max_steps=16)
                self.assert_same_variables(back, theirs, model)

    def test_evaluations_are_tensorflows(self):
        for model in MODELS:
            with self.subTest(model=model):
                ours = os.path.join(self.folder, model)
                self.train_ours(model, ours, 12)
                told = json.loads(cannery("evaluate", self.experiment(model, 12), "--model-dir", ours,
                                          "--json"))["metrics"]
                theirs = self.theirs(model, ours).evaluate(self.input_fn(model, count=len(self.rows)))
                for key, value in theirs.items():
                    if key != "global_step":
                        self.assertAlmostEqual(told[key], float(value), msg=key,
                                               delta=1e-5 * (1 + abs(float(value))))

    def test_predictions_and_exports_are_tensorflows(self):
        for model in MODELS:
            with self.subTest(model=model):
                ours = os.path.join(self.folder, model)
                experiment = self.experiment(model, 12)
                self.train_ours(model, ours, 12)
                told = [json.loads(line) for line in cannery(
                    "predict", experiment, "--model-dir", ours, "--input",
                    os.path.join(self.folder, "steps.csv"), "--format", "jsonl").splitlines()]
                theirs = list(self.theirs(model, ours).predict(
                    self.input_fn(model, count=len(self.rows))))
                path = cannery("export", experiment, "--model-dir", ours, "--output",
                               os.path.join(self.folder, model + "_export")).strip()
                predict = tf.saved_model.load(path).signatures["predict"]
                served = {key: value.numpy()
                          for key, value in predict(examples=self.examples()).items()}
                self.assertEqual(set(theirs[0]), set(told[0]))
                self.assertEqual(set(theirs[0]), set(served))
                for i, row in enumerate(self.rows):
                    steps = len(row["pages"])
                    for key, value in theirs[i].items():
                        self.assert_same_steps(told[i][key], value, steps, key)
                        self.assert_same_steps(served[key][i], value, steps, key)

    def assert_same_steps(self, actual, expected, steps, key):
        """Of a row; `expected` is padded, `actual` may be. What all rows share has no steps."""
        mask = expected.dtype == bool
        if not key.startswith("all_") and not (key == "classes" and expected.ndim == 1):
            if mask and len(actual) > steps:
                self.assertFalse(np.any(actual[steps:]), key)
            actual, expected = actual[:steps], expected[:steps]
        if expected.dtype.kind == "O":
            expected = np.array([text.decode() for text in expected.ravel()], dtype=object)
        actual = np.asarray(actual, dtype=None if steps else expected.dtype)
        support.assert_close(self, actual.reshape(expected.shape), expected, key)

    def examples(self):
        """The rows as a client sends them."""
        made = []
        for row in self.rows:
            texts = lambda values: tf.train.Feature(
                bytes_list=tf.train.BytesList(value=[v.encode() for v in values]))
            feature = {"device": texts([row["device"]]), "page": texts(row["pages"]),
                       "seconds": tf.train.Feature(
                           float_list=tf.train.FloatList(value=row["seconds"]))}
            made.append(tf.train.Example(
                features=tf.train.Features(feature=feature)).SerializeToString())
        return tf.constant(made)

    def test_programs_train_alike(self):
        for model in ("binary", "classes", "numbers"):
            with self.subTest(model=model):
                ours = os.path.join(self.folder, model)
                self.train_ours(model, ours, 12)
                theirs = self.first_checkpoint(ours, model + "_theirs")
                module = test_programs.program_of(self.experiment(model, 12), self.folder)
                with mock.patch.object(tf.estimator, "train_and_evaluate", test_programs.train_only):
                    test_programs.run_main(module, theirs)
                self.assert_same_variables(ours, theirs, model)

    def test_programs_say_what_they_cannot(self):
        with self.assertRaisesRegex(AssertionError, "data.label.split: a program reads one value"):
            cannery("export", self.experiment("pairs", 12), "--as", "program")
        experiment = self.experiment("binary", 12)
        with open(experiment, encoding="utf-8") as stream:
            text = stream.read().replace("eval_spec {", "eval_spec { metric { auc {} }")
        with open(experiment, "w", encoding="utf-8") as stream:
            stream.write(text)
        with self.assertRaisesRegex(AssertionError, "eval_spec.metric: tf.estimator.add_metrics sees"):
            cannery("export", experiment, "--as", "program")

    def test_replicas_take_the_mean_over_the_steps_of_all(self):
        """One replica, and four of a quarter of its rows each, which differ in their steps."""
        for model in ("binary", "sum"):
            with self.subTest(model=model):
                one, four = (os.path.join(self.folder, model + name) for name in ("_one", "_four"))
                self.train_ours(model, one, 12)
                self.train_ours(model, four, 12, "--set", "strategy={ mirrored {} virtual_shards: 4 }",
                                "--set", "train_spec.input.batch_size=4")
                self.assert_same_variables(one, four, model)


if __name__ == "__main__":
    unittest.main()
