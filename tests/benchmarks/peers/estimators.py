# SPDX-License-Identifier: Apache-2.0
"""TensorFlow's canned Estimators: DNNClassifier, LinearClassifier and the whole Titanic run. The
rows are in memory; feature columns encode them in every step, as Estimators do. Batches are
gathered whole, which is faster than slicing single rows."""
import os
import shutil
import tempfile
import time

import common

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import numpy as np
import tensorflow as tf

tf.compat.v1.logging.set_verbosity(tf.compat.v1.logging.ERROR)
tf.get_logger().setLevel("ERROR")
NAME = "TensorFlow %s Estimator" % tf.__version__
FC = tf.feature_column
ADAGRAD = tf.keras.optimizers.legacy.Adagrad


def batches(features, labels, batch):
    def gather(rows):
        return {k: tf.gather(v, rows) for k, v in features.items()}, tf.gather(labels, rows)

    def input_fn():
        rows = tf.data.Dataset.range(len(labels)).shuffle(len(labels)).repeat().batch(batch)
        return rows.map(gather).prefetch(2)
    return input_fn


class Timer(tf.estimator.SessionRunHook):
    """Warms up, then takes the best of four stretches and stops."""

    def __init__(self, seconds):
        self.seconds, self.result = seconds, None
        self.since = self.cpu = None
        self.steps = self.stretches = 0

    def after_run(self, run_context, run_values):
        now = time.perf_counter()
        if self.since is None:
            self.since, self.cpu, self.steps = now, time.process_time(), 0
            return
        self.steps += 1
        if now - self.since < self.seconds / 4:
            return
        cpu = time.process_time()
        if self.stretches > 0:
            self.result = common.better(self.result, {"value": self.steps / (now - self.since),
                                                      "cpu": (cpu - self.cpu) / self.steps})
        self.stretches += 1
        self.since, self.cpu, self.steps = now, cpu, 0
        if self.stretches == 5:
            run_context.request_stop()


def race(make, features, labels, arguments):
    results = {}
    for batch in arguments["batches"]:
        folder = tempfile.mkdtemp()
        config = tf.estimator.RunConfig(folder, save_checkpoints_steps=10**7,
                                        save_summary_steps=100)
        timer = Timer(arguments["seconds"])
        make(config).train(batches(features, labels, batch), hooks=[timer])
        results[str(batch)] = timer.result
        shutil.rmtree(folder)
    return results, NAME


def census_features(path):
    numbers, words, countries, labels = common.census(path)
    features = {n: np.ascontiguousarray(numbers[:, i]) for i, n in enumerate(common.NUMBERS)}
    features.update(words, native_country=countries)
    return features, labels[:, None]


def scaled(features):
    result = []
    for name in common.NUMBERS:
        mean, deviation = float(features[name].mean()), float(features[name].std())
        result.append(FC.numeric_column(
            name, normalizer_fn=lambda x, m=mean, d=deviation: (x - m) / d))
    return result


def vocabularies(features):
    return {w: FC.categorical_column_with_vocabulary_list(w, sorted(set(features[w]) - {""}))
            for w in common.WORDS}


def census_dnn(arguments):
    features, labels = census_features(arguments["census"])
    columns = scaled(features)
    columns += [FC.indicator_column(c) for c in vocabularies(features).values()]
    columns.append(FC.embedding_column(
        FC.categorical_column_with_hash_bucket("native_country", 100), 8))
    return race(lambda config: tf.estimator.DNNClassifier(
        [100, 50], columns, optimizer=ADAGRAD(0.05), config=config), features, labels, arguments)


def census_linear(arguments):
    features, labels = census_features(arguments["census"])
    words = vocabularies(features)
    ages = FC.bucketized_column(FC.numeric_column("age"), arguments["age_boundaries"])
    columns = scaled(features) + list(words.values()) + [
        FC.categorical_column_with_hash_bucket("native_country", 100), ages,
        FC.crossed_column(["education", "occupation"], 1000),
        FC.crossed_column(["native_country", "occupation"], 5000),
        FC.crossed_column([ages, "education", "occupation"], 10000)]
    return race(lambda config: tf.estimator.LinearClassifier(
        columns, optimizer=tf.keras.optimizers.legacy.Ftrl(0.1), config=config),
        features, labels, arguments)


def wide_dnn(arguments):
    counts, ids, labels = common.criteo(arguments["criteo_ids"])
    features = {"counts": counts}
    features.update({"c%d" % c: np.ascontiguousarray(ids[:, c])
                     for c in range(common.CATEGORIES)})
    columns = [FC.numeric_column("counts", shape=(common.COUNTS,))] + [
        FC.embedding_column(FC.categorical_column_with_identity("c%d" % c, common.ID_BUCKETS), 16)
        for c in range(common.CATEGORIES)]
    return race(lambda config: tf.estimator.DNNClassifier(
        [1024, 512, 256], columns, optimizer=ADAGRAD(0.05), config=config),
        features, labels[:, None], arguments)


def titanic(arguments):
    """Reads, trains 200 steps and evaluates; the harness times the whole process."""
    import csv

    def load(path):
        with open(path, encoding="utf-8", newline="") as stream:
            rows = list(csv.DictReader(stream))
        texts = ["sex", "class", "deck", "embark_town", "alone"]
        features = {t: np.array([r[t] for r in rows]) for t in texts}
        for number in ["age", "fare", "n_siblings_spouses", "parch"]:
            features[number] = np.array([float(r[number]) for r in rows], np.float32)
        return features, np.array([float(r["survived"]) for r in rows], np.float32)[:, None]

    features, labels = load(arguments["titanic_train"])
    words = {t: FC.categorical_column_with_vocabulary_list(t, sorted(set(features[t])))
             for t in ["sex", "class", "deck", "embark_town", "alone"]}
    ages = FC.bucketized_column(FC.numeric_column("age"), [6, 16, 25, 35, 50, 65])
    linear = list(words.values()) + [ages, FC.crossed_column(["sex", "class"], 50),
                                     FC.crossed_column(["sex", ages], 100)]
    mean, deviation = float(features["age"].mean()), float(features["age"].std())
    deep = [FC.numeric_column("age", normalizer_fn=lambda x: (x - mean) / deviation),
            FC.numeric_column("fare", normalizer_fn=lambda x: tf.math.log(x + 1)),
            FC.numeric_column("n_siblings_spouses"), FC.numeric_column("parch"),
            FC.indicator_column(words["sex"]), FC.indicator_column(words["class"]),
            FC.embedding_column(words["deck"], 4), FC.embedding_column(words["embark_town"], 2)]
    folder = tempfile.mkdtemp()
    estimator = tf.estimator.DNNLinearCombinedClassifier(
        linear_feature_columns=linear, dnn_feature_columns=deep, dnn_hidden_units=[64, 32],
        linear_optimizer=tf.keras.optimizers.legacy.Ftrl(0.1, l2_regularization_strength=0.01),
        dnn_optimizer=ADAGRAD(0.05), config=tf.estimator.RunConfig(folder, save_summary_steps=50))
    estimator.train(batches(features, labels, 32), steps=200)
    rows, truth = load(arguments["titanic_eval"])
    estimator.evaluate(
        lambda: tf.data.Dataset.from_tensor_slices((rows, truth)).batch(256))
    shutil.rmtree(folder)
    return {}, NAME + " (no export)"


if __name__ == "__main__":
    common.start({f.__name__: f for f in [census_dnn, census_linear, wide_dnn, titanic]})
