# SPDX-License-Identifier: Apache-2.0
"""Writes further_optimizers.json in tests/golden/tables and its second/ with real TensorFlow.

As optimizers.json of the folder, whose initial values and gradients it uses: AdamW of Keras, the
proximal optimizers of compat.v1 without one or both of their strengths, and moving averages, which
stand among the slots.
"""
import json
import os

os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"  # as in the other goldens

import numpy as np
import tensorflow as tf

TABLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden", "tables")
AVERAGE = "ExponentialMovingAverage"
CASES = (
    ("keras", "AdamW", {"learning_rate": 0.05}, None),
    ("keras", "AdamW", {"learning_rate": 0.05, "weight_decay": 0.3, "beta_1": 0.8, "beta_2": 0.95,
                        "epsilon": 1e-3}, None),
    ("keras", "AdamW", {"learning_rate": 0.05, "weight_decay": 0.0, "clipnorm": 0.3}, None),
    ("v1", "ProximalGradientDescentOptimizer", {"learning_rate": 0.1}, None),
    ("v1", "ProximalGradientDescentOptimizer",
     {"learning_rate": 0.3, "l1_regularization_strength": 0.7}, None),
    ("v1", "ProximalGradientDescentOptimizer",
     {"learning_rate": 0.3, "l2_regularization_strength": 0.7}, None),
    ("v1", "ProximalAdagradOptimizer", {"learning_rate": 0.1}, None),
    ("v1", "ProximalAdagradOptimizer",
     {"learning_rate": 0.5, "initial_accumulator_value": 0.3,
      "l1_regularization_strength": 0.6}, None),
    ("v1", "ProximalAdagradOptimizer",
     {"learning_rate": 0.5, "l2_regularization_strength": 0.6}, None),
    ("keras_legacy", "SGD", {"learning_rate": 0.1}, 0.9),
    ("keras_legacy", "RMSprop", {"learning_rate": 0.05, "centered": True}, 0.5),
    ("keras_legacy", "Adam", {"learning_rate": 0.05, "amsgrad": True}, 0.99),
    ("v1", "ProximalAdagradOptimizer",
     {"learning_rate": 0.1, "l1_regularization_strength": 0.1}, 0.7),
)


def make(api, name, arguments):
    module = {"keras": tf.keras.optimizers, "keras_legacy": tf.keras.optimizers.legacy,
              "v1": tf.compat.v1.train}[api]
    return getattr(module, name)(**arguments)


def slots_of(api, optimizer, variable):
    if api == "keras":  # "Adam/m/w", "Adam/v/w"
        return {v.name.split("/")[-2]: v.numpy() for v in optimizer.variables if v.shape.rank == 2}
    return {n: optimizer.get_slot(variable, n).numpy() for n in optimizer.get_slot_names()}


def trace(api, name, arguments, decay, initial, gradients):
    variable = tf.Variable(initial, name="w")
    optimizer = make(api, name, arguments)
    averages = tf.train.ExponentialMovingAverage(decay) if decay else None
    if averages:
        averages.apply([variable])  # creates them: at the weights
    steps = []
    for gradient in gradients:
        if isinstance(gradient, dict):
            gradient = tf.IndexedSlices(tf.constant(gradient["values"], tf.float32),
                                        tf.constant(gradient["indices"]),
                                        tf.constant(initial.shape))
        else:
            gradient = tf.constant(gradient, tf.float32)
        optimizer.apply_gradients([(gradient, variable)])
        slots = slots_of(api, optimizer, variable)
        if averages:
            averages.apply([variable])
            slots[AVERAGE] = averages.average(variable).numpy()
        steps.append({"value": plain(variable.numpy()),
                      "slots": {n: plain(v) for n, v in sorted(slots.items())}})
    return steps


def plain(values):
    """Float32 in their shortest form that reads back to the same float32."""
    return [[float(str(v)) for v in row] for row in values]


def write_table(folder):
    with open(os.path.join(folder, "optimizers.json"), encoding="utf-8") as stream:
        source = json.load(stream)
    initial = np.array(source["initial"], np.float32)
    table = {"tensorflow": tf.__version__}
    for key in ("initial", "dense_gradients", "sparse_gradients"):
        table[key] = source[key]
    table["cases"] = []
    for api, name, arguments, decay in CASES:
        for kind in ("dense", "sparse"):
            case = {"api": api, "class": name, "arguments": arguments, "gradient": kind}
            if decay:
                case["moving_average_decay"] = decay
            case["steps"] = trace(api, name, arguments, decay, initial, source[kind + "_gradients"])
            table["cases"].append(case)
    with open(os.path.join(folder, "further_optimizers.json"), "w", encoding="utf-8") as stream:
        json.dump(table, stream, indent=None, separators=(",", ":"))
        stream.write("\n")


for name in ("", "second"):
    write_table(os.path.join(TABLES, name))
