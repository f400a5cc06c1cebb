# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/strategies/ with real TensorFlow: python make_strategy_goldens.py

The cases stand in strategy_cases.py; their folders are as those of tests/golden/training/ (see
tests/golden/README.md), with the losses that TensorFlow's summaries show.
"""
import glob
import json
import os
import shutil
import tempfile

os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"  # as in the other goldens

import numpy as np
import tensorflow as tf

import strategy_cases as cases

TARGET = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden", "strategies")
PREDICTED_ROWS = 50
WRITTEN = ("linear_classifier", "dnn_classifier")
REPLICAS = 2


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


def write_golden(case, folder):
    shutil.rmtree(folder, ignore_errors=True)
    cases.write_case({"tensorflow": tf.__version__, **case}, folder)
    with tempfile.TemporaryDirectory() as model_dir:
        estimator = cases.train(case, model_dir)
        losses = cases.scalars(model_dir)["loss"]
        write_json(folder, "trajectory.json",
                   {"global_step": list(losses), "loss": [plain(np.float32(v)) for v in losses.values()]})
        keep_checkpoint(model_dir, 0, os.path.join(folder, "initial"))
        keep_checkpoint(model_dir, case["steps"], os.path.join(folder, "final"))
        one_device = {k: v for k, v in case.items() if k != "strategy"}
        metrics = cases.evaluate(one_device, model_dir)
        write_json(folder, "eval.json", {k: plain(np.float32(v)) for k, v in sorted(metrics.items())})
        write_json(folder, "predict.json", predictions(estimator, case))


def main():
    for case in cases.CASES:
        if case["name"] in WRITTEN:
            case = cases.with_strategy(case, "mirrored", REPLICAS)
            case["name"] = "mirrored_" + case["name"]
            write_golden(case, os.path.join(TARGET, case["name"]))


if __name__ == "__main__":
    main()
