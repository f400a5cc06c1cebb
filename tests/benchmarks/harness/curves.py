# SPDX-License-Identifier: Apache-2.0
"""Scaling curves: what one unit of work costs as the work grows. A cost that rises to more than 1.3
times the least cost of any smaller size bends: the work costs more than its share."""
import os
from dataclasses import dataclass

import curve_chart
import process
import table
import tables as t
import works

BEND = 1.3
CHART = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "scaling.svg")


@dataclass
class Curve:
    title: str
    x_name: str
    unit: str
    sizes: list
    costs: list

    def bends(self):
        """Places in the curve that cost too much."""
        return [i for i in range(1, len(self.costs))
                if self.costs[i] > BEND * min(self.costs[:i])]


def best_of(measure, times=3):
    """What is lost in the noise of a busy machine is measured again, a few times."""
    costs = []
    for left in reversed(range(3 * times)):
        try:
            costs.append(measure())
        except process.Failed:
            if left == 0 and not costs:
                raise
        if len(costs) == times:
            break
    return min(costs)


def epoch_cost(context, rows, columns, units):
    """Processor nanoseconds a unit of reading a table and training one epoch on it, starting
    included."""
    experiment = context.tables.experiment(
        "curve_%d_%d.cannery" % (rows, columns),
        t.dense_linear(context.tables.higgs("csv", rows, columns), columns))
    usage = context.train(experiment, context.one_core, {
        "train_spec.input.batch_size": 128, "train_spec.input.num_epochs": 1})
    return usage.cpu / units * 1e9


def step_cost(context, key, experiment, batch, cores):
    """Nanoseconds a row of training steps, starting left out: of one core its processor time, which
    other programs change least; of several the time that passes, times their number."""
    found = works.step_rate(context, key, experiment, batch, cores)
    seconds = found["cpu"] if len(cores) == 1 else len(cores) / found["value"]
    if seconds <= 0:
        raise process.Failed("the long run took no more processor time than the short one")
    return 1e9 * seconds / batch


def rows_curve(context, sizes):
    costs = [best_of(lambda s=s: epoch_cost(context, s, 10, s)) for s in sizes]
    return Curve("Read a table and train one epoch on it", "rows", "ns a row", sizes, costs)


def columns_curve(context, sizes, cells):
    costs = [best_of(lambda s=s: epoch_cost(context, cells // s, s, cells)) for s in sizes]
    return Curve("The same for %s cells" % "{:,}".format(cells), "columns", "ns a cell", sizes,
                 costs)


def batch_curve(context, sizes):
    census = os.path.join(t.CENSUS, "census.cannery")
    costs = [best_of(lambda s=s: step_cost(context, ("batch", s), census, s, context.one_core))
             for s in sizes]
    return Curve("Train DNN [100, 50] on the census", "batch size", "ns a row", sizes, costs)


def threads_curve(context):
    """Core time: flat when twice the threads are twice as fast."""
    cores = sorted(context.all_cores)
    sizes = [n for n in (1, 2, 4, 8, 16, 32) if n <= len(cores)]
    experiment = context.tables.experiment("curve_threads.cannery", t.dense_dnn(
        context.tables.higgs("csv", context.tables.rows["dense"], t.DENSE_COLUMNS)))
    costs = [best_of(lambda s=s: step_cost(context, ("threads", s), experiment, 1024,
                                           set(cores[:s]))) for s in sizes]
    return Curve("Train DNN 1024-512-256, batch 1024", "threads", "core ns a row", sizes, costs)


def embedding_curve(context, sizes):
    costs = []
    for size in sizes:
        experiment = context.tables.experiment("curve_embedding_%d.cannery" % size, t.wide_dnn(
            context.tables.criteo("csv", context.tables.rows["dense"]),
            max(1, size // len(t.CATEGORIES)), "64"))
        costs.append(best_of(lambda: step_cost(context, ("embedding", size), experiment, 1024,
                                               context.one_core)))
    return Curve("Train 26 embeddings of 16 and a DNN [64]", "embedding rows", "ns a row", sizes,
                 costs)


def measure(context):
    """(Markdown, raw numbers); draws scaling.svg."""
    quick = context.quick
    curves = []
    for make in [
            lambda: rows_curve(context, [10**3, 10**4] if quick else
                               [10**4, 10**5, 10**6, 3 * 10**6]),
            lambda: columns_curve(context, [10, 100] if quick else [10, 30, 100, 300, 1000, 3000],
                                  10**4 if quick else 3 * 10**6),
            lambda: batch_curve(context, [1, 64] if quick else
                                [1, 8, 64, 512, 4096, 16384, 65536]),
            lambda: threads_curve(context),
            lambda: embedding_curve(context, [10**3, 10**4] if quick else
                                    [10**3, 10**4, 10**5, 10**6, 3 * 10**6])]:
        curves.append(make())
        print(line_of(curves[-1]), flush=True)
    curve_chart.write(CHART if not quick else context.tables.path("scaling.svg"), curves)
    text = "\n".join(["![Scaling curves](scaling.svg)", "", table.machine() + ".", ""] + [line_of(c) for c in curves]) + "\n"
    return text, [vars(c) for c in curves]


def line_of(curve):
    points = ", ".join("%s: %s%s" % ("{:,}".format(s), table.number(c),
                                     " **bends**" if i in curve.bends() else "")
                       for i, (s, c) in enumerate(zip(curve.sizes, curve.costs)))
    return "* %s, %s by %s: %s." % (curve.title, curve.unit, curve.x_name, points)
