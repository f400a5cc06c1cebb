# SPDX-License-Identifier: Apache-2.0
"""Embeddings that neither prune nor fill (use_safe_embedding_lookup: false), of weighted columns whose
weights are integers, some of them not positive: trained and exported as in TensorFlow."""
import os
import shutil
import tempfile
import unittest

import numpy as np
import tensorflow as tf

import support
from support import cannery

WORDS = ["a", "b", "c", "d"]
CELLS = [("a", "2"), ("a|b", "3|-1"), ("b|c|d", "1|0|2"), ("d", "-2"), ("c|c", "1|-3"), ("b", "0"),
         ("a|d", "2|2"), ("c|a", "-1|4")]
LABELS = [0.5, -1.0, 2.0, 0.25, -0.75, 1.5, 3.0, -2.0]
EXPERIMENT = """
data {
  train { csv { files: "%(table)s" } }
  eval { csv { files: "%(table)s" } }
  label { column: "y" }
  feature { name: "words" split { column: "words" } }
  feature { name: "counts" split { column: "counts" dtype: int64 } }
}
feature_column { name: "word" categorical_column_with_vocabulary_list { key: "words" vocabulary_list: ["a", "b", "c", "d"] } }
feature_column { name: "counted" weighted_categorical_column { categorical_column: "word" weight_feature_key: "counts" dtype: int64 } }
feature_column { name: "embedding" embedding_column { categorical_column: "counted" dimension: 3 combiner: %(combiner)s use_safe_embedding_lookup: false } }
estimator { dnn_regressor { hidden_units: [4] feature_columns: "embedding" } }
train_spec { max_steps: %(steps)d input { batch_size: 4 shuffle: false } }
eval_spec { steps: 0 throttle_secs: 0 input { batch_size: 4 shuffle: false } }
run_config { tf_random_seed: 3 }
"""


def cells(column, dtype):
    values = [cell[column].split("|") for cell in CELLS]
    indices = [[row, place] for row, cell in enumerate(values) for place in range(len(cell))]
    flat = [dtype(value) for cell in values for value in cell]
    return tf.SparseTensor(indices, flat, [len(values), max(len(cell) for cell in values)])


def input_fn():
    features = {"words": cells(0, str), "counts": cells(1, int)}
    features["counts"] = tf.cast(features["counts"], tf.int64)
    return tf.data.Dataset.from_tensor_slices((features, np.array(LABELS, np.float32))).repeat().batch(4)


def estimator(model_dir, combiner):
    c = tf.feature_column
    words = c.categorical_column_with_vocabulary_list("words", WORDS)
    counted = c.weighted_categorical_column(words, "counts", tf.int64)
    return tf.estimator.DNNRegressor(
        model_dir=model_dir, hidden_units=[4],
        feature_columns=[c.embedding_column(counted, 3, combiner, use_safe_embedding_lookup=False)],
        config=tf.estimator.RunConfig(tf_random_seed=3))


def example(words, counts):
    result = tf.train.Example()
    result.features.feature["words"].bytes_list.value.extend(w.encode() for w in words.split("|"))
    result.features.feature["counts"].int64_list.value.extend(int(n) for n in counts.split("|"))
    return result.SerializeToString()


class UnsafeLookup(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.table = os.path.join(self.folder, "table.csv")
        with open(self.table, "w", encoding="utf-8") as stream:
            stream.write("words,counts,y\n")
            for (words, counts), label in zip(CELLS, LABELS):
                stream.write("%s,%s,%s\n" % (words, counts, label))

    def experiment(self, combiner):
        path = os.path.join(self.folder, combiner + ".cannery")
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(EXPERIMENT % {"table": self.table, "combiner": combiner, "steps": 24})
        return path

    def trained(self, combiner):
        """The same first steps by TensorFlow, continued by each."""
        theirs = os.path.join(self.folder, combiner + "_theirs")
        estimator(theirs, combiner).train(input_fn, max_steps=4)
        ours = os.path.join(self.folder, combiner + "_ours")
        shutil.copytree(theirs, ours)
        estimator(theirs, combiner).train(input_fn, max_steps=24)
        cannery("train", self.experiment(combiner), "--model-dir", ours, "--quiet")
        return ours, theirs

    def test_training_and_export(self):
        for combiner in ("sum", "mean", "sqrtn"):
            with self.subTest(combiner=combiner):
                ours, theirs = self.trained(combiner)
                a, b = (tf.train.load_checkpoint(tf.train.latest_checkpoint(d))
                        for d in (ours, theirs))
                self.assertEqual(sorted(a.get_variable_to_shape_map()),
                                 sorted(b.get_variable_to_shape_map()))
                for name in a.get_variable_to_shape_map():
                    np.testing.assert_allclose(a.get_tensor(name), b.get_tensor(name), rtol=1e-4,
                                               atol=1e-6, err_msg=name)
                self.check_export(combiner, ours, theirs)

    def check_export(self, combiner, ours, theirs):
        path = cannery("export", self.experiment(combiner), "--model-dir", ours, "--output",
                       os.path.join(self.folder, combiner + "_export")).strip()
        predict = tf.saved_model.load(path).signatures["predict"]
        answered = predict(examples=tf.constant([example(*cell) for cell in CELLS]))["predictions"]
        predictions = estimator(theirs, combiner).predict(
            lambda: input_fn().take(len(CELLS) // 4).map(lambda features, _: features))
        expected = [row["predictions"] for row in predictions]
        np.testing.assert_allclose(answered.numpy(), np.array(expected), rtol=1e-4, atol=1e-5)
        with self.assertRaises(tf.errors.InvalidArgumentError):
            predict(examples=tf.constant([example("other", "1")]))


if __name__ == "__main__":
    unittest.main()
