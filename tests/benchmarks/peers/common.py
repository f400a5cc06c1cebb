# SPDX-License-Identifier: Apache-2.0
"""What the peers share: their arguments, the tables as arrays, and how a loop is timed.

A peer is started as `python peers/NAME.py WORK ARGUMENTS`, ARGUMENTS being a JSON object, and
prints one JSON object: {"peer": name and version, "results": {key: {"value": .., "cpu": ..}}}.
`cpu` is processor seconds for one unit of the work (a step, a row, a megabyte).
"""
import csv
import importlib
import json
import os
import resource
import sys
import time

NUMBERS = ["age", "education_num", "capital_gain", "capital_loss", "hours_per_week"]
WORDS = ["workclass", "education", "marital_status", "occupation", "relationship", "race", "gender"]
COUNTS, CATEGORIES, ID_BUCKETS = 13, 26, 40000


def start(works):
    """Runs the work named on the command line, a function of `works`, and prints what it returns."""
    arguments = json.loads(sys.argv[2])
    results, name = works[sys.argv[1]](arguments)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    for result in results.values():
        result.setdefault("megabytes", peak)
    print(json.dumps({"peer": name, "results": results}))


def timed(make_steps, seconds, units=1):
    """The best of four stretches of a loop: make_steps(n) takes n steps of `units` units each."""
    make_steps(1)
    count = 1
    while True:
        begin = time.perf_counter()
        make_steps(count)
        spent = time.perf_counter() - begin
        if spent > seconds / 8:
            break
        count = count * 4 if spent < seconds / 64 else count * 2
    best = None
    for _ in range(4):
        begin, cpu = time.perf_counter(), time.process_time()
        make_steps(count)
        spent = time.perf_counter() - begin
        result = {"value": count * units / spent,
                  "cpu": (time.process_time() - cpu) / (count * units)}
        if best is None or result["value"] > best["value"]:
            best = result
    return best


def better(first, second):
    """The faster of two results; None is none."""
    if second is None:
        return first
    return second if first is None or second["value"] > first["value"] else first


def census(path):
    """(numbers scaled, words by column, countries, labels) of the sample, as arrays."""
    import numpy as np
    with open(path, encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    numbers = np.array([[float(r[n]) for n in NUMBERS] for r in rows], np.float32)
    words = {w: np.array(["" if r[w] == "?" else r[w] for r in rows]) for w in WORDS}
    countries = np.array(["" if r["native_country"] == "?" else r["native_country"] for r in rows])
    labels = np.array([r["income_bracket"] == ">50K" for r in rows], np.float32)
    return numbers, words, countries, labels


def census_encoded(path):
    """(floats [rows, 5 scaled numbers and 58 indicators], country ids below 100, labels)."""
    import numpy as np
    numbers, words, countries, labels = census(path)
    parts = [(numbers - numbers.mean(0)) / numbers.std(0)]
    for column in WORDS:
        vocabulary = sorted(set(words[column]) - {""})
        parts.append(np.array([[w == v for v in vocabulary] for w in words[column]], np.float32))
    names = sorted(set(countries))
    ids = np.array([names.index(c) for c in countries], np.int64)
    return np.ascontiguousarray(np.concatenate(parts, 1), np.float32), ids, labels


def criteo(path):
    """(counts as log(1 + x), ids of each category, labels) of a table in the form `ids`."""
    import numpy as np
    table = np.fromfile(path, np.int32).reshape(-1, 1 + COUNTS + CATEGORIES)
    return (np.log1p(table[:, 1:1 + COUNTS].astype(np.float32)),
            np.ascontiguousarray(table[:, 1 + COUNTS:], np.int64), table[:, 0].astype(np.float32))


def higgs(path, columns=28):
    import numpy as np
    table = np.fromfile(path, np.float32).reshape(-1, 1 + columns)
    return np.ascontiguousarray(table[:, 1:]), np.ascontiguousarray(table[:, 0])


def threads(arguments):
    return int(arguments.get("threads", len(os.sched_getaffinity(0))))


def version(module):
    return importlib.import_module(module).__version__
