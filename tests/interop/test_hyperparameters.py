# SPDX-License-Identifier: Apache-2.0
"""The hyperparameters of our runs as TensorBoard's panel HParams reads them."""
import os
import shutil
import tempfile
import unittest

from tensorboard import context
from tensorboard.backend.event_processing import data_provider
from tensorboard.backend.event_processing import plugin_event_multiplexer
from tensorboard.plugins import base_plugin
from tensorboard.plugins.hparams import api_pb2
from tensorboard.plugins.hparams import backend_context
from tensorboard.plugins.hparams import get_experiment
from tensorboard.plugins.hparams import list_session_groups

import support
from support import cannery

TITANIC = os.path.join(support.ROOT, "resources", "examples", "titanic", "titanic.cannery")


class Hyperparameters(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def train(self, name, *overrides):
        given = ["train_spec.max_steps=20", *overrides]
        cannery("train", TITANIC, "--model-dir", os.path.join(self.folder, name), "--quiet",
                *(word for one in given for word in ("--set", one)))

    def panel(self):
        """The experiment and its session groups, by name, as the panel asks for them."""
        events = plugin_event_multiplexer.EventMultiplexer()
        events.AddRunsFromDirectory(self.folder)
        events.Reload()
        backend = backend_context.Context(base_plugin.TBContext(
            logdir=self.folder, multiplexer=events,
            data_provider=data_provider.MultiplexerDataProvider(events, self.folder)))
        asked = context.RequestContext()
        experiment = get_experiment.Handler(asked, backend, "",
                                            api_pb2.GetExperimentRequest()).run()
        request = api_pb2.ListSessionGroupsRequest(
            allowed_statuses=api_pb2.Status.values(), start_index=0, slice_size=10)
        for info in experiment.metric_infos:
            request.col_params.add().metric.CopyFrom(info.name)
        groups = list_session_groups.Handler(asked, backend, "", request).run().session_groups
        return experiment, {group.name: group for group in groups}

    def test_the_panel_compares_our_runs(self):
        part = "estimator.dnn_linear_combined_classifier."
        self.train("one", part + "dnn_optimizer=adamax { learning_rate: 0.25 }")
        self.train("two", part + "dnn_hidden_units=[8, 4]", "train_spec.input.batch_size=16")
        experiment, groups = self.panel()
        kinds = {info.name: info.type for info in experiment.hparam_infos}
        self.assertEqual(kinds["dnn_optimizer"], api_pb2.DATA_TYPE_STRING)
        self.assertEqual(kinds["dnn_optimizer.learning_rate"], api_pb2.DATA_TYPE_FLOAT64)
        self.assertEqual(kinds["dnn_optimizer.decay"], api_pb2.DATA_TYPE_FLOAT64)
        self.assertEqual(kinds["batch_norm"], api_pb2.DATA_TYPE_BOOL)
        metrics = {(info.name.group, info.name.tag) for info in experiment.metric_infos}
        self.assertLessEqual({("", "loss"), ("eval", "accuracy"), ("eval", "auc")}, metrics)
        self.assertEqual(sorted(groups), ["one", "two"])
        one, two = (groups[name] for name in ("one", "two"))
        self.assertEqual(one.hparams["estimator"].string_value, "dnn_linear_combined_classifier")
        self.assertEqual(one.hparams["dnn_optimizer"].string_value, "adamax")
        self.assertEqual(one.hparams["dnn_optimizer.learning_rate"].number_value, 0.25)
        self.assertEqual(two.hparams["dnn_optimizer"].string_value, "adagrad")
        self.assertEqual(two.hparams["dnn_hidden_units"].string_value, "[8, 4]")
        self.assertEqual(two.hparams["batch_size"].number_value, 16)
        self.assertEqual(two.hparams["max_steps"].number_value, 20)
        for group in (one, two):
            session, = group.sessions
            self.assertEqual(session.status, api_pb2.STATUS_SUCCESS)
            self.assertGreaterEqual(session.end_time_secs, session.start_time_secs)
            accuracy = [value for value in group.metric_values
                        if (value.name.group, value.name.tag) == ("eval", "accuracy")]
            self.assertEqual([value.training_step for value in accuracy], [20])


if __name__ == "__main__":
    unittest.main()
