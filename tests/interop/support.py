# SPDX-License-Identifier: Apache-2.0
"""What the interoperability tests share: the program, golden cases, comparisons."""
import base64
import csv
import json
import os
import shutil
import subprocess
import sys

import numpy as np

CANNERY = os.environ["CANNERY"]
ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
GOLDEN = os.path.join(ROOT, "tests", "golden")
CASES = os.path.join(GOLDEN, "training")


def cannery(*arguments):
    """Runs the program and returns its stdout; its stderr is part of the failure."""
    done = subprocess.run([CANNERY, *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError("cannery %s: exit %d\n%s" % (" ".join(arguments), done.returncode,
                                                          done.stderr))
    return done.stdout


def read_json(*parts):
    with open(os.path.join(*parts), encoding="utf-8") as stream:
        return json.load(stream)


def read_csv(path):
    with open(path, encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def experiment_of(case, folder):
    """Writes the experiment of a golden case into a folder; None if experiments do not support it yet."""
    target = os.path.join(folder, case + ".cannery")
    done = subprocess.run([sys.executable, os.path.join(GOLDEN, "to_experiment.py"),
                           os.path.join(CASES, case), "-o", target], capture_output=True,
                          text=True, check=False)
    if done.returncode == 3:
        return None
    assert done.returncode == 0, done.stderr
    return target


def runnable_cases():
    """Golden cases with all their files (the others have only a case.json)."""
    cases = sorted(c for c in os.listdir(CASES) if os.path.isdir(os.path.join(CASES, c, "final")))
    assert len(cases) >= 10, "golden cases are missing: %s" % cases
    return cases


def model_dir_from(case, which, folder):
    """A model_dir as TensorFlow left it: golden `initial` or `final`."""
    target = os.path.join(folder, case + "_" + which)
    shutil.copytree(os.path.join(CASES, case, which), target)
    return target


def decoded(examples):
    return [base64.b64decode(e["base64"]) for e in examples]


def as_array(value):
    """A golden value: numbers with NaN and infinities as text, or texts."""
    special = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}

    def convert(item):
        if isinstance(item, list):
            return [convert(i) for i in item]
        return special.get(item, item) if isinstance(item, str) else item

    return np.array(convert(value))


def assert_close(test, actual, expected, what, tolerance=1e-5):
    actual, expected = np.asarray(actual), np.asarray(expected)
    test.assertEqual(list(actual.shape), list(expected.shape), what)
    if actual.dtype.kind in "OSU" or expected.dtype.kind in "OSU":
        texts = [a.decode() if isinstance(a, bytes) else a for a in actual.ravel().tolist()]
        test.assertEqual(texts, expected.ravel().tolist(), what)
    elif expected.dtype.kind in "iub":
        test.assertEqual(actual.tolist(), expected.tolist(), what)
    else:
        bound = tolerance * (1 + np.abs(expected))
        worst = np.max(np.abs(actual - expected) - bound) if actual.size else 0
        test.assertLessEqual(worst, 0, "%s: %s against %s" % (what, actual, expected))
