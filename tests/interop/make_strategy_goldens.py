# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/strategies/ with real TensorFlow: python make_strategy_goldens.py [NAME...]

The cases stand in strategy_cases.py; their folders are as those of tests/golden/training/ (see
tests/golden/README.md), with the losses that TensorFlow's summaries show.
"""
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile

os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"  # as in the other goldens

import numpy as np
import tensorflow as tf

import strategy_cases as cases
import strategy_cluster

cases.make_devices()

TARGET = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden", "strategies")
PREDICTED_ROWS = 50
# Case, strategy, and its replicas or the jobs of its cluster.
WRITTEN = (("linear_classifier", "mirrored", 2),
           ("dnn_classifier", "mirrored", 2),
           ("dnn_regressor_adam", "multi_worker_mirrored", {"worker": 2}),
           ("wide_and_deep", "parameter_server", {"chief": 1, "ps": 1}))


def plain(value):
    """JSON of a float32 in its shortest form that reads back to the same float32."""
    if isinstance(value, (bytes, np.bytes_)):
        return value.decode()
    if isinstance(value, np.ndarray):
        return [plain(item) for item in value]
    if isinstance(value, np.floating):
        return float(str(value))
    return int(value) if isinstance(value, np.integer) else value


def write_json(folder, name, value):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as stream:
        json.dump(value, stream)
        stream.write("\n")


def keep_checkpoint(model_dir, step, target):
    os.makedirs(target)
    for path in glob.glob(os.path.join(model_dir, "model.ckpt-%d.*" % step)):
        if not path.endswith(".meta"):
            shutil.copy(path, target)
    with open(os.path.join(target, "checkpoint"), "w", encoding="utf-8") as stream:
        stream.write('model_checkpoint_path: "model.ckpt-%d"\n'
                     'all_model_checkpoint_paths: "model.ckpt-%d"\n' % (step, step))


def predictions(estimator, case):
    """The first rows of eval.csv: {key: one value per row}."""
    together = {}
    for row in estimator.predict(cases.input_fn(case, "eval")):
        for key, value in row.items():
            together.setdefault(key, []).append(plain(value))
    return {key: values[:PREDICTED_ROWS] for key, values in together.items()}


def train(case, size, model_dir):
    """By this process or by a cluster; then with a TensorFlow estimator of the model_dir."""
    if isinstance(size, int):
        return cases.train(case, model_dir)
    kind = next(iter(case["strategy"]))
    subprocess.run([sys.executable, strategy_cluster.__file__, json.dumps(size), kind, model_dir,
                    case["name"]], check=True)
    trained = os.path.join(model_dir, case["name"])
    for name in os.listdir(trained):
        shutil.move(os.path.join(trained, name), model_dir)
    return cases.tensorflow_estimator(cases.without_strategy(case), model_dir)


def write_golden(case, size, folder):
    shutil.rmtree(folder, ignore_errors=True)
    with tempfile.TemporaryDirectory() as model_dir:
        estimator = train(case, size, model_dir)
        cases.write_case({"tensorflow": tf.__version__, **case, "name": os.path.basename(folder)},
                         folder)
        losses = cases.scalars(model_dir)["loss"]
        write_json(folder, "trajectory.json",
                   {"global_step": list(losses), "loss": [plain(np.float32(v)) for v in losses.values()]})
        keep_checkpoint(model_dir, 0, os.path.join(folder, "initial"))
        keep_checkpoint(model_dir, case["steps"], os.path.join(folder, "final"))
        metrics = cases.evaluate(cases.without_strategy(case), model_dir)
        write_json(folder, "eval.json", {k: plain(np.float32(v)) for k, v in sorted(metrics.items())})
        write_json(folder, "predict.json", predictions(estimator, case))


def main():
    for name, kind, size in WRITTEN:
        golden = kind + "_" + name
        if len(sys.argv) > 1 and golden not in sys.argv[1:]:
            continue
        case = next(c for c in cases.CASES if c["name"] == name)
        case = cases.with_strategy(case, kind, size)
        if kind == "multi_worker_mirrored":  # one process of ours does what TensorFlow's workers do
            case["strategy"]["virtual_shards"] = size["worker"]
        write_golden(case, size, os.path.join(TARGET, golden))


if __name__ == "__main__":
    main()
