# SPDX-License-Identifier: Apache-2.0
"""Peers that search or ensemble: CatBoost as it comes, and AutoGluon's medium preset with a limit of
60 seconds. Each is given the same rows as `cannery new`; seconds are those of fitting."""
import tempfile
import time

import pandas as pd

AUTOGLUON_SECONDS = 60


def texts_of(rows):
    return [c for c in rows.columns if not pd.api.types.is_numeric_dtype(rows[c])]


def catboost(task, rows, label, held, seed):
    """The model's predictions of the held rows: probabilities of the second class, else values."""
    from catboost import CatBoostClassifier, CatBoostRegressor
    kind = CatBoostRegressor if task == "r2" else CatBoostClassifier
    texts = texts_of(rows)
    rows, held = (part.assign(**{c: part[c].astype(object).where(part[c].notna(), "missing")
                                 .astype(str) for c in texts}) for part in (rows, held))
    model = kind(verbose=False, random_seed=seed, allow_writing_files=False, cat_features=texts)
    model.fit(rows, label)
    return model.predict_proba(held)[:, 1] if task == "auc" else model.predict(held).reshape(-1)


def autogluon(task, rows, label, held, seed):
    from autogluon.tabular import TabularPredictor
    measure = {"auc": "roc_auc", "accuracy": "accuracy", "r2": "r2"}[task]
    with tempfile.TemporaryDirectory(prefix="autogluon-") as place:
        predictor = TabularPredictor(label="label of the race", eval_metric=measure, path=place,
                                     verbosity=0, problem_type={
                                         "auc": "binary", "accuracy": "multiclass",
                                         "r2": "regression"}[task])
        predictor.fit(rows.assign(**{"label of the race": label}), presets="medium_quality",
                      time_limit=AUTOGLUON_SECONDS)
        if task == "auc":
            return predictor.predict_proba(held)[predictor.positive_class].to_numpy()
        return predictor.predict(held).to_numpy()


RACERS = {"catboost": catboost, "autogluon": autogluon}


def race(name, task, rows, label, held, seed):
    """(predictions, seconds)."""
    begin = time.time()
    predictions = RACERS[name](task, rows, label, held, seed)
    return predictions, time.time() - begin
