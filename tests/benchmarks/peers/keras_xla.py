# SPDX-License-Identifier: Apache-2.0
"""Keras of TensorFlow 2.15 with 50 steps a call; features are encoded once, before training. Each way
of feeding it is tried, with XLA (jit_compile) and without, and the fastest counts."""
import os

import common

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import tensorflow as tf

NAME = "Keras of TensorFlow %s" % tf.__version__
STEPS = 50


def gathered(arrays, batch):
    """Rows shuffled anew in every epoch and gathered in every step."""
    tensors = [tf.constant(a) for a in arrays]
    rows = tf.data.Dataset.range(len(arrays[0])).shuffle(len(arrays[0])).repeat().batch(
        batch, drop_remainder=True)
    return rows.map(lambda r: tuple(tf.gather(t, r) for t in tensors)).prefetch(4)


def timed_on_arrays(model, inputs, labels, batch, seconds):
    """Keras cuts the arrays into batches itself, and shuffles them in every epoch."""
    count = len(labels) // batch * batch
    rows = [a[:count] for a in inputs]

    def epochs(number):
        model.fit(rows, labels[:count, None], batch_size=batch, epochs=number, verbose=0)

    return common.timed(epochs, seconds, count // batch)


def timed_on_gathered(model, inputs, labels, batch, seconds):
    data = gathered([*inputs, labels[:, None]], batch)
    iterator = iter(data.map(lambda *parts: (parts[:-1], parts[-1])))

    def steps(count):
        model.fit(iterator, steps_per_epoch=count * STEPS, epochs=1, verbose=0)

    return common.timed(steps, seconds, STEPS)


def race(make, inputs, labels, arguments, compilers=(True, False)):
    results = {}
    ways = [(way, xla) for way in (timed_on_arrays, timed_on_gathered) for xla in compilers]
    for batch in arguments["batches"]:
        best = None
        for way, xla in ways:
            model = make()
            model.compile(tf.keras.optimizers.Adagrad(0.05),
                          tf.keras.losses.BinaryCrossentropy(from_logits=True),
                          jit_compile=xla, steps_per_execution=STEPS)
            # A call of fit() costs some 50 ms, which a short stretch would count as steps.
            found = way(model, inputs, labels, batch, 4 * arguments["seconds"])
            found["way"] = way.__name__ + (", XLA" if xla else "")
            best = common.better(best, found)
        results[str(batch)] = best
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
    # XLA compiles this net for minutes and was no faster.
    return race(make, [counts, ids], labels, arguments, compilers=(False,))


if __name__ == "__main__":
    common.start({"census_dnn": census_dnn, "wide_dnn": wide_dnn})
