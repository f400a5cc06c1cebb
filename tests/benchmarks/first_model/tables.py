# SPDX-License-Identifier: Apache-2.0
"""The tables that a first model is measured on, as data frames with their label and task.

`named()`: those of ../shared/data and those that scikit-learn ships. `made()`: seeded tables of the
kinds that break automatic choices: few rows, many columns, odd scales, codes, holes, rare classes.
A task is "auc" (two classes), "accuracy" (more) or "r2" (numbers)."""
import pathlib

import numpy as np
import pandas as pd
from sklearn import datasets


class Table:
    """`held`: the share of rows that nothing learns from, or how many are made for that alone."""

    def __init__(self, name, frame, label, task, held=0.2):
        self.name, self.frame, self.label, self.task = name, frame.reset_index(drop=True), label, task
        self.held = held

    def row_count(self):
        """Without those that were made to be held."""
        return len(self.frame) - (self.held if self.held >= 1 else 0)


def shipped(name, loader, task):
    bunch = loader(as_frame=True)
    frame = bunch.data.copy()
    frame["label"] = bunch.target
    return Table(name, frame, "label", task)


def linnerud():
    bunch = datasets.load_linnerud(as_frame=True)
    for target in bunch.target.columns:
        frame = bunch.data.copy()
        frame["label"] = bunch.target[target]
        yield Table(f"linnerud {target.lower()}", frame, "label", "r2")


def named(folder):
    folder = pathlib.Path(folder)
    yield Table("titanic", pd.concat([pd.read_csv(folder / "titanic/train.csv"),
                                      pd.read_csv(folder / "titanic/eval.csv")]), "survived", "auc")
    yield Table("adult", pd.concat([pd.read_csv(folder / "adult/train.csv"),
                                    pd.read_csv(folder / "adult/eval.csv")]), "income_bracket", "auc")
    yield Table("penguins", pd.read_csv(folder / "penguins/penguins.csv"), "species", "accuracy")
    yield Table("penguins mass", pd.read_csv(folder / "penguins/penguins.csv")
                .dropna(subset=["body_mass_g"]), "body_mass_g", "r2")
    yield Table("iris", pd.read_csv(folder / "iris/iris.csv"), "species", "accuracy")
    yield Table("auto_mpg", pd.read_csv(folder / "auto_mpg/auto_mpg.csv"), "mpg", "r2")
    abalone = pd.read_csv(folder / "abalone/abalone.csv")
    yield Table("abalone", abalone.assign(rings=abalone.rings.astype(float) + 0.5), "rings", "r2")
    for colour in ("red", "white"):
        wine = pd.read_csv(folder / f"wine_quality/winequality-{colour}.csv", sep=";")
        yield Table(f"wine {colour}", wine, "quality", "accuracy")
    yield Table("california", pd.read_csv(folder / "california_housing/housing.csv"),
                "median_house_value", "r2")
    yield shipped("breast_cancer", datasets.load_breast_cancer, "auc")
    yield shipped("wine", datasets.load_wine, "accuracy")
    yield shipped("digits", datasets.load_digits, "accuracy")
    yield shipped("diabetes", datasets.load_diabetes, "r2")
    yield from linnerud()


def numbers(random, rows, columns, **_):
    return pd.DataFrame(random.normal(size=(rows, columns)), columns=[f"x{i}" for i in range(columns)])


def linear_label(random, frame, noise, used=None):
    values = frame.to_numpy(float)
    weights = random.normal(size=values.shape[1])
    if used is not None:
        weights[used:] = 0
    signal = values @ weights
    return (signal - signal.mean()) / signal.std() + noise * random.normal(size=len(frame))


def regression(name, seed, rows, columns, noise, used=None, scale=1.0, offset=0.0):
    random = np.random.default_rng(seed)
    frame = numbers(random, rows, columns)
    frame["label"] = offset + scale * linear_label(random, frame, noise, used)
    return Table(name, frame, "label", "r2")


def classes(name, seed, rows, columns, count, informative, held=0.2, **options):
    x, y = datasets.make_classification(rows, columns, n_informative=informative, n_classes=count,
                                        random_state=seed, **options)
    frame = pd.DataFrame(x, columns=[f"x{i}" for i in range(columns)])
    frame["label"] = [f"class {c}" for c in y]
    return Table(name, frame, "label", "auc" if count == 2 else "accuracy", held)


def friedman(name, make, seed, rows, **options):
    x, y = make(rows, random_state=seed, **options)
    frame = pd.DataFrame(x, columns=[f"x{i}" for i in range(x.shape[1])])
    frame["label"] = y
    return Table(name, frame, "label", "r2")


def heavy_tails():
    random = np.random.default_rng(21)
    x = random.standard_t(1.2, size=(900, 8))
    frame = pd.DataFrame(x, columns=[f"x{i}" for i in range(8)])
    frame["income"] = np.exp(random.normal(10, 2, 900))
    signal = np.tanh(x[:, 0]) + 0.5 * np.log(frame.income) - np.sign(x[:, 1])
    frame["label"] = signal + 0.5 * random.normal(size=900)
    return Table("heavy tails", frame, "label", "r2")


def prices():
    random = np.random.default_rng(22)
    rows = 700
    frame = pd.DataFrame({
        "area": random.gamma(4, 30, rows).round(1), "rooms": random.integers(1, 9, rows),
        "year_built": random.integers(1890, 2024, rows),
        "postcode": random.choice(random.integers(10000, 99999, 25), rows),
        "listed_at": 1.6e9 + random.integers(0, 9e7, rows),
        "listing": random.permutation(np.arange(500_000, 500_000 + 3 * rows, 3)),
        "district": random.choice(["north", "south", "east", "west", "old town"], rows)})
    frame["listed_at"] = frame.listed_at.astype("int64")
    base = 2500 * frame.area + 30000 * frame.rooms + 900 * (frame.year_built - 1950)
    area = frame.postcode.map({code: random.normal(1, 0.25) for code in frame.postcode.unique()})
    frame["price"] = (base * area * np.exp(random.normal(0, 0.12, rows)) + 150000).round(-2)
    frame.loc[random.random(rows) < 0.1, "area"] = np.nan
    return Table("prices", frame, "price", "r2")


def holes():
    random = np.random.default_rng(23)
    rows = 500
    frame = numbers(random, rows, 6)
    label = (linear_label(random, frame, 1.0) > 0.3).astype(int)
    frame["nearly_empty"] = np.nan
    frame.loc[17, "nearly_empty"] = 1.81344e6
    frame["constant"] = 7
    frame["mostly_missing"] = np.where(random.random(rows) < 0.9, np.nan, random.normal(size=rows))
    frame["big_and_narrow"] = 7_000_000_000 + random.integers(0, 40, rows)
    for column in ("x0", "x3"):
        frame.loc[random.random(rows) < 0.3, column] = np.nan
    frame["label"] = np.where(label == 1, "yes", "no")
    return Table("holes", frame, "label", "auc")


def codes():
    random = np.random.default_rng(24)
    rows = 1200
    shop = random.integers(0, 60, rows)
    effect = random.normal(0, 1.0, 60)
    frame = pd.DataFrame({"shop": 340_000 + 7 * shop, "customer": random.integers(0, 10**9, rows),
                          "amount": np.exp(random.normal(3, 1.5, rows)),
                          "weekday": random.choice(list("abcdefg"), rows)})
    odds = effect[shop] + 0.5 * (np.log(frame.amount) - 3) - 0.7
    frame["label"] = (random.random(rows) < 1 / (1 + np.exp(-odds))).astype(int)
    return Table("codes", frame, "label", "auc")


def categories():
    random = np.random.default_rng(25)
    rows = 2500
    city = random.zipf(1.3, rows) % 400
    effect = random.normal(0, 1.2, 400)
    brand = random.integers(0, 30, rows)
    brands = random.normal(0, 0.7, 30)
    frame = pd.DataFrame({"city": [f"city {c}" for c in city], "brand": [f"brand {b}" for b in brand],
                          "x": random.normal(size=rows)})
    frame["label"] = 3e6 + 4e5 * (effect[city] + brands[brand] + 0.5 * frame.x
                                  + 0.6 * random.normal(size=rows))
    return Table("many categories", frame, "label", "r2")


def duplicates():
    random = np.random.default_rng(26)
    base = numbers(random, 350, 8)
    for i in range(8):
        for k in range(4):
            base[f"copy{i}_{k}"] = base[f"x{i}"] + 0.02 * random.normal(size=350)
    base["label"] = 1e-9 * linear_label(random, base[[f"x{i}" for i in range(8)]], 0.4)
    return Table("near duplicates", base, "label", "r2")


def rings():
    random = np.random.default_rng(27)
    x = random.uniform(-2, 2, size=(3000, 5))
    frame = pd.DataFrame(x, columns=list("abcde"))
    odds = 3 * (np.hypot(x[:, 0], x[:, 1]) - 1.4) * np.where(x[:, 2] > 0, 1, -1)
    frame["label"] = (random.random(3000) < 1 / (1 + np.exp(-2 * odds))).astype(int)
    return Table("rings", frame, "label", "auc")


def wide(name, seed, rows, columns, task, noise=0.5, used=10):
    random = np.random.default_rng(seed)
    frame = numbers(random, rows, columns)
    label = linear_label(random, frame, noise, used)
    frame["label"] = label if task == "r2" else np.where(label > 0, "high", "low")
    return Table(name, frame, "label", task)


def spectra():
    random = np.random.default_rng(28)
    rows, columns = 215, 100
    parts = random.gamma(3, 1, size=(rows, 5))
    peaks = np.array([np.exp(-0.5 * ((np.arange(columns) - c) / w) ** 2)
                      for c, w in zip((15, 35, 50, 70, 85), (9, 14, 20, 12, 8))])
    values = parts @ peaks + 0.01 * random.normal(size=(rows, columns)) + 2
    frame = pd.DataFrame(values, columns=[f"w{i}" for i in range(columns)])
    frame["label"] = 10 + 3 * parts[:, 1] + 0.5 * random.normal(size=rows)
    return Table("spectra", frame, "label", "r2")


def counts():
    random = np.random.default_rng(29)
    rows = 4000
    frame = pd.DataFrame({"visits": random.negative_binomial(1, 0.05, rows),
                          "spend": np.round(np.exp(random.normal(2, 2, rows)), 2),
                          "age": random.integers(18, 90, rows),
                          "plan": random.choice(["basic", "plus", "max"], rows, p=[.7, .2, .1])})
    odds = 0.6 * np.log1p(frame.visits) - 0.4 * np.log(frame.spend) - 0.001 * (frame.age - 45) ** 2 - 4.4
    odds += frame.plan.map({"basic": 0, "plus": 0.8, "max": 1.6})
    frame["label"] = np.where(random.random(rows) < 1 / (1 + np.exp(-odds)), "fraud", "fine")
    return Table("rare class", frame, "label", "auc")


def made():
    yield regression("few rows, 5 columns", 1, 250, 5, 0.5, scale=1e6, offset=5e6)
    yield regression("few rows, 20 columns", 2, 300, 20, 1.0)
    yield regression("few rows, 60 columns", 3, 200, 60, 1.0, scale=1e-9)
    yield regression("few rows, 100 columns", 4, 400, 100, 0.7, used=15, scale=40, offset=1990)
    yield regression("low signal", 5, 800, 12, 4.0)
    yield regression("twenty rows", 6, 25, 3, 0.4, scale=100)
    yield wide("fewer rows than columns", 7, 80, 200, "r2", noise=0.3, used=5)
    yield wide("wide classes", 8, 120, 300, "auc")
    yield friedman("friedman 1", datasets.make_friedman1, 9, 1000, noise=1.0)
    yield friedman("friedman 2", datasets.make_friedman2, 10, 600, noise=50.0)
    yield friedman("friedman 3", datasets.make_friedman3, 11, 500, noise=0.1)
    yield classes("classes 1:50", 12, 3000, 12, 2, 6, weights=[0.98], class_sep=0.8)
    yield classes("1:50, many held", 12, 32400, 12, 2, 6, held=30000, weights=[0.98], class_sep=0.8)
    yield classes("four classes", 13, 900, 20, 4, 8)
    yield classes("ten classes", 14, 2000, 30, 10, 12)
    yield classes("hard classes", 15, 500, 40, 2, 4, flip_y=0.2, class_sep=0.6)
    yield heavy_tails()
    yield prices()
    yield holes()
    yield codes()
    yield categories()
    yield duplicates()
    yield rings()
    yield spectra()
    yield counts()
