"""Steps per second of TensorFlow's DNNClassifier [100, 50] on the census sample; the batch size is
the argument. One thread; the rows are in memory, encoded by the feature columns in every step, as
Estimators do."""
import csv
import os
import sys
import time

os.environ["TF_NUM_INTRAOP_THREADS"] = os.environ["TF_NUM_INTEROP_THREADS"] = "1"
import numpy as np
import tensorflow as tf

HERE = os.path.dirname(os.path.abspath(__file__))
TABLE = os.path.join(HERE, "..", "..", "resources", "examples", "census", "census_train.csv")
NUMBERS = ["age", "education_num", "capital_gain", "capital_loss", "hours_per_week"]
WORDS = ["workclass", "education", "marital_status", "occupation", "relationship", "race", "gender"]
WARM, MEASURED = 500, 3000


class Timer(tf.estimator.SessionRunHook):
    def __init__(self):
        self.step = 0
        self.begin_time = None
        self.rate = 0.0

    def after_run(self, run_context, run_values):
        self.step += 1
        if self.step == WARM:
            self.begin_time = time.perf_counter()
        elif self.step == WARM + MEASURED:
            self.rate = MEASURED / (time.perf_counter() - self.begin_time)


def main():
    batch = int(sys.argv[1])
    with open(TABLE, encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    features = {n: np.array([float(r[n]) for r in rows], np.float32) for n in NUMBERS}
    features.update({w: np.array(["" if r[w] == "?" else r[w] for r in rows])
                     for w in WORDS + ["native_country"]})
    labels = np.array([r["income_bracket"] for r in rows])
    column = tf.feature_column
    columns = []
    for name in NUMBERS:
        mean, deviation = float(features[name].mean()), float(features[name].std())
        columns.append(column.numeric_column(
            name, normalizer_fn=lambda x, m=mean, d=deviation: (tf.cast(x, tf.float32) - m) / d))
    for name in WORDS:
        words = sorted(set(features[name]) - {""})
        columns.append(column.indicator_column(
            column.categorical_column_with_vocabulary_list(name, words)))
    columns.append(column.embedding_column(
        column.categorical_column_with_hash_bucket("native_country", 100), 8))
    estimator = tf.estimator.DNNClassifier(
        [100, 50], columns, label_vocabulary=["<=50K", ">50K"],
        optimizer=tf.keras.optimizers.legacy.Adagrad(0.05),
        config=tf.estimator.RunConfig(
            save_checkpoints_steps=10**6, save_summary_steps=100,
            session_config=tf.compat.v1.ConfigProto(intra_op_parallelism_threads=1,
                                                    inter_op_parallelism_threads=1)))

    def input_fn():
        return tf.data.Dataset.from_tensor_slices((features, labels)).shuffle(5000).repeat().batch(
            batch).prefetch(2)

    timer = Timer()
    estimator.train(input_fn, steps=WARM + MEASURED, hooks=[timer])
    print(timer.rate)


if __name__ == "__main__":
    main()
