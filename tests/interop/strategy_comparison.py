# SPDX-License-Identifier: Apache-2.0
"""Trains the cases of strategy_cases.py with the program, and holds what it writes against what
TensorFlow wrote."""
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import strategy_cases as cases
import support
from support import cannery


class Comparison(unittest.TestCase):
    """What the tests of strategies share: a folder, and comparisons."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name

    @staticmethod
    def written(case, folder):
        """The experiment of a case, beside its rows."""
        cases.write_case(case, folder)
        path = os.path.join(folder, "case.cannery")
        subprocess.run([sys.executable, os.path.join(support.GOLDEN, "to_experiment.py"), folder,
                        "-o", path], check=True)
        return path

    def prepared(self, case, theirs):
        """The experiment of a case, and a model_dir that has TensorFlow's first checkpoint."""
        folder = tempfile.mkdtemp(dir=self.folder)
        experiment = self.written(case, folder)
        model_dir = os.path.join(folder, "model")
        os.makedirs(model_dir)
        for path in glob.glob(os.path.join(theirs, "model.ckpt-0.*")):
            shutil.copy(path, model_dir)
        with open(os.path.join(model_dir, "checkpoint"), "w", encoding="utf-8") as stream:
            stream.write('model_checkpoint_path: "model.ckpt-0"\n'
                         'all_model_checkpoint_paths: "model.ckpt-0"\n')
        return experiment, model_dir

    def assert_same_scalars(self, ours, theirs, tolerance):
        """All of TensorFlow's that a step computes, step for step: they are the first replica's."""
        ours, theirs = cases.scalars(ours), cases.scalars(theirs)
        # The weights' own summaries race with their update in TensorFlow.
        for tag in ("global_step/sec", "bias", "fraction_of_zero_weights"):
            theirs.pop(tag, None)
        self.assertIn("loss", theirs)
        for tag, values in theirs.items():
            self.assertEqual(sorted(ours.get(tag, {})), sorted(values), tag)
            for step, value in values.items():
                self.assertLessEqual(abs(ours[tag][step] - value), tolerance * max(1, abs(value)),
                                     "%s of step %d is %.9g, TensorFlow's %.9g" % (
                                         tag, step, ours[tag][step], value))

    def assert_same_checkpoint(self, ours, theirs, factor):
        ours, theirs = cases.last_checkpoint(ours), cases.last_checkpoint(theirs)
        self.assertEqual(list(ours), list(theirs))
        for name, value in theirs.items():
            np.testing.assert_allclose(ours[name], value, rtol=factor * 1e-4, atol=factor * 1e-6,
                                       err_msg=name)

    def assert_same_evaluation(self, case, experiment, ours, theirs):
        """TensorFlow's replicas share the batches of the evaluation; we read the same rows."""
        ours = json.loads(cannery("evaluate", experiment, "--model-dir", ours, "--json"))["metrics"]
        theirs = cases.evaluate(case, theirs)
        theirs.pop("global_step")
        if "strategy" in case:  # TensorFlow divides this one by the number of replicas.
            theirs.pop("accuracy_baseline", None)
            ours.pop("accuracy_baseline", None)
        ours = {k: v for k, v in ours.items() if k != "global_step" and not k.startswith("cannery/")}
        self.assertEqual(sorted(ours), sorted(theirs))
        for key, value in theirs.items():
            self.assertAlmostEqual(ours[key], value, delta=1e-5 * (1 + abs(value)), msg=key)

    def assert_same_training(self, case, steps, ours, theirs):
        """Losses, summaries and the last checkpoint, of `steps` steps."""
        # README of shared goldens: batch normalization triples what is fair.
        normalized = case["arguments"].get("batch_norm", False)
        self.assertEqual(cases.last_checkpoint(theirs)["global_step"], steps)
        self.assert_same_scalars(ours, theirs, 1e-4 if normalized else 1e-5)
        self.assert_same_checkpoint(ours, theirs, 3 if normalized else 1)
