# SPDX-License-Identifier: Apache-2.0
"""One model_dir of k-means, trained by TensorFlow and by Cannery in turn."""
import os
import shutil
import tempfile
import unittest

import numpy as np
import tensorflow as tf

import support
from support import cannery

EXPERIMENT = """
data { train { csv { files: "%(train)s" } } }
feature_column { name: "length" numeric_column { key: "bill_length_mm" normalizer { subtract_divide { subtract: 44 divide: 5 } } } }
feature_column { name: "depth" numeric_column { key: "bill_depth_mm" normalizer { subtract_divide { subtract: 17 divide: 2 } } } }
estimator { kmeans { num_clusters: 3 feature_columns: ["length", "depth"] use_mini_batch: false %(fields)s } }
train_spec { max_steps: %(steps)d input { batch_size: %(rows)d shuffle: false } }
run_config { tf_random_seed: 3 save_checkpoints_steps: 5 save_summary_steps: 1 }
"""


class KMeans(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        rows = [r for r in support.read_csv(os.path.join(
            support.ROOT, "resources", "examples", "penguins", "penguins.csv"))
                if r["bill_length_mm"] and r["bill_depth_mm"]]
        self.table = os.path.join(self.folder, "penguins.csv")
        with open(self.table, "w", encoding="utf-8") as stream:
            stream.write("bill_length_mm,bill_depth_mm\n")
            stream.writelines("%(bill_length_mm)s,%(bill_depth_mm)s\n" % r for r in rows)
        self.features = {k: np.array([float(r[k]) for r in rows], np.float32)
                         for k in ("bill_length_mm", "bill_depth_mm")}

    def experiment(self, steps, fields=""):
        path = os.path.join(self.folder, "groups.cannery")
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(EXPERIMENT % {"train": self.table, "steps": steps, "fields": fields,
                                       "rows": len(self.features["bill_length_mm"])})
        return path

    def train_ours(self, model_dir, steps, fields=""):
        cannery("train", self.experiment(steps, fields), "--model-dir", model_dir, "--quiet")

    def tensorflow(self, model_dir, **arguments):
        c = tf.feature_column
        columns = [
            c.numeric_column("bill_length_mm", normalizer_fn=lambda x: (tf.cast(x, tf.float32) - 44) / 5),
            c.numeric_column("bill_depth_mm", normalizer_fn=lambda x: (tf.cast(x, tf.float32) - 17) / 2)]
        return tf.compat.v1.estimator.experimental.KMeans(
            3, model_dir=model_dir, feature_columns=columns, use_mini_batch=False,
            config=tf.estimator.RunConfig(tf_random_seed=3, save_checkpoints_steps=5), **arguments)

    def input_fn(self):
        return tf.data.Dataset.from_tensor_slices(self.features).batch(1000).repeat()

    def copied(self, model_dir, name):
        target = os.path.join(self.folder, name)
        shutil.copytree(model_dir, target)
        return target

    def assert_same_checkpoint(self, ours, theirs):
        a, b = (tf.train.load_checkpoint(tf.train.latest_checkpoint(d)) for d in (ours, theirs))
        self.assertEqual(a.get_variable_to_shape_map(), b.get_variable_to_shape_map())
        self.assertEqual(a.get_tensor("global_step"), b.get_tensor("global_step"))
        self.assertTrue(a.get_tensor("initialized"))
        np.testing.assert_allclose(a.get_tensor("clusters"), b.get_tensor("clusters"), rtol=1e-5,
                                   atol=1e-6)

    def test_tensorflow_continues_ours(self):
        for name, distance in (("euclidean", "squared_euclidean"), ("cosine", "cosine")):
            with self.subTest(distance=distance):
                fields = "distance_metric: " + distance
                ours = os.path.join(self.folder, name)
                self.train_ours(ours, 2, fields)
                theirs = self.copied(ours, name + "_theirs")
                self.tensorflow(theirs, distance_metric=distance).train(self.input_fn, max_steps=6)
                self.train_ours(ours, 6, fields)
                self.assert_same_checkpoint(ours, theirs)

    def test_tensorflow_starts_from_our_first_checkpoint(self):
        ours = os.path.join(self.folder, "ours")
        self.train_ours(ours, 1)
        with open(os.path.join(ours, "checkpoint"), "w", encoding="utf-8") as stream:
            stream.write('model_checkpoint_path: "model.ckpt-0"\n')
        self.tensorflow(ours).train(self.input_fn, max_steps=3)
        reader = tf.train.load_checkpoint(tf.train.latest_checkpoint(ours))
        self.assertEqual(reader.get_tensor("clusters").shape, (3, 2))
        self.assertEqual(reader.get_tensor("global_step"), 3)

    def test_we_continue_tensorflows(self):
        theirs = os.path.join(self.folder, "theirs")
        self.tensorflow(theirs).train(self.input_fn, max_steps=2)
        ours = self.copied(theirs, "ours")
        self.train_ours(ours, 6)
        self.tensorflow(theirs).train(self.input_fn, max_steps=6)
        self.assert_same_checkpoint(ours, theirs)

    def test_tensorflow_predicts_alike(self):
        ours = os.path.join(self.folder, "ours")
        self.train_ours(ours, 4)
        output = os.path.join(self.folder, "predictions.jsonl")
        cannery("predict", self.experiment(4), "--model-dir", ours, "--input", self.table,
                "--output", output)
        with open(output, encoding="utf-8") as stream:
            predicted = [support.json.loads(line) for line in stream]
        theirs = list(self.tensorflow(ours).predict(
            lambda: tf.data.Dataset.from_tensor_slices(self.features).batch(64)))
        self.assertEqual(len(predicted), len(theirs))
        for mine, other in zip(predicted, theirs):
            self.assertEqual(int(np.ravel(mine["cluster_index"])[0]), other["cluster_index"])
            np.testing.assert_allclose(np.ravel(mine["all_distances"]), other["all_distances"],
                                       rtol=1e-4, atol=1e-5)


if __name__ == "__main__":
    unittest.main()
