# SPDX-License-Identifier: Apache-2.0
"""Training cases under distribution strategies, run by real TensorFlow: over virtual CPU devices of one
process, or (strategy_cluster.py) by the tasks of a cluster.

A case is a case.json as tests/golden/README.md describes it, without the strategy; `with_strategy`
adds that.
"""
import csv
import functools
import glob
import json
import math
import os

import numpy as np
import tensorflow as tf

DEVICES = 4
ROWS = {"train": 96, "eval": 62}
COLUMNS = [("x", "float32", 0.0), ("z", "float32", 0.0), ("city", "string", ""),
           ("kind", "string", ""), ("bought", "int64", 0), ("price", "float32", 0.0)]
DATA = {
    "format": "csv",
    "columns": [{"name": n, "dtype": d, "default": v} for n, d, v in COLUMNS],
    "features": [{"name": n} for n in ("x", "z", "city", "kind")],
}
X, Z = ({"type": "numeric_column", "key": key} for key in "xz")
CITY = {"type": "categorical_column_with_hash_bucket", "key": "city", "hash_bucket_size": 7}
CROSS = {"type": "crossed_column", "keys": ["city", "kind"], "hash_bucket_size": 11}
EMBEDDING = {"type": "embedding_column", "categorical_column": CITY, "dimension": 3}


def regression(name, estimator="LinearRegressor", **arguments):
    return {"name": name, "estimator": estimator, "arguments": arguments,
            "data": {**DATA, "label": {"column": "price"}}}


def classification(name, estimator, **arguments):
    return {"name": name, "estimator": estimator, "arguments": arguments,
            "data": {**DATA, "label": {"column": "bought"}}}


SGD = {"class": "SGD", "learning_rate": 0.05}
CASES = [
    regression("linear_regressor", feature_columns=[X, Z], optimizer=SGD),
    regression("linear_regressor_loss_sum", feature_columns=[X, CITY], loss_reduction="SUM",
               optimizer={"class": "SGD", "learning_rate": 0.005}),
    # The last batch has 2 of 8 rows and completes a step.
    {**regression("short_last_batch", feature_columns=[X, Z], optimizer=SGD), "num_epochs": 1,
     "train_rows": 58},
    # 7 batches: a step for which there are not enough batches is not made.
    {**regression("incomplete_last_step", feature_columns=[X, Z], optimizer=SGD), "num_epochs": 1,
     "train_rows": 52},
    classification("linear_classifier", "LinearClassifier", feature_columns=[X, CITY, CROSS],
                   optimizer={"class": "Ftrl", "learning_rate": 0.2,
                              "l1_regularization_strength": 0.01}),
    classification("dnn_classifier", "DNNClassifier", feature_columns=[X, Z, EMBEDDING],
                   hidden_units=[6, 4], batch_norm=True,
                   optimizer={"class": "Adagrad", "learning_rate": 0.1}),
    regression("dnn_regressor_adam", "DNNRegressor", feature_columns=[X, Z, EMBEDDING],
               hidden_units=[5], optimizer={"class": "Adam", "learning_rate": 0.02}),
    classification("wide_and_deep", "DNNLinearCombinedClassifier",
                   linear_feature_columns=[CITY, CROSS], linear_optimizer="Ftrl",
                   dnn_feature_columns=[X, Z, EMBEDDING], dnn_hidden_units=[6, 4],
                   dnn_optimizer="Adagrad"),
] + [
    # Only dense gradients: TensorFlow clips sparse ones before it adds up the rows of its replicas.
    regression("linear_regressor_" + clipping, feature_columns=[X, Z],
               optimizer={"class": "SGD", "learning_rate": 0.5, clipping: at})
    for clipping, at in (("clipvalue", 0.3), ("clipnorm", 0.3), ("global_clipnorm", 0.4))
]
for one in CASES:
    one.setdefault("steps", 10)
    one.update(batch_size=8, eval_batch_size=8, seed=7)


def with_strategy(case, kind, replicas):
    """The case under `mirrored` or `central_storage` over the first CPU devices, or under a strategy
    that TF_CONFIG tells how many replicas it has."""
    field = {"mirrored": "devices", "central_storage": "compute_devices"}.get(kind)
    devices = {field: ["CPU:%d" % i for i in range(replicas)]} if field else {}
    return {**case, "strategy": {kind: devices}}


def without_strategy(case):
    return {key: value for key, value in case.items() if key != "strategy"}


def make_rows(part, count):
    """The same rows on every machine: no random generator, and few digits."""
    cities, kinds = ("Oslo", "Bergen", "Roma", "Lyon", "Porto"), ("book", "game", "song")
    for i in range(count):
        k = i + (1000 if part == "eval" else 0)
        x, z = round(math.sin(1.7 * k), 3), round(math.cos(0.9 * k * k), 3)
        city, kind = cities[k * k % 5], kinds[(k // 2 + k % 5) % 3]
        price = round(1.5 * x - 0.5 * z + (city == "Roma") + 0.2 * math.sin(11 * k), 3)
        yield {"x": x, "z": z, "city": city, "kind": kind, "bought": int(price > 0.2), "price": price}


def write_case(case, folder):
    """case.json, train.csv and eval.csv."""
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "case.json"), "w", encoding="utf-8") as stream:
        json.dump(case, stream, indent=2)
        stream.write("\n")
    for part in ("train", "eval"):
        with open(os.path.join(folder, part + ".csv"), "w", encoding="utf-8", newline="") as stream:
            writer = csv.DictWriter(stream, [c for c, _, _ in COLUMNS], lineterminator="\n")
            writer.writeheader()
            writer.writerows(make_rows(part, case.get(part + "_rows", ROWS[part])))


# --- TensorFlow -----------------------------------------------------------------------------------


def make_devices():
    """Virtual ones; TensorFlow cannot make any once it has looked for its devices."""
    tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0],
                                               [tf.config.LogicalDeviceConfiguration()] * DEVICES)


def made_column(spec):
    arguments = {k: v for k, v in spec.items() if k != "type"}
    if "categorical_column" in arguments:
        arguments["categorical_column"] = made_column(arguments["categorical_column"])
    return getattr(tf.feature_column, spec["type"])(**arguments)


def made_optimizer(spec):
    """A name or a callable: replicas cannot share an instance."""
    if isinstance(spec, str):
        return spec
    arguments = {k: v for k, v in spec.items() if k != "class"}
    return functools.partial(getattr(tf.keras.optimizers.legacy, spec["class"]), **arguments)


def made_strategy(spec):
    if "mirrored" in spec:
        # The default all-reduce gathers sparse gradients only where every replica has as many rows.
        return tf.distribute.MirroredStrategy(
            spec["mirrored"]["devices"],
            cross_device_ops=tf.distribute.ReductionToOneDevice())
    if "multi_worker_mirrored" in spec:
        return tf.distribute.MultiWorkerMirroredStrategy()
    if "parameter_server" in spec:
        return tf.compat.v1.distribute.experimental.ParameterServerStrategy()
    return tf.distribute.experimental.CentralStorageStrategy(
        compute_devices=["/cpu:" + d.split(":")[1]
                         for d in spec["central_storage"]["compute_devices"]],
        parameter_device="/cpu:0")


def tensorflow_estimator(case, model_dir):
    """Without a `strategy`, on one device."""
    arguments = dict(case["arguments"])
    for key, value in arguments.items():
        if key.endswith("feature_columns"):
            arguments[key] = [made_column(c) for c in value]
        elif key.endswith("optimizer"):
            arguments[key] = made_optimizer(value)
        elif key == "loss_reduction":
            arguments[key] = getattr(tf.losses.Reduction, value)
    strategy = made_strategy(case["strategy"]) if "strategy" in case else None
    config = tf.estimator.RunConfig(
        model_dir=model_dir, tf_random_seed=case["seed"], save_checkpoints_steps=case["steps"],
        save_summary_steps=1, keep_checkpoint_max=0, train_distribute=strategy,
        eval_distribute=strategy,
        # Without the device count TensorFlow waits for ever for the devices of the other replicas.
        session_config=tf.compat.v1.ConfigProto(device_count={"CPU": DEVICES},
                                                allow_soft_placement=True))
    return getattr(tf.estimator, case["estimator"])(config=config, **arguments)


def input_fn(case, part):
    """Batches in file order: without end, or for the case's epochs, which may end in a short one. The
    tasks of a cluster are dealt batches in turn, as TensorFlow's guide does it."""
    rows = list(make_rows(part, case.get(part + "_rows", ROWS[part])))
    types = {"float32": np.float32, "int64": np.int64, "string": np.str_}
    table = {n: np.array([r[n] for r in rows], types[d]) for n, d, _ in COLUMNS}
    label = table[case["data"]["label"]["column"]].reshape(-1, 1)
    features = {f["name"]: table[f["name"]] for f in case["data"]["features"]}

    def make(input_context=None):
        dataset = tf.data.Dataset.from_tensor_slices((features, label))
        if part == "eval":
            return dataset.batch(case["eval_batch_size"])
        dataset = dataset.repeat(case.get("num_epochs")).batch(case["batch_size"])
        if input_context is None:
            return dataset
        return dataset.shard(input_context.num_input_pipelines, input_context.input_pipeline_id)

    return make


def train(case, model_dir):
    estimator = tensorflow_estimator(case, model_dir)
    estimator.train(input_fn(case, "train"), max_steps=case["steps"])
    return estimator


def train_in_cluster(case, model_dir):
    """As the task that TF_CONFIG says; a parameter server does not return."""
    tf.estimator.train_and_evaluate(
        tensorflow_estimator(case, model_dir),
        tf.estimator.TrainSpec(input_fn(case, "train"), max_steps=case["steps"]),
        tf.estimator.EvalSpec(input_fn(case, "eval")))


def evaluate(case, model_dir):
    metrics = tensorflow_estimator(case, model_dir).evaluate(input_fn(case, "eval"))
    return {key: float(value) for key, value in metrics.items()}


# --- what both wrote ------------------------------------------------------------------------------


def scalars(folder):
    """The scalar summaries of all event files of a folder: {tag: {step: value}}."""
    found = {}
    for path in sorted(glob.glob(os.path.join(folder, "events.out.tfevents.*"))):
        for event in tf.compat.v1.train.summary_iterator(path):
            for value in event.summary.value:
                if value.HasField("simple_value"):
                    found.setdefault(value.tag, {})[event.step] = value.simple_value
    return found


def last_checkpoint(folder):
    """{name: array}, without the copies that TensorFlow's other replicas have of optimizer slots."""
    reader = tf.train.load_checkpoint(tf.train.latest_checkpoint(folder))
    return {name: reader.get_tensor(name) for name in sorted(reader.get_variable_to_shape_map())
            if "/replica_" not in name}
