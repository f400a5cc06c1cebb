# SPDX-License-Identifier: Apache-2.0
"""The same cases under TensorFlow's distribution strategies and ours, from one checkpoint 0."""
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import tensorflow as tf

import strategy_cases as cases
import support
from support import cannery

# TensorFlow's CentralStorageStrategy refuses optimizers with slots (its saver finds two variables of
# one name) and clipped gradients. There, ours is held to MirroredStrategy's numbers.
CENTRAL_STORAGE_RUNS = {"linear_regressor", "linear_regressor_loss_sum", "short_last_batch",
                        "incomplete_last_step"}
REPLICAS = (2, 4)
# Steps of the cases whose rows end, by number of replicas; the others make all 10.
STEPS = {"short_last_batch": {2: 4, 4: 2}, "incomplete_last_step": {2: 3, 4: 1}}


class Strategies(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        cls.theirs = {}

    def tensorflow(self, case, kind, replicas):
        """The model_dir that TensorFlow trained; each is trained once."""
        key = (case["name"], kind, replicas)
        if key not in self.theirs:
            model_dir = os.path.join(self.folder, "theirs_%s_%s_%d" % key)
            cases.train(cases.with_strategy(case, kind, replicas), model_dir)
            self.theirs[key] = model_dir
        return self.theirs[key]

    @staticmethod
    def written(case, folder):
        """The experiment of a case, beside its rows."""
        cases.write_case(case, folder)
        path = os.path.join(folder, "case.cannery")
        subprocess.run([sys.executable, os.path.join(support.GOLDEN, "to_experiment.py"), folder,
                        "-o", path], check=True)
        return path

    def ours(self, case, kind, replicas, theirs):
        """Our experiment and the model_dir that we trained from TensorFlow's first checkpoint."""
        folder = tempfile.mkdtemp(dir=self.folder)
        experiment = self.written(cases.with_strategy(case, kind, replicas), folder)
        model_dir = os.path.join(folder, "model")
        os.makedirs(model_dir)
        for path in glob.glob(os.path.join(theirs, "model.ckpt-0.*")):
            shutil.copy(path, model_dir)
        with open(os.path.join(model_dir, "checkpoint"), "w", encoding="utf-8") as stream:
            stream.write('model_checkpoint_path: "model.ckpt-0"\n'
                         'all_model_checkpoint_paths: "model.ckpt-0"\n')
        cannery("train", experiment, "--model-dir", model_dir, "--quiet")
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

    def check(self, case, kind, replicas):
        # README of shared goldens: batch normalization triples what is fair.
        normalized = case["arguments"].get("batch_norm", False)
        peer = kind if case["name"] in CENTRAL_STORAGE_RUNS else "mirrored"
        theirs = self.tensorflow(case, peer, replicas)
        experiment, ours = self.ours(case, kind, replicas, theirs)
        steps = STEPS.get(case["name"], {}).get(replicas, case["steps"])
        self.assertEqual(cases.last_checkpoint(theirs)["global_step"], steps)
        self.assert_same_scalars(ours, theirs, 1e-4 if normalized else 1e-5)
        self.assert_same_checkpoint(ours, theirs, 3 if normalized else 1)
        self.assert_same_evaluation(cases.with_strategy(case, peer, replicas), experiment, ours,
                                    theirs)

    def check_all(self, kind):
        for case in cases.CASES:
            for replicas in REPLICAS:
                with self.subTest(case=case["name"], replicas=replicas):
                    self.check(case, kind, replicas)

    def test_mirrored(self):
        self.check_all("mirrored")

    def test_central_storage(self):
        self.check_all("central_storage")

    def test_replicas_change_the_result(self):
        """Otherwise the comparisons above would also pass without any strategy."""
        for case in cases.CASES:
            with self.subTest(case=case["name"]):
                two, four = (cases.last_checkpoint(self.tensorflow(case, "mirrored", n))
                             for n in REPLICAS)
                self.assertTrue(any(np.max(np.abs(two[name] - four[name])) > 1e-3 for name in two
                                    if name != "global_step" and not name.startswith("training/")))

    def test_tensorflow_on_one_device_evaluates_ours_alike(self):
        case = next(c for c in cases.CASES if c["name"] == "wide_and_deep")
        experiment, ours = self.ours(case, "mirrored", 2, self.tensorflow(case, "mirrored", 2))
        self.assert_same_evaluation(case, experiment, ours, ours)


class GuidesExample(unittest.TestCase):
    """The multi-worker example of TensorFlow's guide to distributed estimators, on one replica."""

    EXPERIMENT = """
    data { train { csv { files: "%(rows)s" } } eval { csv { files: "%(rows)s" } } label { column: "label" } }
    feature_column { name: "feats" numeric_column { key: "feats" } }
    estimator { linear_regressor { feature_columns: "feats" optimizer { sgd { learning_rate: 0.2 } } } }
    train_spec { input { batch_size: 10 num_epochs: 1 shuffle: false } }
    eval_spec { steps: 10 input { batch_size: 10 shuffle: false } }
    run_config { save_summary_steps: 1 }
    strategy { mirrored { devices: "CPU:0" } }
    """

    def test_losses_of_the_guide(self):
        with tempfile.TemporaryDirectory() as folder:
            rows = os.path.join(folder, "rows.csv")
            with open(rows, "w", encoding="utf-8") as stream:
                stream.write("feats,label\n" + 100 * "1.0,1.0\n")
            experiment = os.path.join(folder, "guide.cannery")
            with open(experiment, "w", encoding="utf-8") as stream:
                stream.write(self.EXPERIMENT % {"rows": rows})
            model_dir = os.path.join(folder, "model")
            cannery("train", experiment, "--model-dir", model_dir, "--quiet")
            losses = cases.scalars(model_dir)["loss"]
            self.assertEqual(sorted(losses), list(range(1, 11)))
            self.assertEqual(losses[1], 1)
            self.assertEqual(np.float32(losses[10]), np.float32(2.877698e-13))
            metrics = json.loads(cannery("evaluate", experiment, "--model-dir", model_dir,
                                         "--json"))["metrics"]
            self.assertEqual(np.float32(metrics["average_loss"]), np.float32(1.4210855e-14))


if __name__ == "__main__":
    unittest.main()
