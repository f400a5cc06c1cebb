# SPDX-License-Identifier: Apache-2.0
"""The same cases trained by clusters of TensorFlow and by ours, from one checkpoint 0."""
import itertools
import json
import os
import subprocess
import sys
import unittest

import strategy_cases as cases
import strategy_cluster
from strategy_comparison import Comparison
from support import CANNERY

WORKERS = {"worker": 2}  # worker 0 leads
CHIEF_AND_WORKER = {"chief": 1, "worker": 1}
CHIEF_AND_PS = {"chief": 1, "ps": 1}
# Not all of CASES can be trained by TensorFlow's Estimator under MultiWorkerMirroredStrategy: its gather
# of sparse gradients fails once a batch has another number of different categories than the first one
# ("Shape mismatch in the collective instance"; crossed columns), and where rows end before all workers
# have a batch, those that have one wait for ever (incomplete_last_step).
MULTI_WORKER_RUNS = (
    (WORKERS, ("linear_regressor_loss_sum", "short_last_batch", "dnn_classifier",
               "dnn_regressor_adam")),
    (CHIEF_AND_WORKER, ("linear_regressor", "linear_regressor_global_clipnorm")),
)
# A chief alone with its parameter server trains as one process does; ours also without the server.
PARAMETER_SERVER_RUNS = ("linear_regressor", "linear_classifier", "dnn_regressor_adam",
                         "wide_and_deep")
OURS_FOR_PS = (CHIEF_AND_PS, {"chief": 1})
STEPS = {"short_last_batch": 4}


def start(tf_config, experiment, model_dir):
    return subprocess.Popen([CANNERY, "train", experiment, "--model-dir", model_dir, "--quiet",
                             "--threads", "1"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            env={**os.environ, "TF_CONFIG": tf_config}, text=True)


def train(jobs, experiment, model_dir):
    """A cluster of ours, with as many tasks of each job as said."""
    tasks = {task: start(tf_config, experiment, model_dir)
             for task, tf_config in strategy_cluster.tf_configs(jobs).items()}
    for task, process in tasks.items():
        output, _ = process.communicate(timeout=strategy_cluster.LONGEST)
        if process.returncode != 0:
            raise AssertionError("%s: exit %d\n%s" % (task, process.returncode, output))


class Clusters(Comparison):
    def trained_by_tensorflow(self, jobs, kind, names):
        """The folder of their model_dirs."""
        folder = os.path.join(self.folder, "%s_%s" % (kind, "_".join(jobs)))
        done = subprocess.run([sys.executable, "-B", "-W", "ignore", strategy_cluster.__file__,
                               json.dumps(jobs), kind, folder, *names], check=False,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return folder

    def check(self, kind, jobs, names, our_clusters):
        folder = self.trained_by_tensorflow(jobs, kind, names)
        for case, our_jobs in itertools.product(
                (c for c in cases.CASES if c["name"] in names), our_clusters):
            with self.subTest(case=case["name"], jobs=our_jobs):
                theirs = os.path.join(folder, case["name"])
                experiment, ours = self.prepared(cases.with_strategy(case, kind, None), theirs)
                train(our_jobs, experiment, ours)
                self.assert_same_training(case, STEPS.get(case["name"], case["steps"]), ours,
                                          theirs)
                self.assert_same_evaluation(case, experiment, ours, theirs)

    def test_multi_worker_mirrored(self):
        for jobs, names in MULTI_WORKER_RUNS:
            self.check("multi_worker_mirrored", jobs, names, (jobs,))

    def test_parameter_server(self):
        self.check("parameter_server", CHIEF_AND_PS, PARAMETER_SERVER_RUNS, OURS_FOR_PS)


if __name__ == "__main__":
    unittest.main()
