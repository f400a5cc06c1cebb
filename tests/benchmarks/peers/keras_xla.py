"""Keras of TensorFlow 2.15 with 50 steps a call; features are encoded once, before training. Each way
of feeding it is tried, with XLA (jit_compile) and without, and the fastest counts."""
import os

import common

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import numpy as np
import tensorflow as tf

NAME = "Keras of TensorFlow %s" % tf.__version__
STEPS = 50


def gathered(arrays, batch):
    """Rows shuffled anew in every epoch and gathered in every step."""
    tensors = [tf.constant(a) for a in arrays]
    rows = tf.data.Dataset.range(len(arrays[0])).shuffle(len(arrays[0])).repeat().batch(
        batch, drop_remainder=True)
    return rows.map(lambda r: tuple(tf.gather(t, r) for t in tensors)).prefetch(4)


def made_before(arrays, batch):
    """Rows shuffled once and cut into batches that stand as arrays; the batches come in another
    order in every epoch."""
    count = len(arrays[0]) // batch
    order = np.random.default_rng(1).permutation(len(arrays[0]))[:count * batch]
    cut = [a[order].reshape((count, batch) + a.shape[1:]) for a in arrays]
    return tf.data.Dataset.from_tensor_slices(tuple(cut)).shuffle(count).repeat().prefetch(4)


def race(make, inputs, labels, arguments, compilers=(True, False)):
    results = {}
    ways = [(feed, xla) for feed in (made_before, gathered) for xla in compilers]
    for batch in arguments["batches"]:
        best = None
        for feed, xla in ways:
            model = make()
            model.compile(tf.keras.optimizers.Adagrad(0.05),
                          tf.keras.losses.BinaryCrossentropy(from_logits=True),
                          jit_compile=xla, steps_per_execution=STEPS)
            data = feed([*inputs, labels[:, None]], batch)
            iterator = iter(data.map(lambda *parts: (parts[:-1], parts[-1])))

            def steps(count):
                model.fit(iterator, steps_per_epoch=count * STEPS, epochs=1, verbose=0)

            found = common.timed(steps, arguments["seconds"] / len(ways), STEPS)
            found["way"] = feed.__name__ + (", XLA" if xla else "")
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
