"""Keras of TensorFlow 2.15 with XLA (jit_compile) and 50 steps a call; features are encoded once,
before training."""
import os

import common

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import tensorflow as tf

NAME = "Keras of TensorFlow %s, XLA" % tf.__version__
STEPS = 50


def race(make, inputs, labels, arguments):
    results = {}
    tensors, truth = [tf.constant(i) for i in inputs], tf.constant(labels[:, None])
    for batch in arguments["batches"]:
        model = make()
        model.compile(tf.keras.optimizers.Adagrad(0.05),
                      tf.keras.losses.BinaryCrossentropy(from_logits=True),
                      jit_compile=True, steps_per_execution=STEPS)
        rows = tf.data.Dataset.range(len(labels)).shuffle(len(labels)).repeat().batch(
            batch, drop_remainder=True)
        data = rows.map(lambda r: (tuple(tf.gather(t, r) for t in tensors),
                                   tf.gather(truth, r))).prefetch(4)
        iterator = iter(data)

        def steps(count):
            model.fit(iterator, steps_per_epoch=count * STEPS, epochs=1, verbose=0)

        results[str(batch)] = common.timed(steps, arguments["seconds"], STEPS)
    return results, NAME


def network(dense, hidden):
    for units in hidden:
        dense = tf.keras.layers.Dense(units, "relu")(dense)
    return tf.keras.layers.Dense(1)(dense)


def census_dnn(arguments):
    floats, countries, labels = common.census_encoded(arguments["census"])

    def make():
        left = tf.keras.Input((floats.shape[1],))
        right = tf.keras.Input((), dtype=tf.int64)
        country = tf.keras.layers.Embedding(100, 8)(right)
        return tf.keras.Model(
            [left, right], network(tf.keras.layers.Concatenate()([left, country]), [100, 50]))
    return race(make, [floats, countries], labels, arguments)


def wide_dnn(arguments):
    counts, ids, labels = common.criteo(arguments["criteo_ids"])
    ids = ids + [c * common.ID_BUCKETS for c in range(common.CATEGORIES)]

    def make():
        left = tf.keras.Input((common.COUNTS,))
        right = tf.keras.Input((common.CATEGORIES,), dtype=tf.int64)
        table = tf.keras.layers.Embedding(common.CATEGORIES * common.ID_BUCKETS, 16)(right)
        dense = tf.keras.layers.Concatenate()([left, tf.keras.layers.Flatten()(table)])
        return tf.keras.Model([left, right], network(dense, [1024, 512, 256]))
    return race(make, [counts, ids], labels, arguments)


if __name__ == "__main__":
    common.start({"census_dnn": census_dnn, "wide_dnn": wide_dnn})
