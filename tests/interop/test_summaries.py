# SPDX-License-Identifier: Apache-2.0
"""Event files of real TensorFlow as the window shows them, and ours as TensorBoard reads them."""
import glob
import hashlib
import json
import os
import shutil
import subprocess
import tempfile
import unittest

import numpy as np
import tensorflow as tf
from tensorboard import data_compat
from tensorboard.backend.event_processing import event_accumulator
from tensorboard.plugins.distribution import compressor
from tensorboard.plugins.hparams import api as hparams
from tensorboard.plugins.pr_curve import summary as pr_curve
from tensorboard.util import tensor_util

import support
from support import cannery

SHOW = os.environ.get("SHOW_SUMMARIES")
TITANIC = os.path.join(support.ROOT, "resources", "examples", "titanic")


def shown(folder):
    """What the window's models hold of a folder."""
    return json.loads(subprocess.run([SHOW, folder], capture_output=True, text=True,
                                     check=True).stdout)


def tensors(folder):
    """Every value of a folder's event files, as TensorBoard migrates it: {tag: {step: array}}."""
    found = {}
    for path in sorted(glob.glob(os.path.join(folder, "*tfevents*"))):
        for event in tf.compat.v1.train.summary_iterator(path):
            raw = event_accumulator.event_pb2.Event.FromString(event.SerializeToString())
            for value in data_compat.migrate_event(raw).summary.value:
                if value.HasField("tensor"):
                    found.setdefault(value.tag, {})[event.step] = tensor_util.make_ndarray(
                        value.tensor)
    return found


def write_v2(folder):
    random = np.random.default_rng(3)
    with tf.summary.create_file_writer(folder).as_default():
        for step in (1, 7):
            tf.summary.scalar("two/loss", 0.5 / step, step=step)
            tf.summary.histogram("two/weights", random.normal(size=200) * step, step=step)
            tf.summary.text("two/words", "a *b* at %d" % step, step=step)
            tf.summary.image("two/picture", random.uniform(size=(2, 4, 6, 3)).astype(np.float32),
                             step=step)
            tf.summary.audio("two/sound", random.uniform(-1, 1, (1, 80, 1)).astype(np.float32),
                             8000, step=step)
        hparams.hparams({"rate": 0.25, "units": 16, "kind": "adam", "fast": True})


def write_v1(folder):
    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph, v1.Session() as session:
        with tf.name_scope("layer"):
            x = v1.placeholder(tf.float32, [None, 3], name="x")
            y = tf.matmul(x, tf.constant(np.ones((3, 2), np.float32), name="w"), name="y")
        merged = v1.summary.merge([
            v1.summary.scalar("one/loss", tf.reduce_sum(y)), v1.summary.histogram("one/y", y),
            v1.summary.text("one/words", tf.constant("plain")),
            v1.summary.image("one/picture", tf.ones([1, 4, 6, 3])),
            pr_curve.op("one/curve", labels=tf.constant([True, False, True, False]),
                        predictions=tf.constant([.9, .4, .6, .7]), num_thresholds=11)])
        writer = v1.summary.FileWriter(folder, graph)
        for step in (2, 4):
            rows = np.arange(3 * step, dtype=np.float32).reshape(step, 3)
            writer.add_summary(session.run(merged, {x: rows}), step)
        writer.close()
        return {n.name: (n.op, list(n.input)) for n in graph.as_graph_def().node}


@unittest.skipUnless(SHOW, "the window is not built")
class Summaries(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def check_histograms(self, folder, histograms, prefix="|"):
        """Bins and percentiles; TensorBoard's are rounded to float32 on the way."""
        expected = tensors(folder)
        checked = 0
        for key, steps in histograms.items():
            if not key.startswith(prefix) or "|" in key[len(prefix):]:
                continue
            for step in steps:
                buckets = expected[key[len(prefix):]][step["step"]]
                what = "%s at %d" % (key, step["step"])
                support.assert_close(self, step["counts"], buckets[:, 2], what, 1e-6)
                support.assert_close(self, step["edges"][:-1], buckets[:, 0], what, 1e-6)
                support.assert_close(self, step["edges"][1:], buckets[:, 1], what, 1e-6)
                compressed = compressor.compress_histogram(buckets)
                support.assert_close(self, step["bounds"], [value for _, value in compressed], what,
                                     1e-6)
                checked += 1
        return checked

    def test_the_window_shows_what_tensorflow_wrote(self):
        write_v2(self.folder)
        nodes = write_v1(self.folder)
        seen = shown(self.folder)
        self.assertEqual(seen["problem"], "")
        self.assertEqual(self.check_histograms(self.folder, seen["histograms"]), 4)
        expected = tensors(self.folder)
        self.assertEqual([t["markdown"] for t in seen["texts"]["|two/words"]],
                         ["a *b* at 1", "a *b* at 7"])
        self.assertEqual([t["markdown"] for t in seen["texts"]["|one/words"]], ["plain"] * 2)
        for key, steps in seen["images"].items():
            for step in steps:
                encoded = expected[key[1:]][step["step"]][2:]
                self.assertEqual(step["encoded"],
                                 [hashlib.sha256(e).hexdigest() for e in encoded], key)
        self.assertEqual(sorted(seen["images"]), ["|one/picture/image/0", "|two/picture"])
        self.assertEqual(seen["sounds"], {"|two/sound": 2})
        for step in seen["pr_curves"]["|one/curve/pr_curves"]:
            rows = expected["one/curve/pr_curves"][step["step"]]
            for row, name in zip(rows, ["true_positives", "false_positives", "true_negatives",
                                        "false_negatives", "precision", "recall"]):
                support.assert_close(self, step[name], row, name, 1e-7)
        graph = {name: (node["op"], node["inputs"]) for name, node in seen["graphs"][""].items()}
        self.assertEqual(graph, nodes)
        self.assertEqual(seen["parameters"],
                         {"rate": "0.25", "units": "16", "kind": "adam", "fast": "true"})

    def test_scalars_are_those_that_tensorflow_wrote(self):
        write_v2(self.folder)
        write_v1(self.folder)
        expected = tensors(self.folder)
        checked = 0
        for path in glob.glob(os.path.join(self.folder, "*tfevents*")):
            for tag in json.loads(cannery("inspect", path, "--json"))["tags"]:
                if tag["kind"] == "scalar":
                    values = expected[tag["tag"]]
                    self.assertEqual(tag["last"], float(values[max(values)]), tag["tag"])
                    self.assertEqual(tag["min"], float(min(values.values())), tag["tag"])
                    self.assertEqual(tag["max"], float(max(values.values())), tag["tag"])
                    checked += 1
        self.assertEqual(checked, 2)

    def test_tensorboard_reads_what_the_engine_wrote(self):
        shutil.copytree(TITANIC, os.path.join(self.folder, "titanic"))
        experiment = os.path.join(self.folder, "titanic", "titanic.cannery")
        cannery("train", experiment)
        run = os.path.dirname(glob.glob(os.path.join(self.folder, "titanic", "runs", "*",
                                                     "checkpoint"))[0])
        seen = shown(run)
        self.assertGreater(self.check_histograms(run, seen["histograms"]), 10)
        board = event_accumulator.EventAccumulator(run).Reload()
        graph = {node.name: (node.op, list(node.input)) for node in board.Graph().node}
        ours = {name: (node["op"], node["inputs"]) for name, node in seen["graphs"][""].items()}
        self.assertEqual(ours, graph)
        self.assertGreater(len(graph), 20)


if __name__ == "__main__":
    unittest.main()
