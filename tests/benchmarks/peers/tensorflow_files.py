# SPDX-License-Identifier: Apache-2.0
"""TensorFlow around training: a checkpoint saved, a SavedModel asked, scalars logged."""
import os
import shutil
import tempfile
import time

import common

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import numpy as np
import tensorflow as tf

NAME = "TensorFlow " + tf.__version__


def checkpoint(arguments):
    """Twelve variables of the state's size, by the Saver that Estimator uses: all of it a stall. It
    leaves the bytes to the system; for the whole they are synced, as ours are before anybody is told."""
    folder = tempfile.mkdtemp(dir=arguments["work"])
    count = arguments["megabytes"] * 10**6 // 4 // 12
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        variables = [tf.compat.v1.Variable(np.random.rand(count).astype(np.float32))
                     for _ in range(12)]
        session.run(tf.compat.v1.global_variables_initializer())
        saver = tf.compat.v1.train.Saver(variables, max_to_keep=2)
        times, wholes = [], []
        for step in range(6):
            begin = time.perf_counter()
            saver.save(session, folder + "/model.ckpt", step, write_meta_graph=False)
            times.append(time.perf_counter() - begin)
            for name in os.listdir(folder):
                with open(os.path.join(folder, name), "rb") as written:
                    os.fsync(written.fileno())
            wholes.append(time.perf_counter() - begin)
    shutil.rmtree(folder)
    return {"stall": {"value": min(times) * 1e3, "cpu": 0},
            "whole": {"value": min(wholes) * 1e3, "cpu": 0}}, NAME + " Saver"


def predict(arguments):
    """A SavedModel that takes the raw columns, as Cannery exports it."""
    numbers, words, countries, _ = common.census(arguments["census"])
    model = tf.saved_model.load(arguments["saved_model"])
    signature = model.signatures["predict"]
    columns = {n: numbers[:, i:i + 1] for i, n in enumerate(common.NUMBERS)}
    columns.update({w: words[w][:, None] for w in common.WORDS})
    columns["native_country"] = countries[:, None]
    types = signature.structured_input_signature[1]
    rows = {k: tf.cast(tf.constant(columns[k]), s.dtype) if s.dtype != tf.string
            else tf.constant(columns[k]) for k, s in types.items()}
    singles = [{k: v[r:r + 1] for k, v in rows.items()} for r in range(64)]
    times = []
    end = time.perf_counter() + arguments["seconds"]
    while time.perf_counter() < end or len(times) < 100:
        row = singles[len(times) % 64]
        begin = time.perf_counter()
        signature(**row)
        times.append(time.perf_counter() - begin)
    results = {"one_row": {"value": float(np.median(times)) * 1e6, "cpu": 0}}
    table = None
    for batch in [1024, 5000]:
        part = {k: v[:batch] for k, v in rows.items()}
        table = common.better(table, common.timed(
            lambda count: [signature(**part) for _ in range(count)], arguments["seconds"], batch))
    results["table"] = table
    return results, NAME + " SavedModel"


def scalars(arguments):
    """FileWriter, one summary for each value."""
    folder = tempfile.mkdtemp(dir=arguments["work"])
    with tf.Graph().as_default():
        writer = tf.compat.v1.summary.FileWriter(folder)
        summary_of = tf.compat.v1.Summary
        step = 0

        def write(count):
            nonlocal step
            for _ in range(count):
                writer.add_summary(summary_of(value=[
                    summary_of.Value(tag="layer_0/loss", simple_value=0.5)]), step)
                step += 1
            writer.flush()

        result = common.timed(write, arguments["seconds"])
        writer.close()
    shutil.rmtree(folder)
    return {"write": result}, NAME + " FileWriter"


def read_scalars(arguments):
    """TensorBoard's own data server, until it says that it has read everything. It keeps a sample
    of 1,000 values a tag and checks no checksum."""
    import importlib.metadata
    import subprocess

    import tensorboard_data_server
    begin = time.perf_counter()
    server = subprocess.Popen(
        [tensorboard_data_server.server_binary(), "--logdir", arguments["logs"], "--port", "0",
         "--reload", "once", "-v"], stderr=subprocess.PIPE, text=True)
    try:
        for line in server.stderr:
            if "Finished load cycle" in line:
                spent = time.perf_counter() - begin
                return ({"read": {"value": spent, "cpu": 0}}, "TensorBoard's data server " +
                        importlib.metadata.version("tensorboard-data-server"))
    finally:
        server.kill()
        server.wait()
    raise RuntimeError("the data server ended early")


if __name__ == "__main__":
    common.start({f.__name__: f for f in [checkpoint, predict, scalars, read_scalars]})
