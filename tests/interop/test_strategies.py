# SPDX-License-Identifier: Apache-2.0
"""The same cases under TensorFlow's distribution strategies and ours, from one checkpoint 0."""
import json
import os
import tempfile
import unittest

import numpy as np
import tensorflow as tf

import strategy_cases as cases
from strategy_comparison import Comparison
from support import cannery

cases.make_devices()

# TensorFlow's CentralStorageStrategy refuses optimizers with slots (its saver finds two variables of
# one name) and clipped gradients. There, ours is held to MirroredStrategy's numbers.
CENTRAL_STORAGE_RUNS = {"linear_regressor", "linear_regressor_loss_sum", "short_last_batch",
                        "incomplete_last_step"}
REPLICAS = (2, 4)
# Steps of the cases whose rows end, by number of replicas; the others make all 10.
STEPS = {"short_last_batch": {2: 4, 4: 2}, "incomplete_last_step": {2: 3, 4: 1}}


class Strategies(Comparison):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.theirs = {}

    def tensorflow(self, case, kind, replicas):
        """The model_dir that TensorFlow trained; each is trained once."""
        key = (case["name"], kind, replicas)
        if key not in self.theirs:
            model_dir = os.path.join(self.folder, "theirs_%s_%s_%d" % key)
            cases.train(cases.with_strategy(case, kind, replicas), model_dir)
            self.theirs[key] = model_dir
        return self.theirs[key]

    def ours(self, case, kind, replicas, theirs):
        """Our experiment and the model_dir that we trained from TensorFlow's first checkpoint."""
        experiment, model_dir = self.prepared(cases.with_strategy(case, kind, replicas), theirs)
        cannery("train", experiment, "--model-dir", model_dir, "--quiet")
        return experiment, model_dir

    def check(self, case, kind, replicas):
        peer = kind if case["name"] in CENTRAL_STORAGE_RUNS else "mirrored"
        theirs = self.tensorflow(case, peer, replicas)
        experiment, ours = self.ours(case, kind, replicas, theirs)
        steps = STEPS.get(case["name"], {}).get(replicas, case["steps"])
        self.assert_same_training(case, steps, ours, theirs)
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

    def test_global_normalization_is_that_of_one_larger_batch(self):
        """TensorFlow's BatchNormalization(synchronized=True) fails in an Estimator's graph, so the peer
        is one device."""
        case = next(c for c in cases.CASES if c["name"] == "dnn_classifier")
        for replicas in REPLICAS:
            with self.subTest(replicas=replicas):
                larger = {**case, "batch_size": replicas * case["batch_size"]}
                theirs = os.path.join(self.folder, "theirs_larger_%d" % replicas)
                cases.train(larger, theirs)
                ours = cases.with_strategy(case, "mirrored", replicas)
                ours["strategy"]["batch_norm_scope"] = "global"
                experiment, model_dir = self.prepared(ours, theirs)
                cannery("train", experiment, "--model-dir", model_dir, "--quiet")
                self.assert_same_checkpoint(model_dir, theirs, 3)
                self.assert_same_evaluation(larger, experiment, model_dir, theirs)

    def test_tensorflow_on_one_device_evaluates_ours_alike(self):
        case = next(c for c in cases.CASES if c["name"] == "wide_and_deep")
        experiment, ours = self.ours(case, "mirrored", 2, self.tensorflow(case, "mirrored", 2))
        self.assert_same_evaluation(case, experiment, ours, ours)


class GuidesExample(unittest.TestCase):
    """The first example of TensorFlow's guide to distributed training with estimators."""

    EXPERIMENT = """
    data { train { csv { files: "%(rows)s" } } eval { csv { files: "%(rows)s" } } label { column: "label" } }
    feature_column { name: "feats" numeric_column { key: "feats" } }
    estimator { linear_regressor { feature_columns: "feats" optimizer { sgd { learning_rate: 0.2 } } } }
    train_spec { max_steps: 10 input { batch_size: 10 num_epochs: 10000 shuffle: false } }
    eval_spec { steps: 10 input { batch_size: 10 num_epochs: 10000 shuffle: false } }
    run_config { save_summary_steps: 1 }
    strategy { mirrored { devices: [%(devices)s] } }
    """

    @staticmethod
    def tensorflow(devices, model_dir):
        strategy = tf.distribute.MirroredStrategy(devices)
        config = tf.estimator.RunConfig(
            model_dir=model_dir, save_summary_steps=1, train_distribute=strategy,
            eval_distribute=strategy,
            session_config=tf.compat.v1.ConfigProto(device_count={"CPU": cases.DEVICES},
                                                    allow_soft_placement=True))
        # Of its optimizer's name LinearRegressor makes SGD with a learning rate of 0.2.
        regressor = tf.estimator.LinearRegressor(
            feature_columns=[tf.feature_column.numeric_column("feats")], optimizer="SGD",
            config=config)

        def input_fn():
            one = tf.data.Dataset.from_tensors(({"feats": [1.]}, [1.]))
            return one.repeat(10000).batch(10)

        regressor.train(input_fn, steps=10)
        return regressor.evaluate(input_fn, steps=10)

    def ours(self, devices, folder):
        rows = os.path.join(folder, "rows.csv")
        with open(rows, "w", encoding="utf-8") as stream:
            stream.write("feats,label\n1.0,1.0\n")
        experiment = os.path.join(folder, "guide.cannery")
        names = ", ".join('"%s"' % device for device in devices)
        with open(experiment, "w", encoding="utf-8") as stream:
            stream.write(self.EXPERIMENT % {"rows": rows, "devices": names})
        model_dir = os.path.join(folder, "ours")
        return json.loads(cannery("train", experiment, "--model-dir", model_dir, "--json"))["metrics"]

    def test_losses_of_the_guide(self):
        for devices in (["CPU:0"], ["CPU:0", "CPU:1"]):
            with self.subTest(devices=devices), tempfile.TemporaryDirectory() as folder:
                evaluated = {"ours": self.ours(devices, folder),
                             "theirs": self.tensorflow(devices, os.path.join(folder, "theirs"))}
                for who, metrics in evaluated.items():
                    losses = cases.scalars(os.path.join(folder, who))["loss"]
                    self.assertEqual(sorted(losses), list(range(1, 11)), who)
                    self.assertEqual(losses[1], 1, who)
                    self.assertEqual(np.float32(losses[10]), np.float32(2.877698e-13), who)
                    self.assertEqual(np.float32(metrics["average_loss"]),
                                     np.float32(1.4210855e-14), who)


if __name__ == "__main__":
    unittest.main()
