# SPDX-License-Identifier: Apache-2.0
"""Writes further_metrics.json in tests/golden/tables and its second/ with real Keras.

Each set of rows has the labels and predictions of one kind of head, rounded so that there are ties,
and every metric of an eval_spec that fits it, in the text format of spec.Metric. Brier score and
calibration error, which Keras lacks, are computed from their definitions by NumPy.
"""
import json
import os

os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"  # as in the other goldens

import numpy as np
import tensorflow as tf

TABLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden", "tables")
keras = tf.keras.metrics


def streamed(metric, labels, predictions, weights):
    """Over two batches of unequal size."""
    cut = len(labels) * 2 // 3
    for part in (slice(0, cut), slice(cut, None)):
        metric.update_state(labels[part], predictions[part],
                            None if weights is None else weights[part])
    return metric.result().numpy().tolist()


def brier(rows):
    weights = rows["w"] if rows["w"] is not None else np.ones(len(rows["y"]))
    return float(np.average(np.sum((rows["p"] - rows["y"]) ** 2, axis=1), weights=weights))


def calibration_error(probabilities, right, weights, bins):
    """Naeini et al. (2015); bins (0, 1/n], (1/n, 2/n] ... with 0 in the first."""
    index = np.clip(np.ceil(probabilities * bins).astype(int) - 1, 0, bins - 1)
    error = 0.0
    for one in range(bins):
        weight = weights[index == one]
        if weight.sum() > 0:
            error += abs(np.sum(weight * (probabilities - right)[index == one]))
    return float(error / weights.sum())


def curve_metrics(rows, flat_weights):
    for curve in ("ROC", "PR"):
        for summation in ("interpolation", "minoring", "majoring"):
            for count in (2, 7, 200):
                yield (f"auc {{ curve: {curve} num_thresholds: {count} "
                       f"summation_method: {summation} }}",
                       streamed(keras.AUC(num_thresholds=count, curve=curve,
                                          summation_method=summation),
                                rows["y"], rows["p"], flat_weights))
    for count in (1, 2, 30, 200):
        for at in (0.0, 0.55, 0.8, 1.0):
            yield (f"recall_at_precision {{ precision: {at} num_thresholds: {count} }}",
                   streamed(keras.RecallAtPrecision(at, num_thresholds=count), rows["y"],
                            rows["p"], flat_weights))
            yield (f"precision_at_recall {{ recall: {at} num_thresholds: {count} }}",
                   streamed(keras.PrecisionAtRecall(at, num_thresholds=count), rows["y"],
                            rows["p"], flat_weights))


def thresholded(rows, flat_weights):
    for threshold in (0.3, 0.5):
        yield (f"accuracy {{ threshold: {threshold} }}",
               streamed(keras.BinaryAccuracy(threshold=threshold), rows["y"], rows["p"],
                        rows["w"]))
        for name, kind in (("precision", keras.Precision), ("recall", keras.Recall)):
            yield (f"{name} {{ threshold: {threshold} }}",
                   streamed(kind(thresholds=threshold), rows["y"], rows["p"], flat_weights))
        for average in ("macro", "micro", "weighted"):
            yield (f"f1_score {{ average: {average} threshold: {threshold} }}",
                   streamed(keras.F1Score(average=average, threshold=threshold), rows["y"],
                            rows["p"], rows["w"]))


def errors(rows):
    yield "mean {}", streamed_mean(rows)
    for name, kind in (("mean_absolute_error", keras.MeanAbsoluteError),
                       ("mean_squared_error", keras.MeanSquaredError),
                       ("root_mean_squared_error", keras.RootMeanSquaredError),
                       ("r2_score", keras.R2Score)):
        yield name + " {}", streamed(kind(), rows["y"], rows["p"], rows["w"])


def streamed_mean(rows):
    weights = None if rows["w"] is None else rows["w"][:, None]
    metric = keras.Mean()
    metric.update_state(rows["p"], sample_weight=weights)
    return float(metric.result().numpy())


def of_numbers(rows):
    yield from errors(rows)
    yield ("mean_absolute_percentage_error {}",
           streamed(keras.MeanAbsolutePercentageError(), rows["y"], rows["p"], rows["w"]))


def per_class(labels, predicted, weights, classes):
    """[precision, recall, F1, rows] of each class; all are one-hot."""
    table = []
    f1 = streamed(keras.F1Score(average=None, threshold=0.5), labels, predicted, weights)
    flat = None if weights is None else weights[:, None]
    for one in range(classes):
        column = slice(one, one + 1)
        table.append([streamed(kind(), labels[:, column], predicted[:, column], flat)
                      for kind in (keras.Precision, keras.Recall)] +
                     [f1[one], float(np.sum(labels[:, one] if weights is None
                                            else labels[:, one] * weights))])
    return table


def of_probability(rows):
    flat = None if rows["w"] is None else rows["w"][:, None]
    yield from errors(rows)
    yield from thresholded(rows, flat)
    yield from curve_metrics(rows, flat)
    yield "log_loss {}", streamed(keras.BinaryCrossentropy(), rows["y"], rows["p"], rows["w"])
    yield "brier_score {}", brier(rows)
    ones = np.ones(len(rows["y"])) if rows["w"] is None else rows["w"]
    for bins in (1, 4, 10):
        yield (f"calibration_error {{ bins: {bins} }}",
               calibration_error(rows["p"][:, 0], rows["y"][:, 0], ones, bins))
    for threshold in (0.3, 0.5):
        positive = (rows["p"][:, 0] > np.float32(threshold)).astype(int)
        yield (f"confusion_matrix {{ threshold: {threshold} }}",
               tf.math.confusion_matrix(rows["y"][:, 0].astype(int), positive, 2, rows["w"],
                                        dtype=tf.float64).numpy().tolist())
    positive = rows["p"] > 0.5
    yield "per_class {}", per_class(
        np.hstack([1 - rows["y"], rows["y"]]).astype(np.float32),
        np.hstack([~positive, positive]).astype(np.float32), rows["w"], 2)


def of_classes(rows):
    classes = rows["p"].shape[1]
    one_hot = np.eye(classes, dtype=np.float32)[rows["y"][:, 0].astype(int)]
    flat = None if rows["w"] is None else rows["w"][:, None]
    ids = rows["y"][:, 0]
    yield "accuracy {}", streamed(keras.SparseCategoricalAccuracy(), ids, rows["p"], rows["w"])
    predicted = np.eye(classes, dtype=np.float32)[np.argmax(rows["p"], axis=1)]
    for name, kind in (("precision", keras.Precision), ("recall", keras.Recall)):
        yield name + " {}", streamed(kind(), one_hot, predicted, flat)
    for average in ("macro", "micro", "weighted"):
        yield (f"f1_score {{ average: {average} }}",
               streamed(keras.F1Score(average=average), one_hot, rows["p"], rows["w"]))
    for k in (1, 2, classes, classes + 4):
        yield (f"top_k_categorical_accuracy {{ k: {k} }}",
               streamed(keras.SparseTopKCategoricalAccuracy(k=k), ids, rows["p"], rows["w"]))
    yield "log_loss {}", streamed(keras.SparseCategoricalCrossentropy(), ids, rows["p"], rows["w"])
    yield "brier_score {}", brier({"p": rows["p"], "y": one_hot, "w": rows["w"]})
    ones = np.ones(len(ids)) if rows["w"] is None else rows["w"]
    for bins in (1, 4, 10):
        yield (f"calibration_error {{ bins: {bins} }}",
               calibration_error(rows["p"].max(axis=1),
                                 (np.argmax(rows["p"], axis=1) == ids).astype(float), ones, bins))
    yield ("confusion_matrix {}",
           tf.math.confusion_matrix(ids.astype(int), np.argmax(rows["p"], axis=1), classes,
                                    rows["w"], dtype=tf.float64).numpy().tolist())
    yield "per_class {}", per_class(one_hot, predicted, rows["w"], classes)


def of_labels(rows):
    flat = None if rows["w"] is None else rows["w"][:, None]
    yield from thresholded(rows, flat)
    yield from curve_metrics(rows, flat)
    yield "log_loss {}", streamed(keras.BinaryCrossentropy(), rows["y"], rows["p"], rows["w"])
    yield "brier_score {}", brier(rows)
    ones = np.ones(len(rows["y"])) if rows["w"] is None else rows["w"]
    for bins in (1, 4, 10):
        yield (f"calibration_error {{ bins: {bins} }}",
               calibration_error(rows["p"].ravel(), rows["y"].ravel(),
                                 np.repeat(ones, rows["p"].shape[1]), bins))
    yield "per_class {}", per_class(rows["y"], (rows["p"] > 0.5).astype(np.float32), rows["w"],
                                    rows["p"].shape[1])


def softmax_of_coarse_logits(random, count, classes):
    logits = np.round(random.normal(size=(count, classes)) * 1.5, 0)
    exponents = np.exp(logits - logits.max(axis=1, keepdims=True))
    return exponents / exponents.sum(axis=1, keepdims=True)


def make_rows(seed, kind, count, width, weighted):
    random = np.random.default_rng(seed)
    if kind == "number":
        labels = np.round(random.normal(size=(count, width)) * 3, 1)
        labels[1] = 0.0
        predictions = np.round(labels + random.normal(size=(count, width)), 1)
    elif kind == "class_id":
        labels = random.integers(0, width - 1, size=(count, 1))  # the last class never occurs
        predictions = softmax_of_coarse_logits(random, count, width)
    else:
        labels = random.integers(0, 2, size=(count, width))
        predictions = np.clip(np.round(random.normal(size=(count, width)) * 0.3 + 0.3 +
                                       0.3 * labels, 1), 0.0, 1.0)
    weights = np.round(random.uniform(0.2, 3.0, size=count), 1) if weighted else None
    return {"p": predictions.astype(np.float32), "y": labels.astype(np.float32),
            "w": None if weights is None else weights.astype(np.float32)}


METRICS = {"number": of_numbers, "probability": of_probability, "class_id": of_classes,
           "multi_hot": of_labels}


def table(seed, kinds):
    sets = []
    for kind, count, width, weighted in kinds:
        seed += 1
        rows = make_rows(seed, kind, count, width, weighted)
        sets.append({"labels_are": kind, "width": width, "predictions": rows["p"].tolist(),
                     "labels": rows["y"].tolist(),
                     "weights": None if rows["w"] is None else rows["w"].tolist(),
                     "results": [{"metric": metric, "value": value}
                                 for metric, value in METRICS[kind](rows)]})
    return {"tensorflow": tf.__version__, "sets": sets}


def write(folder, content):
    with open(os.path.join(folder, "further_metrics.json"), "w") as file:
        json.dump(content, file, separators=(",", ":"))
        file.write("\n")


if __name__ == "__main__":
    write(TABLES, table(1, (("number", 31, 1, False), ("number", 31, 1, True),
                            ("number", 20, 3, True), ("probability", 40, 1, False),
                            ("probability", 40, 1, True), ("class_id", 40, 4, False),
                            ("class_id", 40, 4, True), ("multi_hot", 25, 3, False),
                            ("multi_hot", 25, 3, True))))
    write(os.path.join(TABLES, "second"),
          table(50, (("number", 12, 2, True), ("probability", 90, 1, True),
                     ("class_id", 70, 7, True), ("multi_hot", 30, 2, True))))
