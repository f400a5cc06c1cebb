# SPDX-License-Identifier: Apache-2.0
"""A simulation, not a measurement: how training in step would go on with up to 1,024 workers.

Measured on this machine: the time of a step of one worker, the sizes of its gradients, and what two
workers do with each other's messages over loopback (`cannery plan FILE --probe --json`). Assumed: the
network's bandwidth, and how much the steps of equal workers differ. Simulated, message by message:
every worker computes, packs of gradients leave while earlier layers are still computed, and are added
up by recursive halving and doubling, in which each message waits for both of its ends; rows of tables
go around once all dense gradients are summed; then the next step begins, on each worker when its own
sums are there. The model of core/strategies/cost_model.h is drawn beside it."""
import json
import math
import os
import random
import statistics

import process
import simulation_chart
import table
import tables as t

CHART = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "simulation.svg")
WORKERS = [2**n for n in range(11)]
NETWORKS = [1, 10, 25]  # Gbit/s; none passes more than loopback does here
SEED = 12
STEPS = 12
JITTER = 0.03  # standard deviation of a worker's step; the model's
LATENCY = 30e-6  # the least of any network
MESSAGE = 5e-6  # of each further message sent at the same time
USABLE = 0.92  # of Ethernet
MEBIBYTE = 1 << 20
WORTHWHILE = 64 * 1024  # bytes that sharing the sums of rows must save
BACKWARD = 2 / 3  # of a step


class Worker:
    """A worker's step, and the network."""

    def __init__(self, step, dense, sparse, latency, rate):
        self.step, self.dense, self.sparse = step, dense, sparse
        self.latency, self.rate = latency, rate

    def packs(self, workers):
        """As core/strategies cuts them."""
        others = min(max(workers * MEBIBYTE // 2, MEBIBYTE), 25 * MEBIBYTE)
        return 1 + math.ceil(max(0, self.dense - MEBIBYTE) / others)

    def rounds(self, size, workers):
        """(distance, bytes) of every exchange of a sum."""
        distances = [2**n for n in range(int(math.log2(workers)))]
        doubling = len(distances) * (self.latency + size / self.rate)
        halving = 2 * (len(distances) * self.latency + (workers - 1) / workers * size / self.rate)
        if doubling <= halving:
            return [(d, size) for d in distances]
        there = [(d, size / (2 * d)) for d in distances]
        return there + there[::-1]

    def sparse_seconds(self, workers):
        """From when the last worker is ready: each gets the rows, or the sums, of all others."""
        if not self.sparse or workers == 1:
            return 0
        size = rounds = 0
        for rows, cols, height in ((s["rows"], s["cols"], s["table_rows"]) for s in self.sparse):
            values = 4 * cols
            saved = (rows * (workers - 1) - min(height, rows * workers)) * values
            if saved >= WORTHWHILE:
                union = height * (1 - max(0, 1 - rows / height)**workers)
                size += (workers - 1) * rows * 4 + (workers - 1) / workers * (rows + union) * values
                rounds = 4
            else:
                size += (workers - 1) * rows * (values + 4)
                rounds = max(rounds, 2)
        return size / self.rate + rounds * (workers - 1) * MESSAGE

    def model(self, workers):
        """Seconds of a step as core/strategies/cost_model.h has it."""
        dense = sum(self.latency + size / self.rate for _, size in self.rounds(self.dense, workers))
        last = dense / self.packs(workers)
        hidden = 0.66 * BACKWARD * self.step
        slowest = self.step * (1 + JITTER * math.sqrt(2 * math.log(workers)))
        return slowest + max(0, dense - last - hidden) + last + self.sparse_seconds(workers)


def sum_pack(worker, size, ready):
    """When each worker has the sum of a pack, given when each is ready for it."""
    for distance, part in worker.rounds(size, len(ready)):
        seconds = worker.latency + part / worker.rate
        ready = [max(mine, ready[rank ^ distance]) + seconds for rank, mine in enumerate(ready)]
    return ready


def simulate(worker, workers, steps=STEPS, seed=SEED):
    """Seconds of a step."""
    numbers = random.Random(seed)
    packs = worker.packs(workers)
    begin = [0.0] * workers
    for _ in range(steps):
        times = [max(0, numbers.gauss(1, JITTER)) * worker.step for _ in begin]
        summed = list(begin)
        for pack in range(packs):
            share = 1 - BACKWARD + BACKWARD * (pack + 1) / packs
            ready = [max(free, start + share * time)
                     for free, start, time in zip(summed, begin, times)]
            summed = sum_pack(worker, worker.dense / packs, ready)
        begin = summed
        if worker.sparse:
            begin = [max(summed) + worker.sparse_seconds(workers)] * workers
    return statistics.mean(begin) / steps


def measured(context, title, experiment, batch, times=5):
    """The best of several probes, and its fast steps: other programs only make them slower."""
    probes = []
    for _ in range(1 if context.quick else times):
        usage = process.run(
            [context.programs["cannery"], "plan", experiment, "--probe", "--network", "loopback",
             "--set", "train_spec.input.batch_size=%d" % batch, "--json"], context.all_cores)
        probes.append(json.loads(usage.output)["probe"])
    return {"title": title, "dense": probes[0]["dense_bytes"], "sparse": probes[0]["sparse"],
            "step": min(fast_step(p["step_seconds"]) for p in probes),
            "latency": min(p["latency_seconds"] for p in probes),
            "loopback": max(p["bytes_per_second"] for p in probes)}


def fast_step(seconds):
    """The tenth part of the steps took less."""
    return sorted(seconds)[len(seconds) // 10]


def lines_of(figures, sizes):
    """(network, workers, simulated efficiencies, the model's) for each network."""
    lines = []
    for gigabits in NETWORKS:
        rate = min(gigabits * 1e9 / 8 * USABLE, figures["loopback"])
        worker = Worker(figures["step"], figures["dense"], figures["sparse"],
                        max(LATENCY, figures["latency"]), rate)
        alone = worker.model(1)
        lines.append({"network": "%d Gbit/s" % gigabits, "workers": sizes,
                      "simulated": [alone / simulate(worker, n) for n in sizes],
                      "model": [alone / worker.model(n) for n in sizes]})
    return lines


def measure(context):
    """(Markdown, raw numbers); draws simulation.svg."""
    tables = context.tables
    wide = tables.experiment("simulated_wide.cannery", t.wide_dnn(
        tables.criteo("csv", tables.rows["dense"])))
    dense = tables.experiment("simulated_dense.cannery", t.dense_dnn(
        tables.higgs("csv", tables.rows["dense"], t.DENSE_COLUMNS)))
    census = os.path.join(t.CENSUS, "census.cannery")
    sizes = WORKERS[:4] if context.quick else WORKERS
    panels = []
    for title, experiment, batch in [("DNN 1024-512-256, batch 1024", dense, 1024),
                                     ("… and 26 embeddings of 16, batch 1024", wide, 1024),
                                     ("DNN [100, 50], census, batch 32", census, 32)]:
        figures = measured(context, title, experiment, batch)
        panels.append({**figures, "lines": lines_of(figures, sizes)})
        print(words_of(panels[-1]), flush=True)
    simulation_chart.write(tables.path("simulation.svg") if context.quick else CHART, panels)
    text = "\n".join(["![Simulated workers](simulation.svg)", "", table.machine() + ".", ""] +
                     [words_of(panel) for panel in panels]) + "\n"
    return text, panels


def words_of(panel):
    rows = sum(s["rows"] for s in panel["sparse"])
    sizes = "%s kB of dense gradients" % table.number(panel["dense"] / 1000)
    if rows:
        sizes += " and %s rows of tables" % table.number(rows)
    efficiencies = "; ".join("%s: %s" % (line["network"], ", ".join(
        "%.0f %%" % (100 * line["simulated"][n]) for n in range(len(line["workers"]))
        if line["workers"][n] in (2, 8, 64, 1024))) for line in panel["lines"])
    return ("* %s: a step of %.3g ms, %s; a message takes %.3g ms. Efficiency of 2, 8, 64 and 1,024 "
            "workers: %s." % (panel["title"], panel["step"] * 1e3, sizes, panel["latency"] * 1e3,
                              efficiencies))
