# SPDX-License-Identifier: Apache-2.0
"""One model_dir of LinearSDCA, trained by TensorFlow and by Cannery in turn."""
import importlib.util
import os
import shutil
import sys
import tempfile
import unittest
from unittest import mock

import numpy as np
import tensorflow as tf

import support
from support import cannery

EXPERIMENT = """
data { train { csv { files: "%(train)s" } } label { column: "%(label)s" } }
feature_column { name: "length" numeric_column { key: "length" } }
feature_column { name: "kind" categorical_column_with_vocabulary_list { key: "kind" vocabulary_list: ["a", "b", "c"] } }
estimator { %(estimator)s { feature_columns: ["length", "kind"] optimizer { linear_sdca { example_id_column: "id" symmetric_l2_regularization: 4 %(fields)s } } } }
train_spec { max_steps: %(steps)d input { batch_size: %(rows)d shuffle: false } }
run_config { tf_random_seed: 3 save_checkpoints_steps: 10 save_summary_steps: 1 }
"""
ROWS = 150


class Sdca(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        random = np.random.default_rng(5)
        length = random.normal(size=ROWS).astype(np.float32)
        kind = random.integers(0, 4, size=ROWS)
        amount = (2 * length + kind + random.normal(size=ROWS)).astype(np.float32)
        self.features = {"length": length, "kind": np.array(["abcd"[k] for k in kind]),
                         "id": np.array(["row %d" % i for i in range(ROWS)])}
        self.labels = {"amount": amount, "large": (amount > 1.5).astype(np.int64)}
        self.table = os.path.join(self.folder, "rows.csv")
        with open(self.table, "w", encoding="utf-8") as stream:
            stream.write("length,kind,id,amount,large\n")
            for i in range(ROWS):
                stream.write("%r,%s,%s,%r,%d\n" % (
                    float(length[i]), self.features["kind"][i], self.features["id"][i],
                    float(amount[i]), self.labels["large"][i]))

    def train_ours(self, model_dir, steps, estimator="linear_classifier", fields=""):
        path = os.path.join(self.folder, "rows.cannery")
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(EXPERIMENT % {
                "train": self.table, "steps": steps, "rows": ROWS, "estimator": estimator,
                "fields": fields, "label": "amount" if estimator == "linear_regressor" else "large"})
        cannery("train", path, "--model-dir", model_dir, "--quiet")

    def train_theirs(self, model_dir, steps, estimator="linear_classifier", **arguments):
        c = tf.feature_column
        columns = [c.numeric_column("length"),
                   c.categorical_column_with_vocabulary_list("kind", ["a", "b", "c"])]
        optimizer = tf.estimator.experimental.LinearSDCA(
            "id", symmetric_l2_regularization=4.0, **arguments)
        kind, label = ((tf.estimator.LinearRegressor, "amount")
                       if estimator == "linear_regressor" else
                       (tf.estimator.LinearClassifier, "large"))
        kind(columns, model_dir=model_dir, optimizer=optimizer,
             config=tf.estimator.RunConfig(tf_random_seed=3, save_checkpoints_steps=10)).train(
                 lambda: tf.data.Dataset.from_tensor_slices(
                     (self.features, self.labels[label])).batch(ROWS).repeat(), max_steps=steps)

    def copied(self, model_dir, name):
        target = os.path.join(self.folder, name)
        shutil.copytree(model_dir, target)
        return target

    @staticmethod
    def state(model_dir, tables=1):
        """The variables; and {key: state} of all tables."""
        reader = tf.train.load_checkpoint(tf.train.latest_checkpoint(model_dir))
        examples = {}
        for i in range(tables):
            name = "ShardedMutableHashTable-%d-of-%d" % (i + 1, tables)
            keys, values = (reader.get_tensor(name + end) for end in ("-keys", "-values"))
            examples.update({tuple(k): v for k, v in zip(keys, values) if k.any()})
        variables = {n: reader.get_tensor(n) for n in reader.get_variable_to_shape_map()
                     if not n.startswith("Sharded")}
        return variables, examples

    def assert_same(self, ours, theirs, tables=1):
        (mine, my_examples), (other, other_examples) = (self.state(d, tables) for d in (ours, theirs))
        self.assertEqual(sorted(mine), sorted(other))
        for name, value in mine.items():
            np.testing.assert_allclose(value, other[name], rtol=1e-3, atol=1e-3, err_msg=name)
        # Each row is found again, by either.
        self.assertEqual(len(my_examples), ROWS)
        self.assertEqual(set(my_examples), set(other_examples))
        for key, state in my_examples.items():
            np.testing.assert_allclose(state, other_examples[key], rtol=2e-3, atol=2e-3)

    def test_tensorflow_continues_ours(self):
        for estimator in ("linear_classifier", "linear_regressor"):
            with self.subTest(estimator=estimator):
                ours = os.path.join(self.folder, estimator)
                self.train_ours(ours, 3, estimator, "symmetric_l1_regularization: 2")
                theirs = self.copied(ours, estimator + "_theirs")
                self.train_theirs(theirs, 80, estimator, symmetric_l1_regularization=2.0)
                self.train_ours(ours, 80, estimator, "symmetric_l1_regularization: 2")
                self.assert_same(ours, theirs)

    def test_tensorflow_starts_from_our_first_checkpoint(self):
        ours = os.path.join(self.folder, "ours")
        self.train_ours(ours, 1)
        with open(os.path.join(ours, "checkpoint"), "w", encoding="utf-8") as stream:
            stream.write('model_checkpoint_path: "model.ckpt-0"\n')
        self.train_theirs(ours, 2)
        self.assertEqual(len(self.state(ours)[1]), ROWS)

    def test_we_continue_tensorflows(self):
        theirs = os.path.join(self.folder, "theirs")
        self.train_theirs(theirs, 3, num_table_shards=2)
        ours = self.copied(theirs, "ours")
        self.train_ours(ours, 80, fields="num_table_shards: 2")
        self.train_theirs(theirs, 80, num_table_shards=2)
        self.assert_same(ours, theirs, tables=2)

    def test_a_program_of_it_ends_at_the_same_weights(self):
        ours, theirs = (os.path.join(self.folder, n) for n in ("ours", "theirs"))
        self.train_ours(ours, 80)
        program = os.path.join(self.folder, "program.py")
        cannery("export", os.path.join(self.folder, "rows.cannery"), "--as", "program",
                "--output", program)
        spec = importlib.util.spec_from_file_location("program", program)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        with mock.patch.object(sys, "argv", ["program.py", "--model_dir", theirs]), \
                mock.patch.object(tf.compat.v1.logging, "set_verbosity"):
            module.main()
        self.assert_same(ours, theirs)

    def test_the_duality_gap_falls_to_0(self):
        ours = os.path.join(self.folder, "ours")
        self.train_ours(ours, 60)
        gaps = [v.simple_value for name in sorted(os.listdir(ours)) if "tfevents" in name
                for event in tf.compat.v1.train.summary_iterator(os.path.join(ours, name))
                for v in event.summary.value if v.tag == "approximate_duality_gap"]
        self.assertEqual(len(gaps), 60)
        self.assertGreater(gaps[0], 0.1)
        self.assertLess(abs(gaps[-1]), 1e-5)


if __name__ == "__main__":
    unittest.main()
