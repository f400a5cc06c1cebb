#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Boosted trees with `histogram {}`, LightGBM, XGBoost and CatBoost on the same rows, with the same
options: AUC on held rows (mean over random splits), and rows that ours and LightGBM's predict a
second. See README.md."""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import catboost
import lightgbm
import numpy as np
import pandas as pd
import xgboost
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "first_model"))
import tables

TREES, LEAVES, RATE = 100, 31, 0.1


def interactions():
    """28 floats that matter alone and in pairs."""
    random = np.random.default_rng(7)
    x = random.normal(size=(100_000, 28)).astype(np.float32)
    weights = random.normal(size=28) / 3
    odds = x @ weights + sum(x[:, i] * x[:, i + 1] for i in range(0, 8, 2)) * 0.7
    frame = pd.DataFrame(x, columns=[f"f{i}" for i in range(28)])
    frame["label"] = (random.random(len(x)) < 1 / (1 + np.exp(-odds))).astype(int)
    return tables.Table("interactions", frame, "label", "auc")


def chosen(folder):
    named = {table.name: table for table in tables.named(pathlib.Path(folder))}
    return [named["adult"], tables.rings(), tables.counts(), interactions()]


def text(value):
    return json.dumps(str(value))


def experiment(frame, label, classes):
    lines = ['data { train { csv { files: "train.csv" } } label { column: %s } }' % text(label)]
    names = [column for column in frame.columns if column != label]
    for name in names:
        column = frame[name]
        if pd.api.types.is_numeric_dtype(column):
            kind = "numeric_column { key: %s }" % text(name)
        else:
            kind = ("categorical_column_with_vocabulary_list { key: %s vocabulary_list: [%s] }"
                    % (text(name), ", ".join(text(word) for word in sorted(column.unique()))))
        lines.append("feature_column { name: %s %s }" % (text(name), kind))
    lines.append(
        "estimator { boosted_trees_classifier { n_trees: %d learning_rate: %g "
        "histogram { max_leaves: %d } feature_columns: [%s]%s } }"
        % (TREES, RATE, LEAVES, ", ".join(text(name) for name in names),
           "" if classes is None else " label_vocabulary: [%s]" % ", ".join(map(text, classes))))
    lines.append("run_config { tf_random_seed: 1 }")
    return "\n".join(lines) + "\n"


def run(*words, folder):
    done = subprocess.run(words, cwd=folder, text=True, capture_output=True)
    if done.returncode != 0:
        raise RuntimeError("%s: %s" % (" ".join(map(str, words)), done.stderr))
    return done.stdout


def ours(train, held, table, options):
    """AUC, rows predicted a second."""
    classes = None
    if not pd.api.types.is_numeric_dtype(table.frame[table.label]):
        classes = sorted(table.frame[table.label].unique())
    folder = tempfile.mkdtemp(prefix="tree-quality-")
    try:
        train.to_csv(os.path.join(folder, "train.csv"), index=False)
        held.to_csv(os.path.join(folder, "held.csv"), index=False)
        file = pathlib.Path(folder, "trees.cannery")
        file.write_text(experiment(table.frame, table.label, classes))
        cannery = os.environ["CANNERY"]
        run(cannery, "train", file, "--model-dir", "model", "--threads", str(options.threads),
            folder=folder)
        lines = run(cannery, "predict", "model", "--data", "held.csv", folder=folder).splitlines()
        names = lines[0].split(",")
        at = max(i for i, name in enumerate(names) if name.startswith("prob"))
        scores = [float(line.split(",")[at]) for line in lines[1:]]
        rate = json.loads(run(os.environ["CANNERY_BENCHMARK"], "predict", "model", "held.csv",
                              str(options.threads), str(options.seconds),
                              folder=folder))["rows_per_second"]
    finally:
        shutil.rmtree(folder)
    return scores, rate


def categories(table):
    return {c: pd.CategoricalDtype(sorted(table.frame[c].unique())) for c in table.frame.columns
            if c != table.label and not pd.api.types.is_numeric_dtype(table.frame[c])}


def of_light_gbm(train, label, held, table, options):
    """AUC, rows predicted a second."""
    texts = categories(table)
    rows, held_rows = train.astype(texts), held.astype(texts)
    booster = lightgbm.train(
        {"objective": "binary", "verbose": -1, "num_leaves": LEAVES, "learning_rate": RATE,
         "num_threads": options.threads, "seed": 1}, lightgbm.Dataset(rows, label), TREES)
    scores = booster.predict(held_rows)
    matrix = np.column_stack([held_rows[c].cat.codes if c in texts else held_rows[c]
                              for c in held_rows.columns]).astype(np.float64)
    plain = lightgbm.Booster(model_str=booster.model_to_string())
    plain.pandas_categorical = None
    predicted, begin = 0, time.perf_counter()
    while time.perf_counter() - begin < options.seconds:
        plain.predict(matrix, num_threads=options.threads)
        predicted += len(matrix)
    return scores, predicted / (time.perf_counter() - begin)


def of_xg_boost(train, label, held, table, options):
    """Leaf by leaf, as the others."""
    texts = categories(table)
    model = xgboost.XGBClassifier(
        n_estimators=TREES, max_leaves=LEAVES, max_depth=0, grow_policy="lossguide",
        learning_rate=RATE, tree_method="hist", enable_categorical=True, n_jobs=options.threads,
        random_state=1)
    model.fit(train.astype(texts), label)
    return model.predict_proba(held.astype(texts))[:, 1]


def of_cat_boost(train, label, held, table, options):
    model = catboost.CatBoostClassifier(
        iterations=TREES, grow_policy="Lossguide", max_leaves=LEAVES, depth=16, learning_rate=RATE,
        cat_features=list(categories(table)), thread_count=options.threads, random_seed=1,
        allow_writing_files=False, logging_level="Silent")
    model.fit(train, label)
    return model.predict_proba(held)[:, 1]


def theirs(train, held, table, options):
    """Scores of each peer, rows that LightGBM predicts a second."""
    positive = sorted(table.frame[table.label].unique())[1]
    label = (train[table.label] == positive).astype(int)
    given = (train.drop(columns=table.label), label, held.drop(columns=table.label), table, options)
    scores, rate = of_light_gbm(*given)
    return [scores, of_xg_boost(*given), of_cat_boost(*given)], rate


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", default="../shared/data", help="folder of the named tables")
    parser.add_argument("--only", default="", help="parts of names, separated by commas")
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--seconds", type=float, default=1.0, help="length of one measurement")
    options = parser.parse_args()
    print("| Table | Rows × columns | AUC: Cannery | LightGBM %s | XGBoost %s | CatBoost %s | "
          "Cannery − LightGBM | Predict: Cannery | Predict: LightGBM | Ratio |\n"
          "|---|---|---|---|---|---|---|---|---|---|"
          % (lightgbm.__version__, xgboost.__version__, catboost.__version__), flush=True)
    words = [word for word in options.only.split(",") if word]
    for table in chosen(options.data):
        if words and not any(word in table.name for word in words):
            continue
        auc, rates = [], []
        for seed in range(options.splits):
            train, held = train_test_split(table.frame, test_size=0.2, random_state=seed,
                                           stratify=table.frame[table.label])
            positive = held[table.label] == sorted(table.frame[table.label].unique())[1]
            scores, rate = ours(train, held, table, options)
            peers, peer_rate = theirs(train, held, table, options)
            auc.append([roc_auc_score(positive, side) for side in [scores, *peers]])
            rates.append([rate, peer_rate])
        auc = np.array(auc)
        lead = auc[:, 0] - auc[:, 1]
        error = np.std(lead, ddof=1) / len(lead) ** 0.5 if len(lead) > 1 else float("nan")
        r, s = np.median(rates, 0)
        print(f"| {table.name} | {len(table.frame):,} × {table.frame.shape[1] - 1} | "
              f"{' | '.join('%.4f' % mean for mean in auc.mean(0))} | "
              f"{lead.mean():+.4f} ± {error:.4f} | {r / 1e6:.2f} M rows/s | "
              f"{s / 1e6:.2f} M rows/s | {r / s:.2f}× |", flush=True)


if __name__ == "__main__":
    main()
