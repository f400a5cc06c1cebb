# SPDX-License-Identifier: Apache-2.0
"""Writes the event files of this folder: make.py FOLDER, with TensorFlow 2.15.1."""

import sys

import numpy as np
import tensorflow as tf
from keras.src.callbacks import keras_model_summary
from tensorboard.plugins.pr_curve import summary as pr_curve

layers = tf.keras.layers


def two_towers():
    left = tf.keras.Input((3,), name="left")
    right = tf.keras.Input((5,), name="right")
    inner = tf.keras.Sequential([layers.Dense(4, name="one"), layers.Dense(4, name="two")],
                                name="inner")
    joined = layers.Concatenate(name="join")(
        [inner(layers.Dense(4, name="tower")(left)), layers.Dense(4, name="other")(right)])
    return tf.keras.Model([left, right], layers.Dense(1, name="score")(joined), name="two_towers")


def write_functional(folder):
    with tf.summary.create_file_writer(folder).as_default():
        keras_model_summary("keras", two_towers(), step=0)


def write_sequential(folder):
    model = tf.keras.Sequential([layers.Input((4,)), layers.Dense(8, "relu", name="hidden"),
                                 layers.Dropout(0.2, name="drop"), layers.Dense(1, name="out")])
    model.compile("adam", "mse")
    rows = np.random.RandomState(1).rand(64, 4)
    model.fit(rows, rows[:, :1], epochs=2, verbose=0,
              callbacks=[tf.keras.callbacks.TensorBoard(folder)])


def write_pr_curves(folder):
    random = np.random.RandomState(1)
    labels = random.rand(200) < 0.4
    predictions = np.clip(0.5 * labels + 0.5 * random.rand(200), 0, 1)
    with tf.Graph().as_default():
        writer = tf.compat.v1.summary.FileWriter(folder)
        for step, name in enumerate(("cats", "dogs")):
            writer.add_summary(pr_curve.pb(name, labels, predictions, num_thresholds=21), step)
        writer.close()


folder = sys.argv[1]
write_functional(folder + "/functional")
write_sequential(folder + "/sequential")
write_pr_curves(folder + "/pr_curves")
