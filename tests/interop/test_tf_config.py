# SPDX-License-Identifier: Apache-2.0
"""The table that core/cluster reads TF_CONFIG by says what TensorFlow's RunConfig does."""

import json
import os
import unittest
from unittest import mock

import tensorflow as tf
from tensorflow.python.distribute import multi_worker_util

TABLE = os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "../core/cluster/tf_config_cases.json"
)


def tensorflow_reads(tf_config):
    """What RunConfig makes of it, in the words of the table; None if it fails."""
    with mock.patch.dict(os.environ, {"TF_CONFIG": json.dumps(tf_config)}):
        try:
            config = tf.estimator.RunConfig()
        except (AttributeError, TypeError, ValueError):
            return None
    task = "chief" if config.task_type == "master" else config.task_type
    rank = config.global_id_in_cluster
    return {
        "task": f"{task} {config.task_id}",
        "rank": -1 if rank is None else rank,
        "leads": config.is_chief,
        "workers": config.num_worker_replicas,
        "ps": config.num_ps_replicas,
        "model_dir": config.model_dir or "",
    }


def strategies_read(tf_config):
    """What tf.distribute, which a strategy asks, makes of a worker."""
    cluster, task = tf_config["cluster"], tf_config["task"]
    where = (cluster, task["type"], task["index"])
    return {
        "rank": multi_worker_util.id_in_cluster(*where),
        "leads": multi_worker_util.is_chief(*where),
        "workers": multi_worker_util.worker_count(cluster, task["type"]),
    }


def cases():
    """The cases of the table, with their clusters written out."""
    with open(TABLE, encoding="utf-8") as file:
        table = json.load(file)
    for case in table["cases"]:
        tf_config = case["tf_config"]
        if isinstance(tf_config, dict) and isinstance(tf_config.get("cluster"), str):
            tf_config = {**tf_config, "cluster": table["clusters"][tf_config["cluster"]]}
        yield {**case, "tf_config": tf_config}


class TfConfigTest(unittest.TestCase):
    def test_every_case(self):
        self.assertGreater(len(list(cases())), 110)
        for case in cases():
            theirs = tensorflow_reads(case["tf_config"])
            ours = None
            if "error" not in case:
                keys = ("task", "rank", "leads", "workers", "ps", "model_dir")
                ours = {key: case.get(key, "") for key in keys}
            with self.subTest(case["rule"]):
                # Where we decide otherwise, the table says so, and why.
                (self.assertNotEqual if "tensorflow" in case else self.assertEqual)(theirs, ours)

    def test_worker_zero_leads_under_a_strategy(self):
        """Clusters without a chief, which RunConfig accepts with a strategy only."""
        tried = 0
        for case in cases():
            # Neither evaluators nor parameter servers have a replica; of dynamic workers TensorFlow
            # counts the addresses, whatever their indices.
            if (case.get("tensorflow") == "with a strategy only" and not case.get("sparse")
                    and case["task"].startswith("worker")):
                ours = {key: case[key] for key in ("rank", "leads", "workers")}
                with self.subTest(case["rule"]):
                    self.assertEqual(strategies_read(case["tf_config"]), ours)
                tried += 1
        self.assertGreaterEqual(tried, 3)


if __name__ == "__main__":
    unittest.main()
