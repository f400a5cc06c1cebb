# SPDX-License-Identifier: Apache-2.0
"""Experiments exported as programs of tf.estimator: run by TensorFlow, they train what we train."""
import contextlib
import glob
import importlib.util
import io
import json
import os
import shutil
import sqlite3
import sys
import tempfile
import unittest
from unittest import mock

import numpy as np
import tensorflow as tf

import support
from support import cannery

assert tf.estimator.Estimator  # loads the module, so that it can be patched
EXAMPLES = os.path.join(support.ROOT, "resources", "examples")
STEPS = 12
SPLIT_EXPERIMENT = """
data { train { csv { files: "rows.csv" } } label { column: "y" } split { %s } }
feature_column { name: "x" categorical_column_with_identity { key: "x" num_buckets: 203 } }
estimator { linear_classifier { feature_columns: "x" } }
train_spec { input { batch_size: 32 num_epochs: 1 } }
eval_spec { throttle_secs: 0 }
"""
SOURCE_EXPERIMENT = """
data { label { column: "y" }
%s }
feature_column { name: "x" numeric_column { key: "x" } }
feature_column { name: "kind" categorical_column_with_vocabulary_list {
  key: "kind" vocabulary_list: ["a", "b", "c"] } }
feature_column { name: "tags" categorical_column_with_identity { key: "tags" num_buckets: 4 } }
estimator { linear_classifier { feature_columns: ["x", "kind", "tags"] optimizer { ftrl {} } } }
train_spec { max_steps: 6 input { batch_size: 10 shuffle: false } }
run_config { save_checkpoints_steps: 6 }
"""
REFUSED_EXPERIMENT = """
data { train { csv { files: "rows.csv" } } label { column: "y" } }
feature_column { name: "x" numeric_column { key: "x" } }
estimator { linear_classifier { feature_columns: "x" optimizer { sgd {} moving_average_decay: 0.9 } } }
train_spec { max_steps: 4 }
strategy { one_device {} virtual_shards: 2 }
"""
METRIC_EXPERIMENT = """
data { train { csv { files: "rows.csv" } } label { column: "%s" } split { fraction { eval_fraction: 0.4 seed: 2 } } }
feature_column { name: "x" numeric_column { key: "x" } }
feature_column { name: "w" numeric_column { key: "w" } }
estimator { %s }
train_spec { max_steps: 20 input { batch_size: 16 } }
eval_spec { throttle_secs: 0 input { batch_size: 16 } %s }
"""
NUMBER_METRICS = ("mean", "mean_absolute_error", "mean_squared_error", "root_mean_squared_error")
METRICS = {
    "yes": NUMBER_METRICS + (
        "accuracy { threshold: 0.4 }", "precision { threshold: 0.4 }", "recall",
        "auc { curve: PR num_thresholds: 30 summation_method: minoring }", "log_loss",
        "recall_at_precision { precision: 0.6 }", "precision_at_recall { recall: 0.6 }",
        "f1_score { threshold: 0.45 }"),
    "kind": ("accuracy", "precision", "recall", "log_loss",
             "top_k_categorical_accuracy { k: 2 }", "f1_score", "f1_score { average: weighted }"),
    "y": NUMBER_METRICS + ("mean_absolute_percentage_error", "r2_score")}
ESTIMATORS = {
    "yes": 'linear_classifier { feature_columns: "x" weight_column { column: "w" } }',
    "kind": 'linear_classifier { feature_columns: "x" n_classes: 3 weight_column { feature: "w" } }',
    "y": 'linear_regressor { feature_columns: "x" weight_column { feature: "w" } }'}


def program_of(experiment, folder):
    path = os.path.join(folder, "program.py")
    cannery("export", experiment, "--as", "program", "--output", path, "--force")
    spec = importlib.util.spec_from_file_location("program", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run_main(module, model_dir):
    with mock.patch.object(sys, "argv", ["program.py", "--model_dir", model_dir]), \
            mock.patch.object(tf.compat.v1.logging, "set_verbosity"):
        module.main()


def train_only(estimator, train_spec, _):
    estimator.train(train_spec.input_fn, max_steps=train_spec.max_steps)
    return None, None


class Programs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def assert_same_variables(self, actual, expected, message, tolerance):
        self.assertEqual(sorted(actual), sorted(expected), message)
        noisy = any("batchnorm" in name for name in expected)  # see tests/golden/README.md
        for name, value in expected.items():
            if noisy and (name.endswith("bias") or "bias/" in name or name.endswith("/moving_mean")):
                continue
            np.testing.assert_allclose(actual[name], value, rtol=tolerance, atol=tolerance,
                                       err_msg="%s: %s" % (message, name))

    @staticmethod
    def variables(folder):
        reader = tf.train.load_checkpoint(tf.train.latest_checkpoint(folder))
        return {n: reader.get_tensor(n) for n in reader.get_variable_to_shape_map()}

    def test_goldens_are_followed(self):
        followed = 0
        for case in support.runnable_cases():
            with self.subTest(case=case):
                folder = os.path.join(self.folder, case)
                os.makedirs(folder)
                experiment = support.experiment_of(case, folder)
                if experiment is None:
                    continue
                facts = support.read_json(support.CASES, case, "case.json")
                if facts["tensorflow"].startswith("2.8") or "deterministic_steps" in facts:
                    continue  # boosted trees need TensorFlow 2.8; its mini-batch k-means is a race
                module = program_of(experiment, folder)
                model_dir = support.model_dir_from(case, "initial", folder)
                with mock.patch.object(tf.estimator, "train_and_evaluate", train_only):
                    run_main(module, model_dir)
                self.assert_same_variables(
                    self.variables(model_dir),
                    self.variables(os.path.join(support.CASES, case, "final")), case, 1e-5)
                followed += 1
        self.assertGreaterEqual(followed, 20)

    def test_examples_are_followed(self):
        for path in sorted(glob.glob(os.path.join(EXAMPLES, "*", "*.cannery"))):
            with self.subTest(example=os.path.basename(path)):
                with open(path, encoding="utf-8") as stream:
                    text = stream.read()
                if "boosted_trees" in text or "kmeans" in text or "custom_estimator" in text:
                    # The first needs TensorFlow 2.8, the second draws its first centers, and no
                    # canned estimator is the third.
                    continue
                folder = os.path.join(self.folder, os.path.basename(path))
                shutil.copytree(os.path.dirname(path), folder)
                experiment = os.path.join(folder, os.path.basename(path))
                ours, theirs = (os.path.join(folder, n) for n in ("ours", "theirs"))
                overrides = ["train_spec.max_steps=%d" % STEPS, "train_spec.input.shuffle=false",
                             "train_spec.hook=", "eval_spec.exporter=", "eval_spec.steps=2",
                             "run_config.save_checkpoints_steps=%d" % STEPS]
                if "dropout" in text:  # each drops units of its own choice
                    overrides.append("estimator.dnn_classifier.dropout=0")
                arguments = [a for o in overrides for a in ("--set", o)]
                cannery("train", experiment, "--model-dir", ours, "--quiet", *arguments)
                os.makedirs(theirs)
                for name in glob.glob(os.path.join(ours, "model.ckpt-0.*")):
                    shutil.copy(name, theirs)
                with open(os.path.join(theirs, "checkpoint"), "w", encoding="utf-8") as stream:
                    stream.write('model_checkpoint_path: "model.ckpt-0"\n')
                module = program_of(ours, folder)
                run_main(module, theirs)
                mine, other = self.variables(ours), self.variables(theirs)
                if "linear_sdca" not in text:
                    self.assert_same_variables(other, mine, path, 1e-4)
                    continue
                # TensorFlow's SDCA takes the rows of a batch in an order that it draws from the
                # machine's entropy: 12 steps differ by up to 0.012 from one run to the next, and its
                # table of rows has another order.
                mine, other = ({name: value for name, value in variables.items()
                                if not name.startswith("Sharded")} for variables in (mine, other))
                self.assert_same_variables(other, mine, path, 0.03)

    def test_added_metrics_are_those_of_keras(self):
        with open(os.path.join(self.folder, "rows.csv"), "w", encoding="utf-8") as stream:
            stream.write("x,w,yes,kind,y\n" + "".join(
                "%g,%g,%d,%d,%g\n" % (i * 37 % 101 / 50 - 1, 0.5 + i % 4, i * 37 % 101 + i % 40 > 70,
                                      (i * 37 % 101 + i % 40) // 50, 3 * (i * 37 % 101) / 50 + i % 3)
                for i in range(100)))
        experiment = os.path.join(self.folder, "metrics.cannery")
        for label, kinds in METRICS.items():
            with self.subTest(label=label):
                added = " ".join('metric { name: "m%d" %s }' % (i, kind if "{" in kind else kind + " {}")
                                 for i, kind in enumerate(kinds))
                with open(experiment, "w", encoding="utf-8") as stream:
                    stream.write(METRIC_EXPERIMENT % (label, ESTIMATORS[label], added))
                model_dir = os.path.join(self.folder, "model_" + label)
                cannery("train", experiment, "--model-dir", model_dir, "--quiet")
                ours = json.loads(cannery("evaluate", model_dir, "--json"))["metrics"]
                theirs = {}
                module = program_of(model_dir, self.folder)
                with mock.patch.object(
                        tf.estimator, "train_and_evaluate",
                        lambda estimator, _, spec: (theirs.update(
                            estimator.evaluate(spec.input_fn)), None)):
                    run_main(module, model_dir)
                for i, kind in enumerate(kinds):
                    name = "m%d" % i
                    self.assertAlmostEqual(ours[name], float(theirs[name]), 4, (label, kind))
                self.assertAlmostEqual(ours["average_loss"], float(theirs["average_loss"]), 4)

    def test_slices_are_measured_as_we_measure_them(self):
        with open(os.path.join(self.folder, "rows.csv"), "w", encoding="utf-8") as stream:
            stream.write("x,w,yes,kind\n" + "".join(
                "%g,1,%d,%s\n" % (i * 37 % 101 / 50 - 1, i * 37 % 101 + i % 40 > 70,
                                  ("a", "b", "b", "c d", "", "e")[i % 6]) for i in range(120)))
        experiment = os.path.join(self.folder, "slices.cannery")
        with open(experiment, "w", encoding="utf-8") as stream:
            stream.write(METRIC_EXPERIMENT % (
                "yes", 'linear_classifier { feature_columns: "x" }',
                'slice { columns: "kind" } slice { columns: ["yes", "kind"] max_groups: 3 }'))
        model_dir = os.path.join(self.folder, "model")
        cannery("train", experiment, "--model-dir", model_dir, "--quiet")
        events = glob.glob(os.path.join(model_dir, "eval", "*tfevents*"))
        ours = {value.tag: value.simple_value for event in tf.compat.v1.train.summary_iterator(events[0])
                for value in event.summary.value if value.tag.startswith("slice/")}
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), mock.patch.object(
                tf.estimator, "train_and_evaluate", lambda *_: (None, None)):
            run_main(program_of(model_dir, self.folder), model_dir)
        theirs = dict(line.split(" = ") for line in printed.getvalue().splitlines() if " = " in line)
        measured = {tag: value for tag, value in ours.items() if "/cannery/" not in tag}
        self.assertTrue(any(tag.endswith(" small groups/auc") for tag in measured), measured)
        self.assertGreater(len(measured), 50)
        for tag, value in measured.items():
            self.assertAlmostEqual(float(theirs[tag]), value, 4, tag)
        with open(experiment, encoding="utf-8") as stream:
            shuffled = stream.read().replace("0 input { ", "0 input { shuffle: true ")
        with open(experiment, "w", encoding="utf-8") as stream:
            stream.write(shuffled)
        with self.assertRaisesRegex(AssertionError, "eval_spec.slice"):
            cannery("export", experiment, "--as", "program")

    def test_held_back_rows_are_the_same(self):
        rows = os.path.join(self.folder, "rows.csv")
        with open(rows, "w", encoding="utf-8") as stream:
            stream.write("x,kind,y\n" + "".join(
                "%d,%s,%d\n" % (i, "abc"[i * i % 3], i % 2) for i in range(203)))
        for split in ("fraction { eval_fraction: 0.3 seed: 9 }",
                      "fraction { eval_fraction: 0.4 seed: 9 }",  # groups of 2.5 rows are 3
                      "fraction { eval_fraction: 0.2 stratify: true seed: 4 }",
                      "fold { folds: 3 fold: 2 seed: 9 }",
                      "fold { folds: 4 stratify: true seed: 4 }",
                      'by_column { column: "kind" eval_values: ["b", "c"] }'):
            with self.subTest(split=split):
                experiment = os.path.join(self.folder, "split.cannery")
                with open(experiment, "w", encoding="utf-8") as stream:
                    stream.write(SPLIT_EXPERIMENT % split)
                model_dir = os.path.join(self.folder, "model")
                shutil.rmtree(model_dir, ignore_errors=True)
                cannery("train", experiment, "--model-dir", model_dir, "--quiet")
                # A row trains the weight of its own number alone.
                weights = self.variables(model_dir)["linear/linear_model/x/weights"]
                module = program_of(experiment, self.folder)
                self.assertEqual(sorted(int(row["x"]) for row in module.part(True)),
                                 np.flatnonzero(weights).tolist())
                self.assertEqual(sorted(int(row["x"]) for row in module.part(False)),
                                 np.flatnonzero(weights == 0).tolist())

    def assert_follows(self, experiment):
        """One pass of the program over the rows gives our weights; returns the program."""
        ours, theirs = (os.path.join(self.folder, n) for n in ("ours", "theirs"))
        cannery("train", experiment, "--model-dir", ours, "--quiet")
        os.makedirs(theirs)
        for name in glob.glob(os.path.join(ours, "model.ckpt-0.*")):
            shutil.copy(name, theirs)
        with open(os.path.join(theirs, "checkpoint"), "w", encoding="utf-8") as stream:
            stream.write('model_checkpoint_path: "model.ckpt-0"\n')
        module = program_of(ours, self.folder)
        run_main(module, theirs)
        self.assert_same_variables(self.variables(theirs), self.variables(ours), experiment, 1e-5)
        shutil.rmtree(ours)
        shutil.rmtree(theirs)
        return module

    def write_experiment(self, data):
        path = os.path.join(self.folder, "program.cannery")
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(SOURCE_EXPERIMENT % data)
        return path

    def test_records_are_read_as_we_read_them(self):
        features = tf.train.Features
        for split, first in (("train", 0), ("eval", 60)):
            folder = os.path.join(self.folder, "examples", "Split-" + split)
            os.makedirs(folder)
            for shard in range(2):
                path = os.path.join(folder, "data_tfrecord-%05d-of-00002.gz" % shard)
                with tf.io.TFRecordWriter(path, tf.io.TFRecordOptions("GZIP")) as writer:
                    for i in range(first + shard, first + 60, 2):
                        values = {
                            "x": tf.train.Feature(float_list=tf.train.FloatList(value=[i / 7])),
                            "kind": tf.train.Feature(
                                bytes_list=tf.train.BytesList(value=[b"abc"[i % 3:i % 3 + 1]])),
                            "y": tf.train.Feature(int64_list=tf.train.Int64List(value=[i % 2]))}
                        if i % 5:  # else missing
                            values["tags"] = tf.train.Feature(int64_list=tf.train.Int64List(
                                value=range(i % 4)))
                        writer.write(tf.train.Example(features=features(
                            feature=values)).SerializeToString())
        module = self.assert_follows(self.write_experiment(
            'train { tfrecord { files: "examples" split: "train" } }\n'
            'eval { tfrecord { files: "examples" split: "eval" } }\n'
            'feature { name: "tags" split { column: "tags" separator: "|" dtype: int64 } }'))
        self.assertEqual(len(module.part(True)), 60)
        self.assertEqual([row["y"] for row in module.part(False)][:3], ["0", "0", "0"])
        with self.assertRaisesRegex(AssertionError, "data.train.tfrecord.corrupt"):
            cannery("export", self.write_experiment(
                'train { tfrecord { files: "examples" split: "train" corrupt: SKIP } }\n'
                'feature { name: "tags" split { column: "tags" separator: "|" dtype: int64 } }'),
                    "--as", "program")

    def test_databases_are_read_as_we_read_them(self):
        path = os.path.join(self.folder, "rows.db")
        with contextlib.closing(sqlite3.connect(path)) as database, database:
            database.execute('CREATE TABLE "the ""rows""" (x REAL, kind TEXT, tags TEXT, y INTEGER)')
            database.executemany('INSERT INTO "the ""rows""" VALUES (?, ?, ?, ?)', [
                (i / 7, "abc"[i % 3], "|".join(map(str, range(i % 4))) if i % 5 else None, i % 2)
                for i in range(60)])
        split = 'feature { name: "tags" split { column: "tags" separator: "|" dtype: int64 } }'
        for rows in ('table: "the \\"rows\\""',
                     'query: "SELECT * FROM \\"the \\"\\"rows\\"\\"\\" WHERE x < 5"'):
            with self.subTest(rows=rows):
                module = self.assert_follows(self.write_experiment(
                    'train { sqlite { file: "rows.db" %s } }\n' % rows + split))
                self.assertEqual(len(module.part(True)), 35 if "query" in rows else 60)

    def test_archives_are_read_as_we_read_them(self):
        for part, first in (("b", 0), ("a", 30)):
            places = np.arange(first, first + 30)
            np.savez(os.path.join(self.folder, "rows_%s.npz" % part),
                     x=(places / 7).astype(np.float32),
                     kind=np.array(["a", "b", "c"])[places % 3], tags=places % 4,
                     y=places % 2 == 1, more=np.ones((30, 2)))
        module = self.assert_follows(self.write_experiment(
            'train { npz { files: ["rows_b.npz", "rows_a.npz"] } }'))
        self.assertEqual(len(module.part(True)), 60)
        self.assertEqual(sorted(module.part(True)[0]), ["kind", "more_0", "more_1", "tags", "x", "y"])

    def test_programs_are_run_as_we_run_them(self):
        """At each save, with the checkpoint in place of its name."""
        with open(os.path.join(self.folder, "rows.csv"), "w", encoding="utf-8") as stream:
            stream.write("x,kind,tags,y\n" + "".join(
                "%g,%s,%d,%d\n" % (i / 7, "abc"[i % 3], i % 4, i % 2) for i in range(60)))
        experiment = self.write_experiment('train { csv { files: "rows.csv" } }')
        listeners = "".join(
            'saving_listener { when: %s command: ["sh", "-c", "echo %s {global_step} >> ran"] } '
            % (moment, moment) for moment in ("begin", "before_save", "after_save", "end"))
        with open(experiment, encoding="utf-8") as stream:
            text = stream.read().replace("train_spec { ", "train_spec { " + listeners)
        with open(experiment, "w", encoding="utf-8") as stream:
            stream.write(text)
        cannery("train", experiment, "--model-dir", os.path.join(self.folder, "ours"), "--quiet",
                "--allow-commands")
        ran = os.path.join(self.folder, "ran")
        with open(ran, encoding="utf-8") as stream:
            ours = stream.read().splitlines()
        os.remove(ran)
        run_main(program_of(experiment, self.folder), os.path.join(self.folder, "theirs"))
        with open(ran, encoding="utf-8") as stream:
            self.assertEqual(stream.read().splitlines(), ours)

    def test_rows_that_cannot_be_read_are_left_out(self):
        with open(os.path.join(self.folder, "rows.csv"), "w", encoding="utf-8") as stream:
            stream.write("x,kind,tags,y,more\n" + "".join(
                "%s,%s,%s,%d%s\n" % ("no" if i % 11 == 5 else i / 7, "abc"[i % 3], i % 4, i % 2,
                                     "" if i % 13 == 7 else ",,z" if i % 13 == 8 else ",z")
                for i in range(60)))
        module = self.assert_follows(self.write_experiment(
            'train { csv { files: "rows.csv" } } bad_rows: SKIP column { name: "x" dtype: float32 }'
            'feature { name: "tags" split { column: "tags" separator: "|" dtype: int64 } }'))
        self.assertEqual(len(module.part(True)),
                         sum(i % 11 != 5 and i % 13 not in (7, 8) for i in range(60)))

    def test_later_rows_are_held_back(self):
        times = ["2024-05-01", "20240430", "2024-05-01T02:00:00+02:00", "2024-05-01 01:59+02",
                 "2024-04-30T24:00", "2024-04", "2024-04-30T23:59:59,9", " 2025 ",
                 "2024-05-01T00:00:00.000Z", "2024-05-01T00:00:00.1Z"]
        with open(os.path.join(self.folder, "rows.csv"), "w", encoding="utf-8") as stream:
            stream.write("x,when,y\n" + "".join(
                '%d,"%s",%d\n' % (i, times[i % 10], i % 2) for i in range(40)))
        experiment = os.path.join(self.folder, "split.cannery")
        with open(experiment, "w", encoding="utf-8") as stream:
            stream.write(SPLIT_EXPERIMENT % 'by_time { column: "when" eval_from: "2024-05-01" }')
        model_dir = os.path.join(self.folder, "model")
        cannery("train", experiment, "--model-dir", model_dir, "--quiet")
        weights = self.variables(model_dir)["linear/linear_model/x/weights"][:40]
        module = program_of(experiment, self.folder)
        self.assertEqual(sorted(int(row["x"]) for row in module.part(True)),
                         np.flatnonzero(weights).tolist())
        self.assertEqual(sorted(int(row["x"]) for row in module.part(False)),
                         np.flatnonzero(weights == 0).tolist())
        self.assertEqual(len(module.part(False)), 24)

    def test_what_reading_detects_is_written(self):
        with open(os.path.join(self.folder, "rows.tsv"), "w", encoding="utf-16") as stream:
            stream.write("".join("%d\t%s\t%d,5\n" % (i * 7 % 20, "ü" * (i % 3), i) for i in range(40)))
        experiment = os.path.join(self.folder, "rows.cannery")
        cannery("new", os.path.join(self.folder, "rows.tsv"), "--label", "c2", "--no-tries",
                "--output", experiment)
        module = program_of(experiment, self.folder)
        rows = module.part(True)  # too few rows to hold some back
        self.assertEqual(sorted(int(row["c0"]) for row in rows), sorted(2 * list(range(20))))
        self.assertEqual(sorted(module.labels_of(rows).tolist()), [i + 0.5 for i in range(40)])

    def test_lines_that_are_no_rows_are_left_out(self):
        with open(os.path.join(self.folder, "rows.txt"), "w", encoding="utf-8") as stream:
            stream.write("Measured by hand\n# in cm\nx   y\n1 0\n#2 1\n  3 \t 1\n5  0\n")
        experiment = os.path.join(self.folder, "lines.cannery")
        with open(experiment, "w", encoding="utf-8") as stream:
            stream.write('data { train { csv { files: "rows.txt" field_delim: " " skip_rows: 1 '
                         'comment: "#" } } label { column: "y" } }\n'
                         'feature_column { name: "x" numeric_column { key: "x" } }\n'
                         'estimator { linear_classifier { feature_columns: "x" } }\n')
        rows = program_of(experiment, self.folder).part(True)
        self.assertEqual([(row["x"], row["y"]) for row in rows],
                         [("1", "0"), ("3", "1"), ("5", "0")])

    def test_what_tf_estimator_cannot_say_is_named(self):
        experiment = os.path.join(self.folder, "refused.cannery")
        with open(os.path.join(self.folder, "rows.csv"), "w", encoding="utf-8") as stream:
            stream.write("x,y\n1,0\n2,1\n3,0\n")
        with open(experiment, "w", encoding="utf-8") as stream:
            stream.write(REFUSED_EXPERIMENT)
        with self.assertRaisesRegex(AssertionError, "moving_average_decay.*strategy.virtual_shards"):
            cannery("export", experiment, "--as", "program")


if __name__ == "__main__":
    unittest.main()
