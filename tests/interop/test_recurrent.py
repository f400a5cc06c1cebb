# SPDX-License-Identifier: Apache-2.0
"""Recurrent networks: our weights in TensorFlow's estimator, and our exports in its sessions."""
import os
import shutil
import tempfile
import unittest

import numpy as np
import tensorflow as tf

import support
from support import cannery

EXAMPLE = os.path.join(support.ROOT, "resources", "examples", "visits")
PAGES = ["home", "search", "product", "cart", "help"]
DEVICES = ["phone", "tablet", "computer"]
NETWORKS = [(cell, units, True) for units in (5, [4, 3]) for cell in ("simple_rnn", "lstm", "gru")]
# TensorFlow looks up sequences safely all the same.
NETWORKS.append(("lstm", 5, False))
# Networks of one's own over the same columns: in place of the estimator, its layers behind the
# sequence.
DRAWN = """estimator {
  custom_estimator {
    head { binary_class_head {} }
    sequence_feature_columns: ["page_embedding", "seconds"]
    feature_columns: ["device_indicator"]
    graph {
      layer { name: "device" input_layer {} }
      layer { name: "steps" inputs: "device" sequence_input {} }
      %s
      layer { name: "logits" dense { units: 1 } }
    }
    optimizer { adam { learning_rate: 0.01 } }
  }
}
"""
LAYERS = [
    "layer { lstm { units: 8 } }",
    "layer { gru { units: 5 return_sequences: true reset_after: false recurrent_activation: "
    "hard_sigmoid go_backwards: true } } layer { simple_rnn { units: 4 activation: gelu } }",
    "layer { bidirectional { gru { units: 5 return_sequences: true } } }"
    "layer { bidirectional { merge_mode: mul lstm { units: 4 } } }",
    "layer { name: 'start' inputs: 'device' dense { units: 4 } }"
    "layer { inputs: ['steps', 'start', 'start'] lstm { units: 4 activation: softsign } }",
]


def rows():
    """Of the example; one without steps, one with a page that is not listed, one long one."""
    read = support.read_csv(os.path.join(EXAMPLE, "visits.csv"))[:17]
    read[0].update(pages="", seconds="")
    read[1].update(pages="home|elsewhere|cart", seconds="3|1|4")
    read[2].update(pages="|".join(PAGES * 9), seconds="|".join(["2"] * 45))
    return read


def steps(text):
    return [piece for piece in text.split("|") if piece]


class Recurrent(unittest.TestCase):
    """Every cell, as one layer and as two."""

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        shutil.copy(os.path.join(EXAMPLE, "visits.csv"), self.folder)
        self.rows = rows()

    def train(self, cell, units, safe, drawn=None):
        """Returns the experiment, its model folder and our predictions."""
        with open(os.path.join(EXAMPLE, "visits.cannery"), encoding="utf-8") as stream:
            text = stream.read()
        for old, new in (("normalizer { log {} }", ""), ("cell_type: lstm", "cell_type: " + cell),
                         ("units: [16]", "units: %s" % (units,)), ("max_steps: 300", "max_steps: 30"),
                         ("dimension: 4", "dimension: 4 use_safe_embedding_lookup: %s" %
                          str(safe).lower())):
            assert old in text, old
            text = text.replace(old, new)
        if drawn:
            start, end = text.index("estimator {"), text.index("train_spec")
            text = text[:start] + DRAWN % drawn.replace("'", '"') + text[end:]
        experiment = os.path.join(self.folder, "visits.cannery")
        with open(experiment, "w", encoding="utf-8") as stream:
            stream.write(text)
        model_dir = os.path.join(self.folder, "model")
        shutil.rmtree(model_dir, ignore_errors=True)
        cannery("train", experiment, "--model-dir", model_dir, "--quiet")
        table = os.path.join(self.folder, "asked.csv")
        with open(table, "w", encoding="utf-8") as stream:
            stream.write("device,pages,seconds\n")
            stream.writelines("%(device)s,%(pages)s,%(seconds)s\n" % row for row in self.rows)
        told = cannery("predict", experiment, "--model-dir", model_dir, "--input", table,
                       "--output", "-")
        ours = [float(row["logistic"]) for row in support.csv.DictReader(told.splitlines())]
        return experiment, model_dir, np.array(ours)

    def features(self):
        """What TensorFlow's estimator reads."""
        return {
            "device": tf.constant([[row["device"]] for row in self.rows]),
            "page": tf.ragged.constant([steps(row["pages"]) for row in self.rows],
                                       dtype=tf.string).to_sparse(),
            "seconds": tf.ragged.constant(
                [[float(piece) for piece in steps(row["seconds"])] for row in self.rows],
                dtype=tf.float32).to_sparse(),
        }

    def examples(self):
        made = []
        for row in self.rows:
            feature = {
                "device": tf.train.Feature(
                    bytes_list=tf.train.BytesList(value=[row["device"].encode()])),
                "page": tf.train.Feature(bytes_list=tf.train.BytesList(
                    value=[piece.encode() for piece in steps(row["pages"])])),
                "seconds": tf.train.Feature(float_list=tf.train.FloatList(
                    value=[float(piece) for piece in steps(row["seconds"])])),
            }
            example = tf.train.Example(features=tf.train.Features(feature=feature))
            made.append(example.SerializeToString())
        return tf.constant(made)

    def test_tensorflow_predicts_alike_from_our_weights(self):
        column = tf.feature_column
        for cell, units, safe in NETWORKS:
            with self.subTest(cell=cell, units=units, safe=safe):
                _, model_dir, ours = self.train(cell, units, safe)
                pages = column.sequence_categorical_column_with_vocabulary_list("page", PAGES)
                device = column.categorical_column_with_vocabulary_list("device", DEVICES)
                estimator = tf.estimator.experimental.RNNClassifier(
                    [column.embedding_column(pages, 4, use_safe_embedding_lookup=safe),
                     column.sequence_numeric_column("seconds")],
                    [column.indicator_column(device)], units=units, cell_type=cell,
                    model_dir=model_dir)
                told = estimator.predict(
                    lambda: tf.data.Dataset.from_tensors(self.features()))
                theirs = np.array([row["logistic"][0] for row in told])
                support.assert_close(self, ours, theirs, "logistic")

    def test_tensorflow_serves_our_exports(self):
        for cell, units, safe in NETWORKS:
            with self.subTest(cell=cell, units=units, safe=safe):
                experiment, model_dir, ours = self.train(cell, units, safe)
                path = cannery("export", experiment, "--model-dir", model_dir, "--output",
                               os.path.join(self.folder, "export")).strip()
                predict = tf.saved_model.load(path).signatures["predict"]
                served = predict(examples=self.examples())["logistic"].numpy()[:, 0]
                support.assert_close(self, served, ours, "logistic")

    def test_tensorflow_serves_networks_over_sequences(self):
        for layers in LAYERS:
            with self.subTest(layers=layers):
                experiment, model_dir, ours = self.train("lstm", 5, True, layers)
                path = cannery("export", experiment, "--model-dir", model_dir, "--output",
                               os.path.join(self.folder, "export")).strip()
                predict = tf.saved_model.load(path).signatures["predict"]
                served = predict(examples=self.examples())["logistic"].numpy()[:, 0]
                support.assert_close(self, served, ours, "logistic")
                self.assertGreater(np.std(ours), 1e-3)


if __name__ == "__main__":
    unittest.main()
