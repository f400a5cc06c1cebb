# SPDX-License-Identifier: Apache-2.0
"""Numbers next to the boundaries of buckets and the splits of trees, served by TensorFlow with its
graph optimizer at work: every row gets the prediction of `cannery predict`."""
import os
import tempfile
import unittest

import numpy as np
import tensorflow as tf
from tensorflow.core.protobuf import saved_model_pb2

import support
from support import cannery

NORMALIZERS = {
    "plain": "",
    "divided": "normalizer { subtract_divide { divide: 100 } }",
    "shifted": "normalizer { subtract_divide { subtract: 3.3 divide: 0.7 } }",
    "turned": "normalizer { subtract_divide { subtract: 1.5 divide: -7 } }",
    "scaled": "normalizer { z_score {} }",
    "ranged": "normalizer { min_max {} }",
    "log": "normalizer { log {} }",
    "log_scaled": "normalizer { log { offset: 0.5 subtract: 2 divide: 0.3 } }",
    "log_turned": "normalizer { log { offset: 2 subtract: 1 divide: -3 } }",
}
BOUNDARIES = [-1.5, -0.3, 0, 0.1, 0.2, 0.35, 0.38, 0.4, 0.45, 0.5, 1, 3.7, 20]
FLOATS = [b for n in (0.2, 0.38, 1, 3.7) for b in (n, n * 100, n * 0.7 + 3.3, 1.5 - n * 7)]


def columns(kind):
    text = ""
    for name, normalizer in NORMALIZERS.items():
        text += 'feature_column { name: "%s" numeric_column { key: "%s" %s } }\n' % (
            name, name, normalizer)
        if kind == "linear":
            text += ('feature_column { name: "%s_b" bucketized_column { source_column: "%s" '
                     'boundaries: %s } }\n' % (name, name, BOUNDARIES))
    if kind == "linear":
        text += ('feature_column { name: "cross" crossed_column { key { column: "turned_b" } '
                 'key { column: "log_scaled_b" } hash_bucket_size: 200 } }\n')
    return text


def estimator(kind):
    names = list(NORMALIZERS)
    if kind == "linear":
        names = [n + "_b" for n in names] + ["cross"]
        return "linear_classifier { feature_columns: %s }" % str(names).replace("'", '"')
    return "boosted_trees_classifier { feature_columns: %s n_trees: 12 max_depth: 5 %s }" % (
        str(names).replace("'", '"'), "histogram {}" if kind == "histogram" else "n_batches_per_layer: 1")


def number_at(place):
    """The float32 whose bits, in order, are this."""
    bits = place if place >= 0 else -2**31 - place
    return np.array([bits], np.int32).view(np.float32)[0]


def boundaries_of(path):
    """The raw numbers that the nodes of an export compare with."""
    saved = saved_model_pb2.SavedModel()
    with open(os.path.join(path, "saved_model.pb"), "rb") as file:
        saved.ParseFromString(file.read())
    numbers = set()
    for node in saved.meta_graphs[-1].graph_def.node:
        if node.op == "Bucketize":
            numbers.update(node.attr["boundaries"].list.f)
        elif node.op == "Const" and node.name.split("/")[-1] in ("begins", "cuts"):
            for place in tf.make_ndarray(node.attr["value"].tensor).ravel().tolist():
                for beside in (place, place + 1):
                    if abs(beside) < 0x7f800000:
                        numbers.update((number_at(beside), number_at(-beside)))
    return numbers


def neighbours(numbers, count):
    found = set()
    for number in numbers:
        for direction in (-np.inf, np.inf):
            value = np.float32(number)
            for _ in range(count):
                found.add(value)
                value = np.nextafter(value, np.float32(direction), dtype=np.float32)
    return sorted(v for v in found if np.isfinite(v))


class Boundaries(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        random = np.random.default_rng(5)
        table = random.choice(np.float32([0, 1, 2, 5, 20, 38, 40, 45]), (600, len(NORMALIZERS)))
        table += np.where(random.random(table.shape) < 0.5, random.gamma(1, 3, table.shape), 0)
        label = (np.sin(table).sum(1) + random.normal(size=600) > 0).astype(int)
        self.write("train.csv", table.astype(np.float32), label)

    def write(self, name, rows, label=None):
        names = list(NORMALIZERS) + ([] if label is None else ["y"])
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(",".join(names) + "\n")
            for i, row in enumerate(rows):
                cells = ["%.9g" % v for v in row] + ([] if label is None else [str(label[i])])
                file.write(",".join(cells) + "\n")
        return os.path.join(self.folder, name)

    def model(self, kind):
        path = os.path.join(self.folder, kind + ".cannery")
        with open(path, "w", encoding="utf-8") as file:
            file.write('data { train { csv { files: "train.csv" } } label { column: "y" }\n')
            for name in NORMALIZERS:
                file.write('column { name: "%s" dtype: float32 }\n' % name)
            file.write("}\n%s\nestimator { %s }\n" % (columns(kind), estimator(kind)))
            file.write("train_spec { max_steps: 60 }\n")
        self.model_dir = os.path.join(self.folder, kind)
        cannery("train", path, "--model-dir", self.model_dir, "--quiet")
        return path

    def check(self, kind):
        path = self.model(kind)
        output = os.path.join(self.folder, "export_" + kind)
        exported = cannery("export", path, "--model-dir", self.model_dir, "--output",
                           output).strip()
        raw = cannery("export", path, "--model-dir", self.model_dir, "--output", output + "_raw",
                      "--receiver", "raw").strip()
        numbers = neighbours(boundaries_of(exported), 3) + neighbours(FLOATS, 20)
        random = np.random.default_rng(6)
        rows = np.stack([random.permutation(numbers) for _ in NORMALIZERS], 1).astype(np.float32)
        table = self.write("rows.csv", rows)
        predicted = os.path.join(self.folder, "predicted_%s.csv" % kind)
        cannery("predict", path, "--model-dir", self.model_dir, "--input", table, "--output",
                predicted)
        wanted = np.array([float(r["logits"]) for r in support.read_csv(predicted)])
        examples = []
        for row in rows:
            example = tf.train.Example()
            for name, value in zip(NORMALIZERS, row):
                example.features.feature[name].float_list.value.append(value)
            examples.append(example.SerializeToString())
        inputs = {"examples": tf.constant(examples)}
        got = tf.saved_model.load(exported).signatures["predict"](**inputs)["logits"].numpy()
        inputs = {n: tf.constant(rows[:, i:i + 1]) for i, n in enumerate(NORMALIZERS)}
        same = tf.saved_model.load(raw).signatures["predict"](**inputs)["logits"].numpy()
        for logits in (got, same):
            differ = np.abs(logits.ravel() - wanted) > 1e-4
            self.assertEqual(differ.sum(), 0, rows[differ][:3])
        return len(rows), len(set(np.round(wanted, 4)))

    def test_buckets(self):
        rows, answers = self.check("linear")
        self.assertGreater(rows, 1000)
        self.assertGreater(answers, rows / 2)

    def test_trees_of_layers(self):
        rows, answers = self.check("layers")
        self.assertGreater(rows, 1000)
        self.assertGreater(answers, 30)

    def test_trees_of_histograms(self):
        rows, answers = self.check("histogram")
        self.assertGreater(rows, 1000)
        self.assertGreater(answers, 30)


if __name__ == "__main__":
    unittest.main()
