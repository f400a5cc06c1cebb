#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns the case.json of a golden training case into an experiment file.

    to_experiment.py CASE_FOLDER [-o FILE]

CASE_FOLDER is any folder with a case.json as tests/golden/README.md describes it. Without -o the
experiment is printed, its paths relative to the case folder; with -o its paths are absolute unless
FILE lies in the case folder. Exits with 3 and one sentence if experiments do not support the case.
Needs Python 3.9 and nothing else.
"""
import argparse
import json
import os
import re
import sys

from experiment_text import Block, CannotSay, Enum, pair_text, text_of

ESTIMATORS = {
    "LinearClassifier": "linear_classifier",
    "LinearRegressor": "linear_regressor",
    "LinearEstimator": "linear_estimator",
    "DNNClassifier": "dnn_classifier",
    "DNNRegressor": "dnn_regressor",
    "DNNEstimator": "dnn_estimator",
    "DNNLinearCombinedClassifier": "dnn_linear_combined_classifier",
    "DNNLinearCombinedRegressor": "dnn_linear_combined_regressor",
    "DNNLinearCombinedEstimator": "dnn_linear_combined_estimator",
    "BaselineClassifier": "baseline_classifier",
    "BaselineRegressor": "baseline_regressor",
    "BaselineEstimator": "baseline_estimator",
    "BoostedTreesClassifier": "boosted_trees_classifier",
    "BoostedTreesRegressor": "boosted_trees_regressor",
    "BoostedTreesEstimator": "boosted_trees_estimator",
    "KMeans": "kmeans",
    "RNNClassifier": "rnn_classifier",
    "RNNEstimator": "rnn_estimator",
}
HEADS = {
    "BinaryClassHead": "binary_class_head",
    "MultiClassHead": "multi_class_head",
    "MultiLabelHead": "multi_label_head",
    "RegressionHead": "regression_head",
    "PoissonRegressionHead": "poisson_regression_head",
    "LogisticRegressionHead": "logistic_regression_head",
    "MultiHead": "multi_head",
}
OPTIMIZERS = {
    "SGD": "sgd",
    "Adagrad": "adagrad",
    "Adam": "adam",
    "Nadam": "nadam",
    "RMSprop": "rmsprop",
    "RMSProp": "rmsprop",
    "Ftrl": "ftrl",
    "Adadelta": "adadelta",
    "Adamax": "adamax",
    "LinearSDCA": "linear_sdca",
}
SCHEDULES = {name: name for name in (
    "exponential_decay", "polynomial_decay", "cosine_decay", "piecewise_constant",
    "inverse_time_decay", "natural_exp_decay", "cosine_decay_restarts", "linear_cosine_decay")}
SCHEDULES["piecewise_constant_decay"] = "piecewise_constant"
# Arguments of an optimizer that are next to its message, not in it.
OPTIMIZER_EXTRAS = ("clipnorm", "clipvalue", "global_clipnorm", "decay")
ENUMS = {"activation_fn", "dnn_activation_fn", "loss_reduction", "sparse_combiner",
         "linear_sparse_combiner", "combiner", "dtype", "reduce", "cross_device_ops",
         "implementation", "dense", "embedding", "batch_norm_scope",
         "pruning_mode", "distance_metric", "cell_type"}
# What the texts of list features in TFRecord files are joined with (kListSeparator).
LIST_SEPARATOR = "|"


def flattened(value):
    if isinstance(value, list):
        return [x for item in value for x in flattened(item)]
    return [value]


def known(table, name, what):
    if name not in table:
        raise CannotSay("experiments have no %s '%s' yet" % (what, name))
    return table[name]


class Converter:
    def __init__(self, case, folder, absolute):
        self.case = case
        self.folder = folder
        self.absolute = absolute
        self.columns = []  # (handle, Block)
        self.handles = {}  # JSON of a column -> handle

    def path(self, name):
        if self.absolute and not os.path.isabs(name):
            return os.path.join(os.path.abspath(self.folder), name)
        return name

    # --- data ---------------------------------------------------------------------------------

    def csv(self, name):
        return Block().add("csv", Block().add("files", self.path(name)).add("header", True))

    def label(self, label):
        block = Block()
        if "heads" in label:
            heads = Block()
            for name, one in label["heads"].items():
                heads.add("head", Block().add("name", name) + self.label(one))
            return block.add("heads", heads)
        if "split" in label:
            cell = Block().add("column", label["column"]).add("separator", label["split"])
            if label.get("dtype"):
                cell.add("dtype", Enum(label["dtype"]))
            return block.add("split", cell)
        if "columns" in label:
            columns = Block()
            for name in label["columns"]:
                columns.add("column", name)
            return block.add("columns", columns)
        return block.add("column", label["column"])

    def data(self):
        data = self.case["data"]
        if data.get("format") == "sequence_example":
            return self.sequences(data)
        if data.get("format", "csv") != "csv":
            raise CannotSay("experiments cannot read the format '%s' yet" % data["format"])
        block = Block().add("train", self.csv("train.csv")).add("eval", self.csv("eval.csv"))
        if data.get("label"):
            block.add("label", self.label(data["label"]))
        for column in data["columns"]:
            entry = Block().add("name", column["name"]).add("dtype", Enum(column["dtype"]))
            default = column.get("default")
            if default is not None:
                entry.add("default_value", default if isinstance(default, str) else repr(default))
            block.add("column", entry)
        for feature in data.get("features", []):
            made = self.feature(feature)
            if made:
                block.add("feature", Block().add("name", feature["name"]) + made)
        return block

    def sequences(self, data):
        """Records of tf.SequenceExample: the lists are texts that features split again."""
        block = Block()
        for part in ("train", "eval"):
            block.add(part, Block().add("tfrecord", Block().add(
                "files", self.path(part + ".tfrecord"))))
        block.add("label", self.label(data["label"]))
        for name, dtype in data["context"].items():
            block.add("column", Block().add("name", name).add("dtype", Enum(dtype)))
        for name, dtype in data["sequence"].items():
            cell = Block().add("column", name).add("separator", LIST_SEPARATOR)
            if dtype != "string":
                cell.add("dtype", Enum(dtype))
            block.add("feature", Block().add("name", name).add("split", cell))
        return block

    @staticmethod
    def feature(feature):
        if "split" in feature:
            cell = Block().add("column", feature.get("column", feature["name"]))
            cell.add("separator", feature["split"])
            if feature.get("dtype", "string") != "string":
                cell.add("dtype", Enum(feature["dtype"]))
            return Block().add("split", cell)
        if "columns" in feature:
            stack = Block().add("columns", feature["columns"])
            if feature.get("shape"):
                stack.add("shape", feature["shape"])
            if feature.get("dtype"):
                stack.add("dtype", Enum(feature["dtype"]))
            return Block().add("stack", stack)
        return None

    # --- feature columns ----------------------------------------------------------------------

    def handle(self, column):
        """The handle of a feature column, defined on first use."""
        identity = json.dumps(column, sort_keys=True)
        if identity not in self.handles:
            kind = column["type"]
            body = known(self.COLUMNS, kind, "feature column")(self, column)
            name = self.unused(self.name_of(column))
            self.handles[identity] = name
            self.columns.append((name, kind, body))
        return self.handles[identity]

    def unused(self, name):
        taken = {handle for handle, _, _ in self.columns}
        candidate, number = name, 1
        while candidate in taken:
            number += 1
            candidate = "%s_%d" % (name, number)
        return candidate

    def name_of(self, column):
        kind = column["type"]
        if kind == "bucketized_column":
            return self.name_of(column["source_column"]) + "_bucketized"
        if kind == "crossed_column":
            return "_X_".join(k if isinstance(k, str) else self.name_of(k) for k in column["keys"])
        if kind == "weighted_categorical_column":
            return self.name_of(column["categorical_column"]) + "_weighted"
        if kind == "indicator_column":
            return self.name_of(column["categorical_column"]) + "_indicator"
        if kind == "embedding_column":
            return self.name_of(column["categorical_column"]) + "_embedding"
        if kind == "shared_embeddings":
            return "_".join(self.name_of(c) for c in column["categorical_columns"]) + "_shared"
        return column["key"]

    def plain(self, column, *fields):
        """The arguments that are the same in an experiment as in TensorFlow."""
        block = Block()
        for field in fields:
            value = column.get(field)
            if value is not None:
                block.add(field, Enum(value) if field in ENUMS else value)
        return block

    def numeric(self, column):
        block = self.plain(column, "key", "shape")
        if column.get("default_value") is not None:
            block.add("default_value", flattened(column["default_value"]))
        block += self.plain(column, "dtype")
        normalizer = column.get("normalizer")
        if normalizer:
            block.add("normalizer", Block().add(
                "subtract_divide", Block().add("subtract", normalizer.get("subtract", 0.0))
                .add("divide", normalizer.get("divide", 1.0))))
        return block

    def bucketized(self, column):
        return Block().add("source_column", self.handle(column["source_column"])).add(
            "boundaries", column["boundaries"])

    def vocabulary_list(self, column):
        words = column["vocabulary_list"]
        integers = bool(words) and not isinstance(words[0], str)
        block = Block().add("key", column["key"]).add("vocabulary_list", [str(w) for w in words])
        dtype = column.get("dtype") or ("int64" if integers else None)
        if dtype:
            block.add("dtype", Enum(dtype))
        return block + self.plain(column, "default_value", "num_oov_buckets")

    def vocabulary_file(self, column):
        return Block().add("key", column["key"]).add(
            "vocabulary_file", self.path(column["vocabulary_file"])) + self.plain(
                column, "vocabulary_size", "num_oov_buckets", "default_value", "dtype")

    def crossed(self, column):
        block = Block()
        for key in column["keys"]:
            block.add("key", Block().add("feature", key) if isinstance(key, str)
                      else Block().add("column", self.handle(key)))
        return block + self.plain(column, "hash_bucket_size", "hash_key")

    def weighted(self, column):
        return Block().add("categorical_column", self.handle(column["categorical_column"])) + \
            self.plain(column, "weight_feature_key", "dtype")

    def indicator(self, column):
        return Block().add("categorical_column", self.handle(column["categorical_column"]))

    def embedding(self, column):
        block = Block().add("categorical_column", self.handle(column["categorical_column"]))
        return block + self.embedding_arguments(column)

    def shared(self, column):
        block = Block().add("categorical_columns",
                            [self.handle(c) for c in column["categorical_columns"]])
        # TensorFlow 2.15 never trains a shared embedding of a DNN estimator; ours does by default.
        return block + self.embedding_arguments({"trainable": False, **column},
                                                "shared_embedding_collection_name")

    def embedding_arguments(self, column, *more):
        block = self.plain(column, "dimension", "combiner", *more)
        if column.get("initializer"):
            block.add("initializer", self.initializer(column["initializer"]))
        if column.get("ckpt_to_load_from"):
            block.add("ckpt_to_load_from", self.path(column["ckpt_to_load_from"]))
        return block + self.plain(column, "tensor_name_in_ckpt", "max_norm", "trainable",
                                  "use_safe_embedding_lookup")

    @staticmethod
    def initializer(value):
        if set(value) != {"constant"}:
            raise CannotSay("the initializer %s is not a constant" % json.dumps(value))
        return Block().add("constant", Block().add("value", flattened(value["constant"])))

    COLUMNS = {
        "numeric_column": numeric,
        "bucketized_column": bucketized,
        "categorical_column_with_vocabulary_list": vocabulary_list,
        "categorical_column_with_vocabulary_file": vocabulary_file,
        "categorical_column_with_hash_bucket":
            lambda self, c: self.plain(c, "key", "hash_bucket_size", "dtype"),
        "categorical_column_with_identity":
            lambda self, c: self.plain(c, "key", "num_buckets", "default_value"),
        "crossed_column": crossed,
        "weighted_categorical_column": weighted,
        "indicator_column": indicator,
        "embedding_column": embedding,
        "shared_embeddings": shared,
        "sequence_numeric_column": numeric,
        "sequence_categorical_column_with_vocabulary_list": vocabulary_list,
        "sequence_categorical_column_with_vocabulary_file": vocabulary_file,
        "sequence_categorical_column_with_hash_bucket":
            lambda self, c: self.plain(c, "key", "hash_bucket_size", "dtype"),
        "sequence_categorical_column_with_identity":
            lambda self, c: self.plain(c, "key", "num_buckets", "default_value"),
    }

    # --- estimator ----------------------------------------------------------------------------

    def weight_column(self, value):
        if isinstance(value, str):
            return Block().add("feature", value)
        return Block().add("column", self.handle(value))

    def head(self, head):
        block = Block()
        for field, value in head.items():
            if field == "class" or value is None:
                continue
            if field == "heads":
                for one in value:
                    block.add("heads", self.head(one))
            elif field == "weight_column":
                block.add(field, self.weight_column(value))
            elif field == "classes_for_class_based_metrics":
                block.add(field, [str(v) for v in value])
            elif field == "loss_reduction":
                block.add(field, Enum(value.upper()))
            else:
                block.add(field, value)
        return Block().add(known(HEADS, head["class"], "head"), block)

    def optimizer(self, value):
        if isinstance(value, str):
            return Block().add(known(OPTIMIZERS, value, "optimizer"), Block())
        inner, outer = Block(), Block()
        for field, argument in value.items():
            if field == "class" or argument is None:
                continue
            if isinstance(argument, dict) and "schedule" in argument:
                outer.add("learning_rate_schedule", self.schedule(argument))
            elif field in OPTIMIZER_EXTRAS:
                outer.add(field, argument)
            else:
                inner.add(field, argument)
        return Block().add(known(OPTIMIZERS, value["class"], "optimizer"), inner) + outer

    @staticmethod
    def schedule(value):
        block = Block()
        for field, argument in value.items():
            if field not in ("schedule", "name") and argument is not None:
                block.add(field, argument)
        return Block().add(known(SCHEDULES, value["schedule"], "schedule"), block)

    def estimator(self):
        name = known(ESTIMATORS, self.case["estimator"], "estimator")
        block = Block()
        for field, value in self.case["arguments"].items():
            if value is None:
                continue
            if field.endswith("feature_columns"):
                block.add(field, [self.handle(c) for c in value])
            elif field.endswith("optimizer"):
                # Only a name means the estimator's own default for Ftrl and Adagrad.
                if not (isinstance(value, str) and value in ("Ftrl", "Adagrad")):
                    block.add(field, self.optimizer(value))
            elif field == "weight_column":
                block.add(field, self.weight_column(value))
            elif field == "head":
                block.add(field, self.head(value))
            elif field == "loss_reduction":
                block.add(field, Enum(value.upper()))
            elif field == "initial_clusters":
                block.add(field, self.clusters(value))
            elif field in ENUMS:
                block.add(field, Enum(value))
            else:
                block.add(field, value)
                if field == "units" and isinstance(value, list) and len(value) == 1:
                    block.add("stacked_cells", True)
        return Block().add(name, block)

    @staticmethod
    def clusters(value):
        if isinstance(value, str):
            return Block().add(value, Block())
        return Block().add("given", Block().add("value", flattened(value)))

    def warm_start(self):
        settings = self.case.get("warm_start")
        if not settings:
            return None
        block = Block().add("ckpt_to_initialize_from",
                            self.path(settings["ckpt_to_initialize_from"]))
        chosen = settings.get("vars_to_warm_start", ".*")
        if chosen is None:
            block.add("none", Block())
        elif isinstance(chosen, str):
            block.add("pattern", chosen)
        else:
            block.add("variables", Block().add("pattern", chosen))
        for name, info in (settings.get("var_name_to_vocab_info") or {}).items():
            entry = Block().add("var_name", name)
            for field in ("new_vocab", "new_vocab_size", "num_oov_buckets", "old_vocab",
                          "old_vocab_size"):
                value = info.get(field)
                if value is not None:
                    entry.add(field, self.path(value) if field in ("new_vocab", "old_vocab")
                              else value)
            if info.get("backup_initializer"):
                entry.add("backup_initializer", self.initializer(info["backup_initializer"]))
            entry.add("axis", info.get("axis"))
            block.add("var_name_to_vocab_info", entry)
        for name, previous in (settings.get("var_name_to_prev_var_name") or {}).items():
            block.add("var_name_to_prev_var_name",
                      Block().add("var_name", name).add("prev_var_name", previous))
        return block

    def strategy(self):
        """`{"mirrored": {"devices": ["CPU:0", "CPU:1"]}}` and the like, in the schema's own words."""
        return self.message(self.case["strategy"])

    def message(self, value):
        block = Block()
        for field, argument in value.items():
            block.add(field, self.message(argument) if isinstance(argument, dict)
                      else Enum(argument) if field in ENUMS else argument)
        return block

    # --- all of it ----------------------------------------------------------------------------

    def experiment(self):
        case = self.case
        estimator = self.estimator()
        lines = ["name: " + text_of(case.get("name", "case"))]
        lines.append("data {")
        lines += ["  " + pair_text(field, value) for field, value in self.data()]
        lines.append("}")
        for name, kind, body in self.columns:
            lines.append("feature_column { name: %s %s }" % (text_of(name), pair_text(kind, body)))
        lines.append(pair_text("estimator", estimator))
        warm_start = self.warm_start()
        if warm_start:
            lines.append(pair_text("warm_start", warm_start))
        batches = "input { batch_size: %d num_epochs: %d shuffle: false }"
        lines.append("train_spec { max_steps: %d %s }" % (
            case["steps"], batches % (case["batch_size"], case.get("num_epochs", 0))))
        lines.append("eval_spec { steps: 0 throttle_secs: 0 %s }" % (
            batches % (case.get("eval_batch_size", case["batch_size"]), 0)))
        lines.append("run_config { tf_random_seed: %d save_checkpoints_steps: %d "
                     "save_summary_steps: 1 }" % (case.get("seed", 1), case["steps"]))
        if "strategy" in case:
            lines.append(pair_text("strategy", self.strategy()))
        return re.sub(r"\{ \}", "{}", "\n".join(lines)) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("case_folder")
    parser.add_argument("-o", "--output")
    arguments = parser.parse_args()
    with open(os.path.join(arguments.case_folder, "case.json"), encoding="utf-8") as stream:
        case = json.load(stream)
    absolute = arguments.output is not None and not os.path.samefile(
        os.path.dirname(os.path.abspath(arguments.output)), arguments.case_folder)
    try:
        text = Converter(case, arguments.case_folder, absolute).experiment()
    except CannotSay as problem:
        print("%s: %s." % (case.get("name", arguments.case_folder), problem), file=sys.stderr)
        return 3
    if arguments.output:
        with open(arguments.output, "w", encoding="utf-8") as stream:
            stream.write(text)
    else:
        sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
