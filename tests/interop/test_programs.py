# SPDX-License-Identifier: Apache-2.0
"""Experiments exported as programs of tf.estimator: run by TensorFlow, they train what we train."""
import glob
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

EXAMPLES = os.path.join(support.ROOT, "resources", "examples")
STEPS = 12
SPLIT_EXPERIMENT = """
data { train { csv { files: "rows.csv" } } label { column: "y" } split { %s } }
feature_column { name: "x" categorical_column_with_identity { key: "x" num_buckets: 203 } }
estimator { linear_classifier { feature_columns: "x" } }
train_spec { input { batch_size: 32 num_epochs: 1 } }
eval_spec { throttle_secs: 0 }
"""
REFUSED_EXPERIMENT = """
data { train { csv { files: "rows.csv" } } label { column: "y" } }
feature_column { name: "x" numeric_column { key: "x" } }
estimator { linear_classifier { feature_columns: "x" optimizer { sgd {} moving_average_decay: 0.9 } } }
train_spec { max_steps: 4 }
strategy { one_device {} virtual_shards: 2 }
"""


def program_of(experiment, folder):
    path = os.path.join(folder, "program.py")
    cannery("export", experiment, "--as", "program", "--output", path)
    spec = importlib.util.spec_from_file_location("program", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run_main(module, model_dir):
    with mock.patch.object(sys, "argv", ["program.py", "--model_dir", model_dir]), \
            mock.patch.object(tf.compat.v1.logging, "set_verbosity"):
        module.main()


def train_only(estimator, train_spec, _):
    estimator.train(train_spec.input_fn, max_steps=train_spec.max_steps)
    return None, None


class Programs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def assert_same_variables(self, actual, expected, message, tolerance):
        self.assertEqual(sorted(actual), sorted(expected), message)
        noisy = any("batchnorm" in name for name in expected)  # see tests/golden/README.md
        for name, value in expected.items():
            if noisy and (name.endswith("bias") or "bias/" in name or name.endswith("/moving_mean")):
                continue
            np.testing.assert_allclose(actual[name], value, rtol=tolerance, atol=tolerance,
                                       err_msg="%s: %s" % (message, name))

    @staticmethod
    def variables(folder):
        reader = tf.train.load_checkpoint(tf.train.latest_checkpoint(folder))
        return {n: reader.get_tensor(n) for n in reader.get_variable_to_shape_map()}

    def test_goldens_are_followed(self):
        followed = 0
        for case in support.runnable_cases():
            with self.subTest(case=case):
                folder = os.path.join(self.folder, case)
                os.makedirs(folder)
                experiment = support.experiment_of(case, folder)
                if experiment is None:
                    continue
                facts = support.read_json(support.CASES, case, "case.json")
                if facts["tensorflow"].startswith("2.8") or "deterministic_steps" in facts:
                    continue  # boosted trees need TensorFlow 2.8; its mini-batch k-means is a race
                if facts["data"].get("format", "csv") != "csv":
                    continue  # programs read CSV files only
                module = program_of(experiment, folder)
                model_dir = support.model_dir_from(case, "initial", folder)
                with mock.patch.object(tf.estimator, "train_and_evaluate", train_only):
                    run_main(module, model_dir)
                self.assert_same_variables(
                    self.variables(model_dir),
                    self.variables(os.path.join(support.CASES, case, "final")), case, 1e-5)
                followed += 1
        self.assertGreaterEqual(followed, 20)

    def test_examples_are_followed(self):
        for path in sorted(glob.glob(os.path.join(EXAMPLES, "*", "*.cannery"))):
            with self.subTest(example=os.path.basename(path)):
                with open(path, encoding="utf-8") as stream:
                    text = stream.read()
                if "boosted_trees" in text or "kmeans" in text:
                    continue  # the one needs TensorFlow 2.8, the other draws its first centers
                folder = os.path.join(self.folder, os.path.basename(path))
                shutil.copytree(os.path.dirname(path), folder)
                experiment = os.path.join(folder, os.path.basename(path))
                ours, theirs = (os.path.join(folder, n) for n in ("ours", "theirs"))
                overrides = ["train_spec.max_steps=%d" % STEPS, "train_spec.input.shuffle=false",
                             "train_spec.hook=", "eval_spec.exporter=", "eval_spec.steps=2",
                             "run_config.save_checkpoints_steps=%d" % STEPS]
                if "dropout" in text:  # each drops units of its own choice
                    overrides.append("estimator.dnn_classifier.dropout=0")
                arguments = [a for o in overrides for a in ("--set", o)]
                cannery("train", experiment, "--model-dir", ours, "--quiet", *arguments)
                os.makedirs(theirs)
                for name in glob.glob(os.path.join(ours, "model.ckpt-0.*")):
                    shutil.copy(name, theirs)
                with open(os.path.join(theirs, "checkpoint"), "w", encoding="utf-8") as stream:
                    stream.write('model_checkpoint_path: "model.ckpt-0"\n')
                module = program_of(ours, folder)
                run_main(module, theirs)
                self.assert_same_variables(self.variables(theirs), self.variables(ours), path, 1e-4)

    def test_held_back_rows_are_the_same(self):
        rows = os.path.join(self.folder, "rows.csv")
        with open(rows, "w", encoding="utf-8") as stream:
            stream.write("x,kind,y\n" + "".join(
                "%d,%s,%d\n" % (i, "abc"[i * i % 3], i % 2) for i in range(203)))
        for split in ("fraction { eval_fraction: 0.3 seed: 9 }",
                      "fraction { eval_fraction: 0.2 stratify: true seed: 4 }",
                      'by_column { column: "kind" eval_values: ["b", "c"] }'):
            with self.subTest(split=split):
                experiment = os.path.join(self.folder, "split.cannery")
                with open(experiment, "w", encoding="utf-8") as stream:
                    stream.write(SPLIT_EXPERIMENT % split)
                model_dir = os.path.join(self.folder, "model")
                shutil.rmtree(model_dir, ignore_errors=True)
                cannery("train", experiment, "--model-dir", model_dir, "--quiet")
                # A row trains the weight of its own number alone.
                weights = self.variables(model_dir)["linear/linear_model/x/weights"]
                module = program_of(experiment, self.folder)
                self.assertEqual(sorted(int(row["x"]) for row in module.part(True)),
                                 np.flatnonzero(weights).tolist())
                self.assertEqual(sorted(int(row["x"]) for row in module.part(False)),
                                 np.flatnonzero(weights == 0).tolist())

    def test_what_reading_detects_is_written(self):
        with open(os.path.join(self.folder, "rows.tsv"), "w", encoding="utf-16") as stream:
            stream.write("".join("%d\t%s\t%d,5\n" % (i, "ü" * (i % 3), i) for i in range(40)))
        experiment = os.path.join(self.folder, "rows.cannery")
        cannery("new", os.path.join(self.folder, "rows.tsv"), "--label", "c2", "--no-tries",
                "--output", experiment)
        module = program_of(experiment, self.folder)
        rows = module.part(True)  # too few rows to hold some back
        self.assertEqual(sorted(int(row["c0"]) for row in rows), list(range(40)))
        self.assertEqual(sorted(module.labels_of(rows).tolist()), [i + 0.5 for i in range(40)])

    def test_what_tf_estimator_cannot_say_is_named(self):
        experiment = os.path.join(self.folder, "refused.cannery")
        with open(os.path.join(self.folder, "rows.csv"), "w", encoding="utf-8") as stream:
            stream.write("x,y\n1,0\n2,1\n3,0\n")
        with open(experiment, "w", encoding="utf-8") as stream:
            stream.write(REFUSED_EXPERIMENT)
        with self.assertRaisesRegex(AssertionError, "moving_average_decay.*strategy.virtual_shards"):
            cannery("export", experiment, "--as", "program")


if __name__ == "__main__":
    unittest.main()
