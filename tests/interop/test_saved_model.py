# SPDX-License-Identifier: Apache-2.0
"""SavedModels exported by Cannery, served by TensorFlow."""
import os
import tempfile
import unittest

import numpy as np
import tensorflow as tf
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

import support
from support import cannery


def warmup_requests(path):
    """The PredictRequests of a SavedModel, read with TF Serving's schema."""
    file = descriptor_pb2.FileDescriptorProto(name="prediction_log.proto", syntax="proto3",
                                              package="serving")
    file.dependency.append("tensorflow/core/framework/tensor.proto")
    field = descriptor_pb2.FieldDescriptorProto

    def message(name, *fields):
        made = file.message_type.add(name=name)
        for number, key, kind in fields:
            text = kind == "string"
            made.field.add(name=key, number=number, label=field.LABEL_OPTIONAL,
                           type=field.TYPE_STRING if text else field.TYPE_MESSAGE,
                           type_name=None if text else kind)
        return made

    message("ModelSpec", (1, "name", "string"), (3, "signature_name", "string"))
    request = message("PredictRequest", (1, "model_spec", ".serving.ModelSpec"),
                      (2, "inputs", ".serving.PredictRequest.InputsEntry"))
    request.field[1].label = field.LABEL_REPEATED
    entry = request.nested_type.add(name="InputsEntry")
    entry.options.map_entry = True
    entry.field.add(name="key", number=1, label=field.LABEL_OPTIONAL, type=field.TYPE_STRING)
    entry.field.add(name="value", number=2, label=field.LABEL_OPTIONAL, type=field.TYPE_MESSAGE,
                    type_name=".tensorflow.TensorProto")
    message("PredictLog", (1, "request", ".serving.PredictRequest"))
    message("PredictionLog", (6, "predict_log", ".serving.PredictLog"))
    pool = descriptor_pool.Default()
    try:
        log = pool.FindMessageTypeByName("serving.PredictionLog")
    except KeyError:
        pool.Add(file)
        log = pool.FindMessageTypeByName("serving.PredictionLog")
    kind = message_factory.GetMessageClass(log)
    records = tf.data.TFRecordDataset(
        os.path.join(path, "assets.extra", "tf_serving_warmup_requests"))
    return [kind.FromString(record.numpy()).predict_log.request for record in records]


class GoldenExports(unittest.TestCase):
    """The final checkpoint of every golden case, exported by us, answers TensorFlow's requests."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def export(self, case, *options):
        experiment = support.experiment_of(case, self.folder.name)
        model_dir = os.path.join(self.folder.name, case + "_final")
        if not os.path.exists(model_dir):
            support.model_dir_from(case, "final", self.folder.name)
        output = os.path.join(self.folder.name, case + "_export")
        return cannery("export", experiment, "--model-dir", model_dir, "--output", output,
                       *options).strip()

    def check_signatures(self, case, path, expected, feed):
        loaded = tf.saved_model.load(path)
        self.assertEqual(sorted(loaded.signatures), sorted(expected), case)
        for name, signature in expected.items():
            function = loaded.signatures[name]
            _, arguments = function.structured_input_signature
            self.assertEqual(sorted(arguments), sorted(signature["inputs"]), case)
            result = function(**feed(arguments))
            self.assertEqual(sorted(result), sorted(signature["outputs"]), (case, name))
            for key, output in signature["outputs"].items():
                support.assert_close(self, result[key].numpy(), support.as_array(output["value"]),
                                     "%s %s %s" % (case, name, key))

    def test_parsing_receiver(self):
        for case in support.runnable_cases():
            with self.subTest(case=case):
                requests = support.read_json(support.CASES, case, "requests.json")
                serialized = tf.constant(support.decoded(requests["examples"]))
                self.check_signatures(case, self.export(case), requests["saved_model"],
                                      lambda arguments: {key: serialized for key in arguments})

    def test_raw_receiver(self):
        asked = 0
        for case in support.runnable_cases():
            requests = support.read_json(support.CASES, case, "requests.json")
            if "saved_model_raw" not in requests:
                continue
            asked += 1
            with self.subTest(case=case):
                raw = requests["raw_inputs"]
                options = [o for feature in raw for o in ("--feature", feature)]
                path = self.export(case, "--receiver", "raw", *options)

                def feed(arguments):
                    return {key: tf.constant(raw[key], spec.dtype)
                            for key, spec in arguments.items()}

                self.check_signatures(case, path, requests["saved_model_raw"], feed)
        self.assertGreater(asked, 0)

    def test_version_one_loader(self):
        case = "combined_classifier"
        requests = support.read_json(support.CASES, case, "requests.json")
        path = self.export(case)
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            meta = tf.compat.v1.saved_model.load(session, ["serve"], path)
            signature = meta.signature_def["predict"]
            expected = requests["saved_model"]["predict"]
            self.assertEqual(signature.method_name, expected["method_name"])
            values = session.run(
                {key: info.name for key, info in signature.outputs.items()},
                {signature.inputs["examples"].name: support.decoded(requests["examples"])})
            for key, output in expected["outputs"].items():
                support.assert_close(self, values[key], support.as_array(output["value"]), key)
            trainable = {v.op.name for v in tf.compat.v1.trainable_variables()}
            self.assertIn("dnn/hiddenlayer_0/kernel", trainable)


class TitanicExport(unittest.TestCase):
    """Our own predictions, and TensorFlow's for our export, on rows of all kinds."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.experiment = os.path.join(support.ROOT, "resources/examples/titanic/titanic.cannery")
        cls.model_dir = os.path.join(cls.folder.name, "model")
        cannery("train", cls.experiment, "--model-dir", cls.model_dir, "--quiet",
                "--set", "train_spec.max_steps=60", "--set", "run_config.save_checkpoints_steps=60")
        rows = support.read_csv(os.path.join(os.path.dirname(cls.experiment), "titanic_eval.csv"))[:40]
        for i, row in enumerate(rows):  # unseen, empty and odd values
            del row["survived"]
            row["deck"] = ["Z", "", row["deck"]][i % 3]
            row["sex"] = [row["sex"], "", "other"][(i // 3) % 3]
            row["class"] = [row["class"], "Fourth", ""][(i // 9) % 3]
        cls.rows = rows
        cls.table = os.path.join(cls.folder.name, "rows.csv")
        with open(cls.table, "w", encoding="utf-8") as stream:
            stream.write(",".join(rows[0]) + "\n")
            stream.writelines(",".join(row.values()) + "\n" for row in rows)
        text = cannery("predict", cls.experiment, "--model-dir", cls.model_dir, "--input", cls.table,
                       "--output", "-")
        cls.ours = np.array([float(row["logistic"]) for row in
                             support.csv.DictReader(text.splitlines())])

    def number(self, name):
        return name in ("age", "fare", "n_siblings_spouses", "parch")

    def export(self, receiver):
        return cannery("export", self.experiment, "--model-dir", self.model_dir, "--output",
                       os.path.join(self.folder.name, receiver), "--receiver", receiver).strip()

    def example(self, row, absent_when_empty):
        features = {}
        for name, text in row.items():
            if self.number(name):
                features[name] = tf.train.Feature(
                    float_list=tf.train.FloatList(value=[float(text)]))
            elif text or not absent_when_empty:
                features[name] = tf.train.Feature(
                    bytes_list=tf.train.BytesList(value=[text.encode()]))
        return tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString()

    def test_examples_get_our_predictions(self):
        predict = tf.saved_model.load(self.export("parsing")).signatures["predict"]
        for absent in (True, False):
            with self.subTest(absent_when_empty=absent):
                served = predict(examples=tf.constant([self.example(r, absent) for r in self.rows]))
                support.assert_close(self, served["logistic"].numpy()[:, 0], self.ours, "logistic")

    def test_raw_tensors_get_our_predictions(self):
        predict = tf.saved_model.load(self.export("raw")).signatures["predict"]
        _, arguments = predict.structured_input_signature
        feed = {}
        for name, spec in arguments.items():
            values = [float(r[name]) if self.number(name) else r[name] for r in self.rows]
            shape = [-1] + [1] * (len(spec.shape) - 1)
            feed[name] = tf.reshape(tf.cast(tf.constant(values), spec.dtype), shape)
        support.assert_close(self, predict(**feed)["logistic"].numpy()[:, 0], self.ours, "logistic")

    def test_text_is_loaded_like_bytes(self):
        path = cannery("export", self.experiment, "--model-dir", self.model_dir, "--output",
                       os.path.join(self.folder.name, "text"), "--as-text").strip()
        self.assertIn("saved_model.pbtxt", os.listdir(path))
        self.assertNotIn("saved_model.pb", os.listdir(path))
        predict = tf.saved_model.load(path).signatures["predict"]
        served = predict(examples=tf.constant([self.example(r, True) for r in self.rows]))
        support.assert_close(self, served["logistic"].numpy()[:, 0], self.ours, "logistic")

    def test_warmup_requests_are_answered(self):
        for receiver in ("parsing", "raw"):
            with self.subTest(receiver=receiver):
                path = cannery("export", self.experiment, "--model-dir", self.model_dir, "--output",
                               os.path.join(self.folder.name, "warm_" + receiver), "--receiver",
                               receiver, "--warmup-rows", "3").strip()
                requests = warmup_requests(path)
                self.assertEqual(len(requests), 3)
                predict = tf.saved_model.load(path).signatures["predict"]
                for request in requests:
                    self.assertEqual(request.model_spec.signature_name, "predict")
                    feed = {key: tf.constant(tf.make_ndarray(tensor))
                            for key, tensor in request.inputs.items()}
                    answer = predict(**feed)["logistic"].numpy()
                    self.assertEqual(answer.shape, (1, 1))
                    self.assertTrue(np.isfinite(answer).all())

    def test_one_folder_named_by_ten_digits(self):
        path = self.export("parsing")
        self.assertRegex(os.path.basename(path), r"^\d{10}$")
        self.assertFalse([f for f in os.listdir(os.path.dirname(path)) if f.startswith("temp")])


if __name__ == "__main__":
    unittest.main()
