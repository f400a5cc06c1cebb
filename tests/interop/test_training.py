# SPDX-License-Identifier: Apache-2.0
"""One model_dir, trained by TensorFlow and by Cannery in turn; events read by TensorBoard."""
import glob
import os
import shutil
import tempfile
import unittest

import numpy as np
import tensorflow as tf

import support
from support import cannery

EXPERIMENT = """
data {
  train { csv { files: "%(train)s" } }
  eval { csv { files: "%(eval)s" } }
  label { column: "survived" }
}
feature_column { name: "age" numeric_column { key: "age" } }
feature_column { name: "age_buckets" bucketized_column { source_column: "age" boundaries: [18, 30, 50] } }
feature_column { name: "fare" numeric_column { key: "fare" normalizer { subtract_divide { subtract: 30 divide: 50 } } } }
feature_column { name: "sex" categorical_column_with_vocabulary_list { key: "sex" vocabulary_list: ["male", "female"] } }
feature_column { name: "deck" categorical_column_with_hash_bucket { key: "deck" hash_bucket_size: 10 } }
feature_column { name: "sex_x_deck" crossed_column { key { feature: "sex" } key { feature: "deck" } hash_bucket_size: 20 } }
feature_column { name: "sex_indicator" indicator_column { categorical_column: "sex" } }
feature_column { name: "deck_embedding" embedding_column { categorical_column: "deck" dimension: 3 } }
estimator { dnn_linear_combined_classifier {
  linear_feature_columns: ["age_buckets", "sex", "sex_x_deck"]
  dnn_feature_columns: ["fare", "sex_indicator", "deck_embedding"]
  dnn_hidden_units: [8, 4]
} }
train_spec { max_steps: %(steps)d input { batch_size: 16 shuffle: false } }
eval_spec { steps: 0 throttle_secs: 0 input { batch_size: 64 shuffle: false } }
run_config { tf_random_seed: 3 save_checkpoints_steps: 10 save_summary_steps: 5 log_step_count_steps: 5 }
"""
TITANIC = os.path.join(support.ROOT, "resources", "examples", "titanic")


def tensorflow_estimator(model_dir):
    c = tf.feature_column
    age, fare = c.numeric_column("age"), c.numeric_column(
        "fare", normalizer_fn=lambda x: (tf.cast(x, tf.float32) - 30) / 50)
    sex = c.categorical_column_with_vocabulary_list("sex", ["male", "female"])
    deck = c.categorical_column_with_hash_bucket("deck", 10)
    return tf.estimator.DNNLinearCombinedClassifier(
        model_dir=model_dir,
        linear_feature_columns=[c.bucketized_column(age, [18, 30, 50]), sex,
                                c.crossed_column(["sex", "deck"], 20)],
        dnn_feature_columns=[fare, c.indicator_column(sex), c.embedding_column(deck, 3)],
        dnn_hidden_units=[8, 4],
        config=tf.estimator.RunConfig(tf_random_seed=3, save_checkpoints_steps=10,
                                      save_summary_steps=5, log_step_count_steps=5))


def input_fn(skip):
    """Endless batches of 16 in file order, from batch `skip` on, as in Cannery."""
    rows = support.read_csv(os.path.join(TITANIC, "titanic_train.csv"))
    features = {"age": np.array([float(r["age"]) for r in rows], np.float32),
                "fare": np.array([float(r["fare"]) for r in rows], np.float32),
                "sex": np.array([r["sex"] for r in rows]), "deck": np.array([r["deck"] for r in rows])}
    labels = np.array([int(r["survived"]) for r in rows])

    def make():
        dataset = tf.data.Dataset.from_tensor_slices((features, labels))
        return dataset.repeat().batch(16).skip(skip)

    return make


class ModelDir(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def experiment(self, steps):
        path = os.path.join(self.folder, "titanic_%d.cannery" % steps)
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(EXPERIMENT % {"train": os.path.join(TITANIC, "titanic_train.csv"),
                                       "eval": os.path.join(TITANIC, "titanic_eval.csv"),
                                       "steps": steps})
        return path

    def train_ours(self, model_dir, steps):
        cannery("train", self.experiment(steps), "--model-dir", model_dir, "--quiet")

    def copied(self, model_dir, name):
        target = os.path.join(self.folder, name)
        shutil.copytree(model_dir, target)
        return target

    def assert_same_checkpoint(self, ours, theirs):
        a, b = (tf.train.load_checkpoint(tf.train.latest_checkpoint(d)) for d in (ours, theirs))
        self.assertEqual(sorted(a.get_variable_to_shape_map()), sorted(b.get_variable_to_shape_map()))
        self.assertEqual(a.get_tensor("global_step"), b.get_tensor("global_step"))
        for name in a.get_variable_to_shape_map():
            x, y = a.get_tensor(name), b.get_tensor(name)
            np.testing.assert_allclose(x, y, rtol=1e-4, atol=1e-6, err_msg=name)

    def test_tensorflow_continues_ours(self):
        ours = os.path.join(self.folder, "ours")
        self.train_ours(ours, 20)
        theirs = self.copied(ours, "theirs")
        tensorflow_estimator(theirs).train(input_fn(20), max_steps=40)
        self.train_ours(ours, 40)
        self.assert_same_checkpoint(ours, theirs)

    def test_we_continue_tensorflows(self):
        theirs = os.path.join(self.folder, "theirs")
        tensorflow_estimator(theirs).train(input_fn(0), max_steps=39)
        tensorflow_estimator(theirs).train(input_fn(39), max_steps=40)
        ours = self.copied(theirs, "ours")
        # 627 rows: TensorFlow's model_dir does not store the input position, so ours starts from the beginning.
        self.train_ours(ours, 60)
        tensorflow_estimator(theirs).train(input_fn(0), max_steps=60)
        self.assert_same_checkpoint(ours, theirs)

    def test_tensorflow_evaluates_ours_alike(self):
        ours = os.path.join(self.folder, "ours")
        self.train_ours(ours, 20)
        evaluation = support.json.loads(cannery("evaluate", self.experiment(20), "--model-dir", ours,
                                                "--json"))["metrics"]
        rows = support.read_csv(os.path.join(TITANIC, "titanic_eval.csv"))
        features = {"age": np.array([float(r["age"]) for r in rows], np.float32),
                    "fare": np.array([float(r["fare"]) for r in rows], np.float32),
                    "sex": np.array([r["sex"] for r in rows]),
                    "deck": np.array([r["deck"] for r in rows])}
        labels = np.array([int(r["survived"]) for r in rows])
        theirs = tensorflow_estimator(ours).evaluate(
            lambda: tf.data.Dataset.from_tensor_slices((features, labels)).batch(64))
        theirs.pop("global_step")
        evaluation.pop("global_step", None)
        self.assertEqual(sorted(evaluation), sorted(theirs))
        for key, value in theirs.items():
            self.assertAlmostEqual(evaluation[key], float(value), delta=1e-5 * (1 + abs(value)),
                                   msg=key)

    def test_tensorflow_reads_the_records_of_encoded_rows(self):
        rows = os.path.join(self.folder, "rows.cache")
        ours = [os.path.join(self.folder, "ours%d" % run) for run in range(2)]
        for model_dir in ours:
            cannery("train", self.experiment(20), "--model-dir", model_dir, "--quiet",
                    "--set", "run_config.cache_file=" + rows)
        self.assert_same_checkpoint(*ours)
        records = list(tf.data.TFRecordDataset(rows).as_numpy_iterator())
        self.assertGreaterEqual(len(records), 3)  # header, training rows, evaluation rows
        self.assertIn(b"cannery encoded rows", records[0][:40])

    def assert_steps_alike(self, ours, theirs, tag):
        """TensorFlow's hooks read the step while it is counted up, before or after: each summary may
        come a step early after the one before, and the last one then once more."""
        self.assertIn(ours[0] - theirs[0], (0, 1), tag)
        self.assertIn(len(theirs) - len(ours), (0, 1), tag)
        between = [b - a for a, b in zip(ours, ours[1:])]
        for our, their in zip(between, (b - a for a, b in zip(theirs, theirs[1:]))):
            self.assertIn(our - their, (0, 1), tag)

    def test_tensorboard_reads_our_events(self):
        from tensorboard.backend.event_processing import event_accumulator

        ours = os.path.join(self.folder, "ours")
        self.train_ours(ours, 20)
        board = event_accumulator.EventAccumulator(ours)
        board.Reload()
        tags = board.Tags()
        theirs = os.path.join(self.folder, "theirs")
        tensorflow_estimator(theirs).train(input_fn(0), max_steps=20)
        peer = event_accumulator.EventAccumulator(theirs)
        peer.Reload()
        # What TensorFlow does not write is logged under our own names.
        own = [tag for tag in tags["scalars"] if tag.startswith("cannery/")]
        self.assertIn("cannery/gradient_norm", own)
        self.assertIn("cannery/train/accuracy", own)
        tags["scalars"] = [tag for tag in tags["scalars"] if tag not in own]
        for kind in ("scalars", "histograms"):
            self.assertEqual(sorted(tags[kind]), sorted(peer.Tags()[kind]), kind)
        self.assertEqual([e.step for e in board.Scalars("cannery/gradient_norm")], [1, 6, 11, 16])
        self.assertTrue(tags["graph"])
        for tag in tags["scalars"]:
            self.assert_steps_alike([e.step for e in board.Scalars(tag)],
                                    [e.step for e in peer.Scalars(tag)], tag)
        self.assertEqual([e.step for e in board.Scalars("loss")], [1, 6, 11, 16])
        evaluation = event_accumulator.EventAccumulator(os.path.join(ours, "eval"))
        evaluation.Reload()
        self.assertEqual(evaluation.Scalars("accuracy")[-1].step, 20)

    def test_same_files_as_tensorflow(self):
        ours, theirs = (os.path.join(self.folder, n) for n in ("ours", "theirs"))
        self.train_ours(ours, 20)
        tensorflow_estimator(theirs).train(input_fn(0), max_steps=20)
        for pattern in ("checkpoint", "graph.pbtxt", "model.ckpt-20.index",
                        "model.ckpt-20.data-00000-of-00001", "events.out.tfevents.*"):
            self.assertTrue(glob.glob(os.path.join(theirs, pattern)), pattern)
            self.assertTrue(glob.glob(os.path.join(ours, pattern)), pattern)
        self.assertEqual(tf.train.get_checkpoint_state(ours).all_model_checkpoint_paths[-1],
                         os.path.join(ours, "model.ckpt-20"))


if __name__ == "__main__":
    unittest.main()
