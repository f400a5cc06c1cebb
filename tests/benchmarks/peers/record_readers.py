# SPDX-License-Identifier: Apache-2.0
"""tf.data reads a TFRecord file into typed columns, batches parsed as a whole: the best of three."""
import os
import time

import common

THREADS = common.threads({})
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import tensorflow as tf

tf.config.threading.set_intra_op_parallelism_threads(THREADS)
tf.config.threading.set_inter_op_parallelism_threads(THREADS)
TYPES = {"bytes_list": tf.string, "float_list": tf.float32, "int64_list": tf.int64}
BATCHES = [512, 4096]


def columns(path):
    """A default for each feature: some are missing in some records, as in our reading."""
    found = {}
    for record in tf.data.TFRecordDataset(path).take(1000):
        for name, feature in tf.train.Example.FromString(
                record.numpy()).features.feature.items():
            kind = feature.WhichOneof("kind")
            found[name] = tf.io.FixedLenFeature([], TYPES[kind], "" if kind == "bytes_list" else 0)
    return found


def read(path, features, batch):
    rows = 0
    dataset = tf.data.TFRecordDataset(path, buffer_size=1 << 20).batch(batch).map(
        lambda records: tf.io.parse_example(records, features),
        num_parallel_calls=tf.data.AUTOTUNE).prefetch(tf.data.AUTOTUNE)
    first = next(iter(features))
    for parsed in dataset:
        rows += parsed[first].shape[0]
    return rows


def tf_data(arguments):
    results = {}
    for key, table in [("28", "higgs_records"), ("39", "criteo_records")]:
        features = columns(arguments[table])
        for batch in BATCHES:
            for _ in range(3):
                begin, cpu = time.perf_counter(), time.process_time()
                rows = read(arguments[table], features, batch)
                spent = time.perf_counter() - begin
                results[key] = common.better(results.get(key), {
                    "value": rows / spent, "cpu": (time.process_time() - cpu) / rows})
    return results, "tf.data of TensorFlow " + tf.__version__


if __name__ == "__main__":
    common.start({f.__name__: f for f in [tf_data]})
