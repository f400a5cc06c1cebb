# SPDX-License-Identifier: Apache-2.0
"""The rows of the table: what ours does, who its peers are, and what it must reach.

A work is raced as a whole, ours and each peer in turn; it may fill several rows (batch sizes). Every
side returns {row: {"value": .., "cpu": processor seconds a unit, "megabytes": ..}}.
"""
import json
import os
import shutil
import tempfile
from dataclasses import dataclass, field

import process
import tables as t

HERE = os.path.dirname(os.path.abspath(__file__))
PEERS = os.path.join(HERE, "..", "peers")
AVX2 = {"CANNERY_CPU_LEVEL": "x86-64-v3"}


@dataclass
class Row:
    key: str
    work: str
    unit: str
    goal: float
    versus: str = "ratio"  # "ratio" to the best peer, or "value" of ours
    more: bool = True      # is better
    raced: str = "value"   # the number of ours that stands beside the peers' value


@dataclass
class Peer:
    script: str
    work: str
    environment: str = "peers"  # or "tensorflow"
    whole: str = ""             # this row is the wall time of the whole process


@dataclass
class Work:
    name: str
    rows: list
    ours: object
    peers: list = field(default_factory=list)
    one_core: bool = False
    levels: bool = False  # measured again with AVX2 only
    needs: tuple = ()     # files of the peers, see Context.peer_arguments


class Context:
    """Where everything is, and how long a measurement lasts."""

    def __init__(self, programs, pythons, tables, seconds, quick):
        self.programs, self.pythons, self.tables = programs, pythons, tables
        self.seconds, self.quick = seconds, quick
        self.all_cores = os.sched_getaffinity(0)
        self.one_core = {max(self.all_cores)}
        self.steps = {}  # of the long run, by work, once it was found
        self.work = tempfile.mkdtemp(prefix="cannery-benchmarks-", dir=tables.folder)

    def cannery(self, arguments, cores, environment=None):
        return process.run([self.programs["cannery"], *arguments], cores, environment)

    def benchmark(self, arguments, cores, environment=None):
        usage = process.run([self.programs["cannery_benchmark"], *map(str, arguments)], cores,
                            environment)
        return json.loads(usage.output), usage

    def train(self, experiment, cores, sets, environment=None, keep=None):
        folder = keep or tempfile.mkdtemp(dir=self.work)
        arguments = ["train", experiment, "--model-dir", folder + "/model", "--threads",
                     str(len(cores)), "--quiet"]
        for path, value in sets.items():
            arguments += ["--set", "%s=%s" % (path, value)]
        try:
            return self.cannery(arguments, cores, environment)
        finally:
            if not keep:
                shutil.rmtree(folder)

    def prepare(self):
        """Makes every table, so that no race waits for one."""
        rows = self.tables.rows
        for work in WORKS:
            self.peer_arguments(work.needs)
        for count in [rows["criteo"], rows["criteo"] // 2, rows["dense"]]:
            self.tables.criteo("csv", count)
        self.tables.higgs("csv", rows["dense"], t.DENSE_COLUMNS)
        self.tables.higgs("csv")
        self.tables.higgs("csv", rows["clusters"])

    def peer_arguments(self, needs):
        """What every peer gets, and the files that a work's peers need, made when missing."""
        rows = self.tables.rows
        files = {
            "higgs_csv": lambda: self.tables.higgs("csv"),
            "higgs_records": lambda: self.tables.records(self.programs["cannery"],
                                                         self.tables.higgs("csv")),
            "criteo_records": lambda: self.tables.records(
                self.programs["cannery"], self.tables.criteo("csv", rows["higgs"])),
            "higgs_floats": lambda: self.tables.higgs("floats"),
            "trees_csv": lambda: self.tables.higgs("csv", rows["trees"]),
            "million_floats": lambda: self.tables.higgs("floats", rows["clusters"]),
            "criteo_ids": lambda: self.tables.criteo("ids", rows["dense"]),
            "criteo_vw": lambda: self.tables.criteo("vw"),
            "criteo_vw_half": lambda: self.tables.criteo("vw", rows["criteo"] // 2),
            "dense_floats": lambda: self.tables.higgs("floats", rows["dense"], t.DENSE_COLUMNS),
            "saved_model": lambda: saved_model(self),
            "logs": lambda: self.tables.logs(self.programs["event_load_benchmark"], self.quick)}
        return {
            "seconds": self.seconds, "work": self.work, "rows": rows["criteo"],
            "census": os.path.join(t.CENSUS, "census_train.csv"), "age_boundaries": t.AGES,
            "titanic_train": os.path.join(t.TITANIC, "titanic_train.csv"),
            "titanic_eval": os.path.join(t.TITANIC, "titanic_eval.csv"),
            "columns": t.DENSE_COLUMNS, "megabytes": 2 if self.quick else 100,
            **{name: files[name]() for name in needs}}


def step_rate(context, key, experiment, batch, cores, environment=None, units=1, sets=None):
    """Steps (or, with units = rows a step, rows) a second: the difference of a long and a short run,
    so that starting, reading, saving and evaluating cancel out."""
    def train(steps):
        return context.train(experiment, cores, {
            "train_spec.max_steps": steps, "train_spec.input.batch_size": batch,
            "run_config.save_checkpoints_steps": 10**8, "data.eval": "", "eval_spec": "",
            **(sets or {})}, environment)

    short = 4
    if key not in context.steps:
        steps, first = 8, train(short)
        while True:  # by processor time, which other programs do not change
            spent = (train(short + steps).cpu - first.cpu) / len(cores)
            if spent > context.seconds / 4:
                break
            steps *= 4
        context.steps[key] = max(8, int(steps * context.seconds / spent))
    steps = context.steps[key]
    low, high = train(short), train(short + steps)
    if high.wall <= low.wall:
        raise process.Failed("the long run was not longer than the short one")
    return {"value": steps * units / (high.wall - low.wall),
            "cpu": max(0.0, high.cpu - low.cpu) / (steps * units), "megabytes": high.megabytes}


def rates(name, experiment, batches, units_are_rows=False):
    """Rates of a work at several batch sizes."""
    def ours(context, cores, environment):
        return {str(b): step_rate(context, (name, b, str(environment)), experiment(context), b,
                                  cores, environment, b if units_are_rows else 1)
                for b in batches}
    return ours


def kmeans(context, cores, environment):
    rows = context.tables.rows["clusters"]
    file = context.tables.experiment("kmeans.cannery",
                                     t.kmeans(context.tables.higgs("csv", rows)))
    return {"iterations": step_rate(context, ("kmeans", rows, str(environment)), file, rows, cores,
                                    environment, 1)}


def titanic(context, cores, environment):
    usage = context.train(os.path.join(t.TITANIC, "titanic.cannery"), cores,
                          {"train_spec.max_steps": 200}, environment)
    return {"seconds": {"value": usage.wall, "cpu": usage.cpu, "megabytes": usage.megabytes}}


def per_unit(pairs, units, cores):
    """What `units` more cost: the median of pairs of a long and a short run. No row is done in less
    time than its processor time takes on all cores: a pair that says so has measured the noise of
    what else both runs do, and so does a median of them."""
    costs = sorted((high.wall - low.wall, high.cpu - low.cpu) for high, low in pairs)
    wall, cpu = costs[len(costs) // 2]
    if cpu <= 0 or wall < cpu / len(cores):
        raise process.Failed("%.3g s were measured for work that takes %.3g s on %d cores"
                             % (wall, cpu / len(cores), len(cores)))
    return {"value": units / wall, "cpu": cpu / units, "megabytes": pairs[-1][0].megabytes}


def whole_run(usage, units):
    """A rate with all that a run does beside; for tables too small for a difference of two runs."""
    return {"value": units / usage.wall, "cpu": usage.cpu / units, "megabytes": usage.megabytes}


def hashed_linear(context, cores, environment):
    """Text: an epoch of the whole table less one of its half, five times. Cache: all epochs but the
    first. Nothing is saved on the way, and the last checkpoint is in both runs: so many epochs that
    its noise is small beside them."""
    rows = context.tables.rows["criteo"]
    half = rows // 2
    batch = 128
    epochs_of_cache = 20

    def train(count, epochs):
        experiment = context.tables.experiment(
            "hashed_%d.cannery" % count, t.hashed_linear(context.tables.criteo("csv", count)))
        return context.train(experiment, cores, {
            "train_spec.input.batch_size": batch, "train_spec.input.num_epochs": epochs,
            "run_config.save_checkpoints_steps": 10**8}, environment)

    if context.quick:
        return {"text": whole_run(train(rows, 1), rows),
                "cache": whole_run(train(rows, 4), 4 * rows)}
    pairs = [(train(rows, 1), train(half, 1)) for _ in range(5)]
    more = [(train(rows, 1 + epochs_of_cache), whole) for whole, _ in pairs[:1]]
    return {"text": per_unit(pairs, rows - half, cores),
            "cache": per_unit(more, epochs_of_cache * rows, cores)}


def boosted_trees(context, cores, environment):
    """From the start of the process to the saved model."""
    table = context.tables.higgs("csv", context.tables.rows["trees"])
    usage = context.train(
        context.tables.experiment("boosted_trees.cannery", t.boosted_trees(table)), cores, {},
        environment)
    return {"seconds": {"value": usage.wall, "cpu": usage.cpu, "megabytes": usage.megabytes}}


def multiply_adds():
    sizes = [t.DENSE_COLUMNS, 1024, 512, 256, 1]
    products = [a * b for a, b in zip(sizes, sizes[1:])]
    return 6 * sum(products) - 2 * products[0]  # no gradient of the inputs


def dense_dnn(context, cores, environment):
    """Share of the peak: of a step, against a loop of multiply-adds that takes turns with it in the
    same process; steps a second (which PyTorch's are set against) are those of `cannery train`."""
    experiment = context.tables.experiment(
        "dense_dnn.cannery",
        t.dense_dnn(context.tables.higgs("csv", context.tables.rows["dense"], t.DENSE_COLUMNS)))
    found = rates("dense_dnn", lambda c: experiment, [128, 1024, 4096])(context, cores, environment)
    for batch, result in found.items():
        gflop = multiply_adds() * int(batch) / 1e9
        share, _ = context.benchmark(["steps", experiment, batch, 1, context.seconds / 2], cores,
                                     environment)
        result.update(gflops=gflop * result["value"], steps_per_second=result["value"],
                      value=100 * gflop / share["peak_gflop_per_step"])
    return found


def csv(context, cores, environment):
    found, usage = context.benchmark(["read", context.tables.higgs("csv"), len(cores)], cores,
                                     environment)
    rate, statistics = found["megabytes_per_second"], found["with_statistics"]
    return {"rate": {"value": rate, "cpu": found["cpu"], "megabytes": usage.megabytes},
            "statistics": {"value": rate / statistics, "cpu": found["cpu_with_statistics"],
                           "megabytes": usage.megabytes}}


def records(context, cores, environment):
    results = {}
    for key, table in [("28", context.tables.higgs("csv")),
                       ("39", context.tables.criteo("csv", context.tables.rows["higgs"]))]:
        found, usage = context.benchmark(
            ["read", context.tables.records(context.programs["cannery"], table), len(cores)], cores,
            environment)
        results[key] = {"value": found["rows_per_second"], "cpu": found["cpu_of_row"],
                        "megabytes": usage.megabytes}
    return results


def checkpoint(context, cores, environment):
    folder = tempfile.mkdtemp(dir=context.work)
    found, usage = context.benchmark(["checkpoint", folder, 2 if context.quick else 100], cores,
                                     environment)
    shutil.rmtree(folder)
    return {"stall": {"value": found["stall_ms"], "cpu": 0, "megabytes": usage.megabytes, **found},
            "whole": {"value": found["whole_ms"], "cpu": 0, "megabytes": usage.megabytes}}


def trained_census(context):
    """A run of the census sample, once, and its SavedModel that takes raw columns."""
    folder = context.tables.path("census_run")
    model = os.path.join(folder, "model")
    if not os.path.exists(os.path.join(folder, "complete")):
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        context.train(os.path.join(t.CENSUS, "census.cannery"), context.all_cores,
                      {"eval_spec.exporter": ""}, keep=folder)
        context.cannery(["export", model, "--receiver", "raw", "--output", folder + "/export"],
                        context.all_cores)
        open(os.path.join(folder, "complete"), "w", encoding="utf-8").close()
    return model


def saved_model(context):
    trained_census(context)
    folder = context.tables.path("census_run/export")
    return os.path.join(folder, sorted(os.listdir(folder))[-1])


def predict(context, cores, environment):
    found, usage = context.benchmark(
        ["predict", trained_census(context), os.path.join(t.CENSUS, "census_train.csv"),
         len(cores), context.seconds], cores, environment)
    return {"one_row": {"value": found["one_row_us"], "cpu": found["one_row_us"] / 1e6,
                        "megabytes": usage.megabytes, **found},
            "table": {"value": found["rows_per_second"], "cpu": 0, "megabytes": usage.megabytes}}


def scalars(context, cores, environment):
    folder = tempfile.mkdtemp(dir=context.work)
    count = 100000 if context.quick else 4000000
    found, usage = context.benchmark(["scalars", folder, count], cores, environment)
    shutil.rmtree(folder)
    return {"write": {"value": found["scalars_per_second"], "cpu": usage.cpu / count,
                      "megabytes": usage.megabytes}}


def read_scalars(context, cores, environment):
    logs = context.tables.logs(context.programs["event_load_benchmark"], context.quick)
    usage = process.run([context.programs["event_load_benchmark"], "load", logs], cores,
                        environment)
    first, again = (float(line.split()[0]) for line in usage.output.splitlines()[:2])
    shared = {"cpu": usage.cpu, "megabytes": usage.megabytes}
    return {"read": {"value": first, **shared}, "again": {"value": again, **shared}}


TENSORFLOW, KERAS, TORCH = "estimators.py", "keras_xla.py", "torch_cpu.py"
STEPS, ROWS = "steps/s", "rows/s"

WORKS = [
    Work("titanic", [
        Row("seconds", "Titanic: process start → 200 steps, evaluated, exported", "s", 0.2,
            "value", more=False)], titanic,
        [Peer(TENSORFLOW, "titanic", "tensorflow", whole="seconds"),
         Peer("scikit_learn.py", "titanic", whole="seconds"),
         Peer("yggdrasil.py", "titanic", whole="seconds")]),
    Work("census dnn", [
        Row("32", "DNN [100, 50], census, batch 32", STEPS, 5),
        Row("128", "DNN [100, 50], census, batch 128", STEPS, 4),
        Row("1024", "DNN [100, 50], census, batch 1024", STEPS, 2)],
        rates("census_dnn", lambda c: os.path.join(t.CENSUS, "census.cannery"), [32, 128, 1024]),
        [Peer(TENSORFLOW, "census_dnn", "tensorflow"), Peer(KERAS, "census_dnn", "tensorflow"),
         Peer(TORCH, "census_dnn")], levels=True),
    Work("census linear", [
        Row("32", "Linear FTRL, 3 crosses, census, batch 32", STEPS, 25),
        Row("1024", "Linear FTRL, 3 crosses, census, batch 1024", STEPS, 8)],
        rates("census_linear", lambda c: c.tables.experiment("census_linear.cannery",
                                                             t.census_linear()), [32, 1024]),
        [Peer(TENSORFLOW, "census_linear", "tensorflow")], levels=True),
    Work("hashed linear", [
        Row("text", "Linear, 39 hashed ids, 2²⁴ weights, from text", ROWS, 1.5),
        Row("cache", "Linear, 39 hashed ids, 2²⁴ weights, from the cache", ROWS, 3)],
        hashed_linear, [Peer("vowpal_wabbit.py", "hashed_linear")],
        needs=("criteo_vw", "criteo_vw_half")),
    Work("dense linear", [
        Row("rows", "Linear, 28 dense floats, one core", ROWS, 1.2)],
        lambda c, cores, e: {"rows": rates("dense_linear", lambda c: c.tables.experiment(
            "dense_linear.cannery", t.dense_linear(c.tables.higgs("csv"))), [128], True)(
                c, cores, e)["128"]},
        [Peer("scikit_learn.py", "dense_linear")], one_core=True, levels=True,
        needs=("higgs_floats",)),
    Work("kmeans", [
        Row("iterations", "k-means, 1 million rows of 28 floats, 64 clusters, full batch",
            "iterations/s", 1.3)],
        kmeans, [Peer("scikit_learn.py", "kmeans")], levels=True, needs=("million_floats",)),
    Work("wide dnn", [
        Row("1024", "DNN 1024-512-256 + 26 embeddings of 16, batch 1024", STEPS, 2.5),
        Row("4096", "DNN 1024-512-256 + 26 embeddings of 16, batch 4096", STEPS, 2)],
        rates("wide_dnn", lambda c: c.tables.experiment(
            "wide_dnn.cannery", t.wide_dnn(c.tables.criteo("csv", c.tables.rows["dense"]))),
            [1024, 4096]),
        [Peer(TENSORFLOW, "wide_dnn", "tensorflow"), Peer(KERAS, "wide_dnn", "tensorflow"),
         Peer(TORCH, "wide_dnn")], levels=True, needs=("criteo_ids",)),
    Work("dense dnn", [
        Row("128", "DNN 1024-512-256 dense, one core, batch 128", "% of FMA peak", 70, "value",
            raced="steps_per_second"),
        Row("1024", "DNN 1024-512-256 dense, one core, batch 1024", "% of FMA peak", 85, "value",
            raced="steps_per_second"),
        Row("4096", "DNN 1024-512-256 dense, one core, batch 4096", "% of FMA peak", 85, "value",
            raced="steps_per_second")],
        dense_dnn, [Peer(TORCH, "dense_dnn")], one_core=True, levels=True,
        needs=("dense_floats",)),
    Work("boosted trees", [
        Row("seconds", "Boosted trees, 1 M × 28 from text: 100 trees of 64 leaves", "s", 1.4,
            more=False)], boosted_trees,
        [Peer("light_gbm.py", "trees", whole="seconds"),
         Peer("xg_boost.py", "trees", whole="seconds"),
         Peer("cat_boost.py", "trees", whole="seconds"),
         Peer("scikit_learn.py", "trees", whole="seconds")], needs=("trees_csv",)),
    Work("csv", [
        Row("rate", "CSV → typed columns, 28 floats, one core", "MB/s", 1.5),
        Row("statistics", "… and statistics in the same pass", "× the time", 1.5, "value",
            more=False)], csv,
        [Peer("csv_readers.py", w) for w in ["polars", "pandas", "pyarrow"]], one_core=True,
        needs=("higgs_csv",)),
    Work("records", [
        Row("28", "TFRecord → typed columns, 28 floats, one core", ROWS, 4),
        Row("39", "TFRecord → typed columns, 13 counts and 26 texts, one core", ROWS, 4)], records,
        [Peer("record_readers.py", "tf_data", "tensorflow")], one_core=True,
        needs=("higgs_records", "criteo_records")),
    Work("checkpoint", [
        Row("stall", "Checkpoint of 100 MB: stall", "ms", 15, "value", more=False),
        Row("whole", "… and until it is whole on the disk", "ms", 1000, "value", more=False)],
        checkpoint,
        [Peer("tensorflow_files.py", "checkpoint", "tensorflow")]),
    Work("predict", [
        Row("one_row", "Predict one row by libcannery_predict, DNN [100, 50]", "µs", 5, "value", more=False),
        Row("table", "Predict a table, DNN [100, 50]", ROWS, 5e6, "value")], predict,
        [Peer("tensorflow_files.py", "predict", "tensorflow"), Peer("light_gbm.py", "predict")],
        levels=True, needs=("saved_model",)),
    Work("write scalars", [
        Row("write", "Write logged scalars, one core", "scalars/s", 2e6, "value")], scalars,
        [Peer("tensorflow_files.py", "scalars", "tensorflow")], one_core=True),
    Work("read scalars", [
        Row("read", "Read 10 M scalars, first time", "s", 1, "value", more=False),
        Row("again", "Read 10 M scalars, from the column cache", "s", 1, "value", more=False)],
        read_scalars, [Peer("tensorflow_files.py", "read_scalars", "tensorflow")],
        needs=("logs",)),
]
