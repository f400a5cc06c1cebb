# SPDX-License-Identifier: Apache-2.0
"""Tables converted by `cannery convert`, read by TensorFlow, and TensorFlow's records read by us."""
import csv
import os
import sqlite3
import tempfile
import unittest

import numpy as np
import tensorflow as tf

from support import cannery

ROWS = [{"age": "31", "name": "Ann, B.", "weight": "70.5"},
        {"age": "", "name": "grüße", "weight": "-1e-07"},
        {"age": "47", "name": "", "weight": "3.25"}]


def convert(*arguments):
    cannery("convert", *arguments)


def examples(path, compression=""):
    return [tf.train.Example.FromString(record.numpy())
            for record in tf.data.TFRecordDataset(path, compression_type=compression)]


def values(example, name):
    feature = example.features.feature[name]
    return list(getattr(feature, feature.WhichOneof("kind")).value)


class Convert(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write_csv(self):
        with open(self.path("table.csv"), "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, ["age", "name", "weight"])
            writer.writeheader()
            writer.writerows(ROWS)
        return self.path("table.csv")

    def check_examples(self, found):
        self.assertEqual(len(found), 3)
        self.assertEqual(sorted(found[0].features.feature), ["age", "name", "weight"])
        self.assertEqual(values(found[0], "age"), [31])
        self.assertEqual(values(found[0], "name"), [b"Ann, B."])
        self.assertNotIn("age", found[1].features.feature)
        self.assertNotIn("name", found[2].features.feature)
        weights = [values(example, "weight")[0] for example in found]
        self.assertEqual(weights, [np.float32(70.5), np.float32(-1e-07), np.float32(3.25)])

    def test_tensorflow_reads_csv_as_records(self):
        table = self.write_csv()
        for name, compression in (("a/t.tfrecord", ""), ("b/t.tfrecord.gz", "GZIP"),
                                  ("c/t.tfrecord.z", "ZLIB")):
            os.mkdir(os.path.dirname(self.path(name)))
            convert(table, self.path(name))
            self.check_examples(examples(self.path(name), compression))
        with open(self.path("a/schema.pbtxt"), encoding="utf-8") as file:
            schema = file.read()
        self.assertIn('name: "weight"', schema)
        self.assertEqual(schema.count("type: FLOAT"), 1)
        self.assertEqual(schema.count("min_fraction: 1"), 1)

    def test_records_become_the_same_csv_again(self):
        convert(self.write_csv(), self.path("t.tfrecord"))
        convert(self.path("t.tfrecord"), self.path("again.csv"))
        with open(self.path("again.csv"), encoding="utf-8", newline="") as file:
            self.assertEqual(list(csv.DictReader(file)), ROWS)

    def test_lists_of_tensorflow_survive(self):
        example = tf.train.Example()
        example.features.feature["ids"].int64_list.value.extend([3, -4])
        example.features.feature["tags"].bytes_list.value.extend([b"a", b"b c"])
        example.features.feature["w"].float_list.value.extend([0.1, 2])
        with tf.io.TFRecordWriter(self.path("lists.tfrecord")) as writer:
            writer.write(example.SerializeToString())
        os.mkdir(self.path("out"))
        convert(self.path("lists.tfrecord"), self.path("out/again.tfrecord"))
        self.assertEqual(examples(self.path("out/again.tfrecord")), [example])

    def test_databases_and_arrays_become_records(self):
        database = sqlite3.connect(self.path("t.db"))
        database.execute("CREATE TABLE t (age INTEGER, name TEXT, weight REAL)")
        database.executemany("INSERT INTO t VALUES (?, ?, ?)",
                             [[row[key] or None for key in ("age", "name", "weight")]
                              for row in ROWS])
        database.commit()
        database.close()
        os.mkdir(self.path("db"))
        convert(self.path("t.db"), self.path("db/t.tfrecord"), "--table", "t")
        self.check_examples(examples(self.path("db/t.tfrecord")))
        np.savez_compressed(self.path("t.npz"), x=np.array([1.5, 2], np.float32),
                            s=np.array(["a", "b"]))
        os.mkdir(self.path("npz"))
        convert(self.path("t.npz"), self.path("npz/t.tfrecord"))
        found = examples(self.path("npz/t.tfrecord"))
        self.assertEqual([values(example, "x") for example in found], [[1.5], [2.0]])
        self.assertEqual([values(example, "s") for example in found], [[b"a"], [b"b"]])


if __name__ == "__main__":
    unittest.main()
