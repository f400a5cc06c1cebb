# SPDX-License-Identifier: Apache-2.0
"""`cannery new` on records of TensorFlow whose features are lists."""
import os
import tempfile
import unittest

import tensorflow as tf

from support import cannery


class FirstModels(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.table = os.path.join(folder.name, "lists.tfrecord")
        self.experiment = os.path.join(folder.name, "lists.cannery")
        with tf.io.TFRecordWriter(self.table) as writer:
            for i in range(400):
                tags = [b"abcd"[(i * k) % 4:][:1] for k in range(1, 1 + i % 4)]
                example = tf.train.Example()
                example.features.feature["tags"].bytes_list.value.extend(tags)
                example.features.feature["x"].float_list.value.append(i * 37 % 100 / 100)
                example.features.feature["label"].int64_list.value.append(
                    int((b"a" in tags) != (i * 37 % 100 > 50)))
                writer.write(example.SerializeToString())

    def test_lists_get_a_model_that_reads_them(self):
        cannery("new", self.table, "--label", "label", "--output", self.experiment)
        cannery("check", self.experiment)
        with open(self.experiment, encoding="utf-8") as stream:
            text = stream.read()
        self.assertIn('column: "tags"', text)
        self.assertNotIn("boosted_trees", text)

    def test_trees_of_lists_are_refused(self):
        with self.assertRaisesRegex(AssertionError, "'tags' has lists.*--leave-out tags"):
            cannery("new", self.table, "--label", "label", "--output", self.experiment,
                    "--estimator", "boosted_trees")
        cannery("new", self.table, "--label", "label", "--output", self.experiment,
                "--estimator", "boosted_trees", "--leave-out", "tags")


if __name__ == "__main__":
    unittest.main()
