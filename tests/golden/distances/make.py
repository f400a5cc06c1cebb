#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes distances.json: L-infinity and Jensen-Shannon distances of pairs of columns, as TensorFlow
Data Validation 1.15.1 measures drift.

TFDV is not installed for it, only unpacked, with its protocol buffers, in a folder of wheels:
    pip download --no-deps -d WHEELS tensorflow-data-validation==1.15.1 tensorflow-metadata==1.15.0
    python make.py WHEELS
"""
import glob
import importlib.util
import json
import os
import sys
import tempfile
import zipfile

EXTENSION = "tensorflow_data_validation/pywrap/tensorflow_data_validation_extension.so"
TEXTS = [
    ({"a": 5, "b": 3, "c": 2}, {"a": 2, "b": 3, "d": 5}),
    ({"a": 1}, {"a": 7}),
    ({"a": 1, "b": 2}, {"c": 4, "d": 1}),
    ({"a": 997, "b": 2, "c": 1}, {"b": 3, "c": 13, "a": 1}),
]
# Begin, end and the counts of equal bars.
NUMBERS = [
    ((0, 10, [3, 1, 4, 1, 5, 9, 2, 6, 5, 4]), (5, 20, [2, 7, 1, 8, 2, 8, 1, 8, 2, 8])),
    ((0, 10, [3, 1, 4, 1, 5, 9, 2, 6, 5, 4]), (0, 10, [1] * 10)),
    ((0, 4, [2, 2]), (1, 3, [5, 5])),
    ((-1, 1, [1, 2, 3]), (-1, 1, [3, 2, 1])),
    ((0, 1, [5, 5]), (2, 3, [1, 1])),
    ((0, 1, [1, 0, 0, 4]), (0.2, 0.9, [3, 3, 1])),
]


def unpack(wheels, folder):
    for wheel in glob.glob(os.path.join(wheels, "*.whl")):
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder)
    sys.path.insert(0, folder)
    path = os.path.join(folder, EXTENSION)
    spec = importlib.util.spec_from_file_location("tensorflow_data_validation_extension", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.validation


def statistics(column):
    from tensorflow_metadata.proto.v0 import statistics_pb2
    dataset = statistics_pb2.DatasetFeatureStatistics()
    feature = dataset.features.add(name="column")
    if isinstance(column, dict):
        feature.type = statistics_pb2.FeatureNameStatistics.STRING
        feature.string_stats.unique = len(column)
        for place, (text, count) in enumerate(sorted(column.items(), key=lambda c: -c[1])):
            feature.string_stats.rank_histogram.buckets.add(
                low_rank=place, high_rank=place, label=text, sample_count=count)
        common, total = feature.string_stats.common_stats, sum(column.values())
    else:
        begin, end, counts = column
        feature.type = statistics_pb2.FeatureNameStatistics.FLOAT
        histogram = feature.num_stats.histograms.add(type=statistics_pb2.Histogram.STANDARD)
        width = (end - begin) / len(counts)
        for i, count in enumerate(counts):
            histogram.buckets.add(low_value=begin + width * i, high_value=begin + width * (i + 1),
                                  sample_count=count)
        common, total = feature.num_stats.common_stats, sum(counts)
    dataset.num_examples = common.num_non_missing = common.tot_num_values = total
    common.min_num_values = common.max_num_values = 1
    return dataset.SerializeToString()


def distance(tfdv, kind, first, second):
    from tensorflow_metadata.proto.v0 import anomalies_pb2, schema_pb2
    schema = schema_pb2.Schema()
    feature = schema.feature.add(name="column")
    feature.type = schema_pb2.BYTES if isinstance(first, dict) else schema_pb2.FLOAT
    getattr(feature.drift_comparator, kind).threshold = 0
    anomalies = anomalies_pb2.Anomalies()
    anomalies.ParseFromString(tfdv.ValidateFeatureStatistics(
        statistics(first), schema.SerializeToString(), b"", statistics(second), b"", b"", b"", b"",
        False))
    (info,) = anomalies.drift_skew_info
    (measured,) = info.drift_measurements
    return measured.value


def main():
    with tempfile.TemporaryDirectory() as folder:
        tfdv = unpack(sys.argv[1], folder)
        pairs = [{"first": first, "second": second,
                  "jensen_shannon": distance(tfdv, "jensen_shannon_divergence", first, second)}
                 for first, second in TEXTS + NUMBERS]
        for pair in pairs[:len(TEXTS)]:
            pair["infinity_norm"] = distance(tfdv, "infinity_norm", pair["first"], pair["second"])
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "distances.json")
    with open(path, "w", encoding="utf-8") as stream:
        json.dump(pairs, stream, indent=1)
        stream.write("\n")


if __name__ == "__main__":
    main()
