# SPDX-License-Identifier: Apache-2.0
"""Keras under MultiWorkerMirroredStrategy, one process of one thread per worker on this host,
beside the same processes without a strategy: a dense net of 100 columns, 1024-512-256. The chief
prints what `cannery_benchmark worker` prints.

    python keras_workers.py BATCH STEPS ROUNDS UNITS,…      # with TF_CONFIG"""
import json
import os
import statistics
import sys
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ["CUDA_VISIBLE_DEVICES"] = ""
import numpy
import tensorflow as tf

COLUMNS = 100


def network(hidden):
    model = tf.keras.Sequential([tf.keras.layers.Dense(units, "relu") for units in hidden] +
                                [tf.keras.layers.Dense(1)])
    model.compile(tf.keras.optimizers.Adagrad(0.05),
                  tf.keras.losses.BinaryCrossentropy(from_logits=True),
                  steps_per_execution=10)
    return model


def batches(batch):
    """One batch in memory, again and again."""
    rows = numpy.random.RandomState(7).rand(batch, COLUMNS).astype("float32")
    labels = (rows[:, :1] > 0.5).astype("float32")
    return tf.data.Dataset.from_tensors((rows, labels)).repeat().prefetch(4)


def seconds_of(model, data, steps):
    begin = time.perf_counter()
    model.fit(data, steps_per_epoch=steps, epochs=1, verbose=0)
    return (time.perf_counter() - begin) / steps


def main():
    batch, steps, rounds = [int(word) for word in sys.argv[1:4]]
    hidden = [int(units) for units in sys.argv[4].split(",")]
    tf.get_logger().setLevel("ERROR")
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    with strategy.scope():
        together = network(hidden)
    # Without a strategy in scope, a model trains in its own process alone.
    alone = network(hidden)
    shared = strategy.distribute_datasets_from_function(lambda _: batches(batch))
    own = batches(batch)
    seconds_of(alone, own, 10)
    seconds_of(together, shared, 10)
    times = {"alone": [], "together": []}
    for _ in range(rounds):
        strategy.run(lambda: tf.distribute.get_replica_context().all_reduce("SUM", tf.ones(())))
        times["alone"].append(seconds_of(alone, own, steps))
        seconds_of(together, shared, 10)  # until the last worker is there
        times["together"].append(seconds_of(together, shared, steps))
    if json.loads(os.environ["TF_CONFIG"])["task"]["type"] == "chief":
        print(json.dumps({
            "alone_ms": statistics.median(times["alone"]) * 1e3,
            "together_ms": statistics.median(times["together"]) * 1e3,
            "speed": statistics.median(a / b for a, b in zip(times["alone"], times["together"])),
            "gradient_bytes": 4 * sum(int(tf.size(v)) for v in together.trainable_variables)}))


main()
