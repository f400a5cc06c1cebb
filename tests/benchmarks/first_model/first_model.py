#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`cannery new`, `train` and `evaluate` on held rows beside scikit-learn's linear model and its
histogram boosting, and with --race beside CatBoost and AutoGluon. See README.md; run.sh makes the
environment and calls this."""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import numpy as np
import pandas as pd
import sklearn
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.metrics import accuracy_score, r2_score, roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

import racers
import tables

FEW_ROWS = 1500


def split_count(table):
    return 5 if len(table.frame) < FEW_ROWS or table.held >= 1 else 2


def split(table, seed):
    frame = table.frame
    strata = frame[table.label] if table.task != "r2" else None
    return train_test_split(frame, test_size=table.held, random_state=seed, stratify=strata)


def score(task, model, rows, label):
    if task == "auc":
        return roc_auc_score(label, model.predict_proba(rows)[:, 1])
    return (accuracy_score if task == "accuracy" else r2_score)(label, model.predict(rows))


def peer_models(table, rows):
    texts = [c for c in rows.columns if not pd.api.types.is_numeric_dtype(rows[c])]
    numeric = [c for c in rows.columns if c not in texts and rows[c].notna().any()]
    scaled = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    one_hot = make_pipeline(SimpleImputer(strategy="constant", fill_value="missing"),
                            OneHotEncoder(handle_unknown="ignore"))
    ordinal = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    regression = table.task == "r2"
    linear = (RidgeCV(alphas=np.logspace(-3, 3, 13)) if regression
              else LogisticRegression(max_iter=2000))
    boosting = (HistGradientBoostingRegressor if regression else HistGradientBoostingClassifier)
    return {
        "linear": make_pipeline(ColumnTransformer([("n", scaled, numeric), ("t", one_hot, texts)]),
                                linear),
        "boosting": make_pipeline(ColumnTransformer([("n", "passthrough", numeric),
                                                     ("t", ordinal, texts)]),
                                  boosting(random_state=0))}


def run_peers(table, seed):
    train, held = split(table, seed)
    texts = [c for c in train.columns if not pd.api.types.is_numeric_dtype(train[c])]
    train, held = (part.astype({c: object for c in texts}) for part in (train, held))
    rows, label = train.drop(columns=table.label), train[table.label]
    scores = {}
    for name, model in peer_models(table, rows).items():
        model.fit(rows, label)
        scores[name] = score(table.task, model, held.drop(columns=table.label), held[table.label])
    return scores


def run_racer(name, table, seed):
    """{"score", "seconds"} of one racer."""
    train, held = split(table, seed)
    label = held[table.label]
    found, seconds = racers.race(name, table.task, train.drop(columns=table.label),
                                 train[table.label], held.drop(columns=table.label), seed)
    measure = {"auc": roc_auc_score, "accuracy": accuracy_score, "r2": r2_score}[table.task]
    if table.task == "accuracy":
        found, label = found.astype(str), label.astype(str)
    return {"score": measure(label, found), "seconds": seconds}


def cached(table, seed, cache, who, run):
    """What `run` gives, measured once for each table, split and text of this file."""
    text = table.frame.to_csv(index=False) + table.label + table.task + sklearn.__version__ + who
    code = pathlib.Path(__file__).read_text().split("def cached")[0]
    key = hashlib.sha256((text + code + pathlib.Path(racers.__file__).read_text())
                         .encode()).hexdigest()[:20]
    file = cache / f"{key}-{seed}.json"
    if not file.exists():
        file.write_text(json.dumps(run()))
    return json.loads(file.read_text())


def cached_peers(table, seed, cache):
    return cached(table, seed, cache, "", lambda: run_peers(table, seed))


def run_ours(table, seed, options):
    """The score on the held rows, and the seconds that `new` and `train` took."""
    train, held = split(table, seed)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="first-model-"))
    try:
        train.to_csv(folder / "table.csv", index=False)
        held.to_csv(folder / "held.csv", index=False)

        def cannery(*words):
            done = subprocess.run([os.environ["CANNERY"], *words], cwd=folder, text=True,
                                  capture_output=True)
            if done.returncode != 0:
                raise RuntimeError(f"{table.name}: cannery {' '.join(words)}: {done.stderr}")
            return done.stdout

        begin = time.time()
        cannery("new", "table.csv", "--label", table.label, *options.new)
        made = time.time()
        cannery("train", "table.cannery", "--seed", str(seed + 1), "--threads",
                str(options.threads))
        trained = time.time()
        metrics = json.loads(cannery("evaluate", "latest", "--data", "held.csv", "--json"))["metrics"]
        value = metrics.get(table.task)
        if table.task == "r2":
            spread = np.mean((held[table.label] - held[table.label].mean()) ** 2)
            value = 1 - metrics["average_loss"] / spread
        if options.keep:
            kept = pathlib.Path(options.keep) / f"{table.name}-{seed}.cannery".replace(" ", "_")
            kept.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(folder / "table.cannery", kept)
        return value, made - begin, trained - made
    finally:
        shutil.rmtree(folder)


def measure(table, options, cache):
    ours, linear, boosting, new_seconds, train_seconds = [], [], [], [], []
    raced = {name: [] for name in options.race}
    for seed in range(min(split_count(table), options.splits or 99)):
        peers = cached_peers(table, seed, cache)
        linear.append(peers["linear"])
        boosting.append(peers["boosting"])
        for name, results in raced.items():
            results.append(cached(table, seed, cache, name,
                                  lambda name=name: run_racer(name, table, seed)))
        if not options.peers_only:
            value, made, trained = run_ours(table, seed, options)
            ours.append(value)
            new_seconds.append(made)
            train_seconds.append(trained)
    mean = (lambda values: float(np.mean(values)) if values else float("nan"))
    return {"table": table.name, "rows": table.row_count(), "columns": table.frame.shape[1] - 1,
            "task": table.task, "splits": len(linear), "ours": mean(ours), "linear": mean(linear),
            "boosting": mean(boosting), "new": mean(new_seconds), "train": mean(train_seconds),
            "race": {name: {key: mean([result[key] for result in results])
                            for key in ("score", "seconds")}
                     for name, results in raced.items()}}


def race_text(rows):
    """Of each racer: its mean, how far ours is ahead of it, and its seconds beside ours."""
    lines = []
    for name in rows[0]["race"]:
        score, seconds = (np.array([row["race"][name][key] for row in rows])
                          for key in ("score", "seconds"))
        ours = np.array([row["ours"] for row in rows])
        took = np.array([row["new"] + row["train"] for row in rows])
        lines.append(f"{name}: mean {score.mean():.3f}, ours − it {(ours - score).mean():+.3f}; "
                     f"{seconds.mean():.1f} s a table, ours {took.mean():.1f} s; behind by more than "
                     f"0.01: " + (", ".join(row["table"] for row, it in zip(rows, score)
                                            if row["ours"] < it - 0.01) or "nowhere"))
    return "\n".join(lines)


def row_text(row):
    behind = row["ours"] - row["linear"]
    return (f"| {row['table']} | {row['rows']:,} × {row['columns']} | "
            f"{ {'auc': 'AUC', 'accuracy': 'accuracy', 'r2': 'R²'}[row['task']] } | {row['splits']} | {row['ours']:.3f} | "
            f"{row['linear']:.3f} | {row['boosting']:.3f} | {behind:+.3f}"
            f"{' **behind**' if behind < -0.01 else ''} | "
            f"{row['ours'] - max(row['linear'], row['boosting']):+.3f} |")


HEAD = ("| Table | Rows × columns | Measure | Splits | Cannery | Linear | Boosting | Ours − linear | "
        "Ours − better of the two |\n|---|---|---|---|---|---|---|---|---|")


def summary(rows):
    ours = np.array([row["ours"] for row in rows])
    linear = np.array([row["linear"] for row in rows])
    boosting = np.array([row["boosting"] for row in rows])
    return (f"{len(rows)} tables: mean of ours {ours.mean():.3f}, linear {linear.mean():.3f}, "
            f"boosting {boosting.mean():.3f}; ours − better of the two "
            f"{(ours - np.maximum(linear, boosting)).mean():+.3f}; "
            f"behind the linear model by more than 0.01: {int((ours - linear < -0.01).sum())}.")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", default="../shared/data", help="folder of the named tables")
    parser.add_argument("--set", choices=("named", "made", "all"), default="all")
    parser.add_argument("--only", default="", help="parts of names, separated by commas")
    parser.add_argument("--splits", type=int, default=0, help="at most so many")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--keep", default="", help="folder for the experiments written")
    parser.add_argument("--json", default="")
    parser.add_argument("--peers-only", action="store_true")
    parser.add_argument("--race", default="", help="catboost, autogluon, or both")
    parser.add_argument("--new", action="append", default=[], help="passed on to `cannery new`")
    options = parser.parse_args()
    options.race = [name for name in options.race.split(",") if name]
    cache = pathlib.Path(os.environ.get("BENCHMARK_CACHE", pathlib.Path.home() / ".cache/cannery/benchmarks"))
    cache = cache / "first_model"
    cache.mkdir(parents=True, exist_ok=True)
    chosen = []
    if options.set != "made":
        chosen += tables.named(options.data)
    if options.set != "named":
        chosen += tables.made()
    words = [word for word in options.only.split(",") if word]
    chosen = [t for t in chosen if not words or any(word in t.name for word in words)]
    print(HEAD, flush=True)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        rows = []
        for row in pool.map(lambda table: measure(table, options, cache), chosen):
            rows.append(row)
            print(row_text(row), flush=True)
    print("\n" + summary(rows))
    if options.race:
        print(race_text(rows))
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    sys.exit(main())
