# SPDX-License-Identifier: Apache-2.0
"""How well boosted trees rank rows that they have not seen, beside LightGBM with the same arguments:
the area under the ROC curve on four tables.
    tree_quality.py CANNERY        (with the Python that environment.sh prints)
"""
import csv
import os
import subprocess
import sys
import tempfile

import lightgbm
import numpy as np

import tables as t

TREES, LEAVES, RATE = 100, 31, 0.1


def auc(labels, scores):
    """Of pairs of a positive and a negative row, the share that is in order; ties count half."""
    values, inverse, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    positive = labels == 1
    n = positive.sum()
    return (ranks[positive].sum() - n * (n + 1) / 2) / (n * (len(labels) - n))


def pairs(random):
    """Numbers that matter alone and in pairs."""
    x = random.normal(size=(60000, 10))
    score = x[:, 0] + x[:, 1] * x[:, 2] + np.sin(3 * x[:, 3]) + np.abs(x[:, 4])
    label = score + random.normal(size=len(x)) > 0.8
    rows = [[*("%.5f" % v for v in row), int(y)] for row, y in zip(x, label)]
    return ["x%d" % i for i in range(10)], [], rows


def gaps(random):
    """Numbers with gaps that tell something, and a category of 40 values."""
    x = random.normal(size=(40000, 4))
    city = random.integers(0, 40, size=len(x))
    effect = random.normal(size=40)
    gap = random.random(x.shape) < 0.2
    score = 2 * np.where(gap[:, 0], 0.7, x[:, 0] * x[:, 1]) + effect[city] + gap[:, 2]
    label = score + random.normal(size=len(x)) > 0.5
    rows = [[*("" if g else "%.5f" % v for v, g in zip(row, gone)), "c%d" % c, int(y)]
            for row, gone, c, y in zip(x, gap, city, label)]
    return ["x0", "x1", "x2", "x3"], ["city"], rows


def sample(path, numbers, words, label, positive):
    with open(path, encoding="utf-8", newline="") as stream:
        return [[*(r[n] for n in numbers), *("" if r[w] == "?" else r[w] for w in words),
                 int(r[label] == positive)] for r in csv.DictReader(stream)]


def experiment(numbers, words, rows):
    text = ('data { train { csv { files: "train.csv" } } eval { csv { files: "eval.csv" } } '
            'label { column: "label" } }\n' + t.numeric(numbers))
    for i, word in enumerate(words):
        known = sorted({row[len(numbers) + i] for row in rows} - {""})
        text += ('feature_column { name: "%s" categorical_column_with_vocabulary_list { key: "%s" '
                 "vocabulary_list: [%s] } }\n" % (word, word, t.quoted(known)))
    return (text + "estimator { boosted_trees_classifier { feature_columns: [%s] n_trees: %d "
            "learning_rate: %g histogram { max_leaves: %d } } }\n"
            % (t.quoted(numbers + words), TREES, RATE, LEAVES) + t.RUN)


def ours(cannery, numbers, words, train, test):
    with tempfile.TemporaryDirectory() as folder:
        for name, rows in [("train.csv", train), ("eval.csv", test)]:
            with open(os.path.join(folder, name), "w", encoding="utf-8", newline="") as stream:
                csv.writer(stream).writerows([[*numbers, *words, "label"], *rows])
        with open(os.path.join(folder, "trees.cannery"), "w", encoding="utf-8") as stream:
            stream.write(experiment(numbers, words, train))
        model, predicted = os.path.join(folder, "model"), os.path.join(folder, "predicted.csv")
        subprocess.run([cannery, "train", "trees.cannery", "--model-dir", model, "--quiet"],
                       cwd=folder, check=True)
        subprocess.run([cannery, "predict", "trees.cannery", "--model-dir", model, "--input",
                        "eval.csv", "--output", predicted], cwd=folder, check=True,
                       stdout=subprocess.DEVNULL)
        with open(predicted, encoding="utf-8", newline="") as stream:
            return np.array([float(row["logits"]) for row in csv.DictReader(stream)])


def light_gbm(numbers, words, train, test):
    def matrix(rows):
        columns = [[float(v) if v else np.nan for v in column]
                   for column in list(zip(*rows))[:len(numbers)]]
        for i in range(len(words)):
            known = sorted({row[len(numbers) + i] for row in train} - {""})
            columns.append([known.index(row[len(numbers) + i])
                            if row[len(numbers) + i] in known else np.nan for row in rows])
        return np.array(columns).T, np.array([row[-1] for row in rows])

    floats, labels = matrix(train)
    booster = lightgbm.train(
        {"objective": "binary", "verbose": -1, "num_leaves": LEAVES, "learning_rate": RATE},
        lightgbm.Dataset(floats, labels, categorical_feature=[
            len(numbers) + i for i in range(len(words))]), TREES)
    return booster.predict(matrix(test)[0], raw_score=True)


def every_table():
    random = np.random.default_rng(7)
    for name, make in [("pairs", pairs), ("gaps", gaps)]:
        numbers, words, rows = make(random)
        half = len(rows) // 2
        yield name, numbers, words, rows[:half], rows[half:]
    census = (["age", "education_num", "capital_gain", "capital_loss", "hours_per_week"],
              ["workclass", "education", "marital_status", "occupation", "relationship", "race",
               "gender", "native_country"])
    titanic = (["age", "fare", "n_siblings_spouses", "parch"],
               ["sex", "class", "deck", "embark_town", "alone"])
    for name, (numbers, words), label, positive in [
            ("census", census, "income_bracket", ">50K"), ("titanic", titanic, "survived", "1")]:
        train, test = (sample(os.path.join(t.EXAMPLES, name, "%s_%s.csv" % (name, part)), numbers,
                              words, label, positive) for part in ["train", "eval"])
        yield name, numbers, words, train, test


def main():
    print("| Table | rows | Cannery | LightGBM %s |\n|---|---|---|---|" % lightgbm.__version__)
    for name, numbers, words, train, test in every_table():
        labels = np.array([row[-1] for row in test])
        print("| %s | %d | %.4f | %.4f |" % (
            name, len(train), auc(labels, ours(sys.argv[1], numbers, words, train, test)),
            auc(labels, light_gbm(numbers, words, train, test))), flush=True)


if __name__ == "__main__":
    main()
