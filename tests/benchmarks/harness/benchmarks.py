# SPDX-License-Identifier: Apache-2.0
"""Races Cannery against every peer that is installed, in turn, on the same cores, and prints one
table. Started by tests/benchmarks/run.sh, which says where programs and environments are.

Ours is judged by its median, a peer by its best: some run at two speeds from process to process.
"""
import argparse
import json
import os
import shutil
import signal
import sys
import time

import curves
import instructions
import process
import simulation
import table
import tables
import works

AVX2_ROUNDS = 2  # it is a column of ours only
PEER_SECONDS = 600  # until a peer is given up; XLA compiles a wide net for minutes


class Race:
    """Every measurement of every round, by work, side and row."""

    def __init__(self, context, chosen, peers):
        self.context, self.works, self.peer_words = context, chosen, peers
        self.results = {}  # (work, row) -> {side: [measurement]}
        self.failures = {}

    def keep(self, work, side, measured):
        for row, value in measured.items():
            self.results.setdefault((work.name, row), {}).setdefault(side, []).append(value)

    def attempt(self, work, side, measure):
        """What one side says, or a note why it says nothing; the race goes on."""
        begin = time.monotonic()
        try:
            name, measured = measure()
            self.keep(work, name, measured)
            words = ", ".join("%s %.4g" % (k, v["value"]) for k, v in measured.items())
        except Exception as error:  # a peer may fail in any way it likes
            name, words = side, "failed: %s" % error
            self.failures["%s, %s" % (work.name, side)] = str(error)
        print("  %-32s %5.1f s  %s" % (name, time.monotonic() - begin, words), flush=True)

    def ask_peer(self, work, peer, cores):
        arguments = self.context.peer_arguments(work.needs)
        python = self.context.pythons.get(peer.environment)
        if not python:
            raise process.Failed("not installed")
        usage = process.run([python, os.path.join(works.PEERS, peer.script), peer.work,
                             json.dumps({**arguments, "batches": batches(work)})], cores,
                            {"CUDA_VISIBLE_DEVICES": ""}, PEER_SECONDS)
        found = json.loads(usage.output.strip().splitlines()[-1])
        if peer.whole:
            found["results"][peer.whole] = {"value": usage.wall, "cpu": usage.cpu,
                                            "megabytes": usage.megabytes}
        return found["peer"], found["results"]

    def round(self, work, number):
        context = self.context
        cores = context.one_core if work.one_core else context.all_cores
        print(work.name, flush=True)
        self.attempt(work, table.OURS, lambda: (table.OURS, work.ours(context, cores, None)))
        if work.levels and number < AVX2_ROUNDS:
            self.attempt(work, table.OURS_AVX2,
                         lambda: (table.OURS_AVX2, work.ours(context, cores, works.AVX2)))
        for peer in work.peers:
            if not any(w in peer.script + peer.work for w in self.peer_words):
                continue
            self.attempt(work, "%s %s" % (peer.script, peer.work),
                         lambda p=peer: self.ask_peer(work, p, cores))


def batches(work):
    return [int(r.key) for r in work.rows if r.key.isdigit()]


def parse():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="how often each side runs")
    parser.add_argument("--minutes", type=float, default=0,
                        help="begin nothing that would last longer than so many minutes")
    parser.add_argument("--prepare", action="store_true",
                        help="make environments and tables, and race nothing")
    parser.add_argument("--only", default="", help="works whose name has this text, or A,B,…")
    parser.add_argument("--peers", default="all", help="none, all, or words of their scripts: A,B,…")
    parser.add_argument("--quick", action="store_true",
                        help="small tables and short loops: shows that all works, not how fast")
    parser.add_argument("--seconds", type=float, default=1.5, help="length of one measurement")
    parser.add_argument("--curves", action="store_true", help="scaling curves instead of races")
    parser.add_argument("--simulation", action="store_true",
                        help="simulate up to 1,024 workers from what one does here")
    parser.add_argument("--instructions", action="store_true",
                        help="count instructions of steps of ours instead (valgrind, minutes)")
    parser.add_argument("--json", default="", help="all measurements into this file")
    parser.add_argument("--write-readme", action="store_true",
                        help="put what was measured into tests/benchmarks/README.md; with --only, "
                             "other rows of its table stay")
    return parser.parse_args()


def chosen_works(words):
    names = [w for w in words.split(",") if w]
    chosen = [w for w in works.WORKS if not names or any(n in w.name for n in names)]
    if not chosen:
        sys.exit("No work of this name; there are: " + ", ".join(w.name for w in works.WORKS))
    return chosen


def race(context, arguments):
    peer_words = {"none": [], "all": [""]}.get(arguments.peers, arguments.peers.split(","))
    racing = Race(context, chosen_works(arguments.only), peer_words)
    begin = time.monotonic()
    lasted = {}
    try:
        for number in range(arguments.rounds):
            for work in racing.works:
                spent = time.monotonic() - begin
                if arguments.minutes and spent + lasted.get(work.name, 0) > arguments.minutes * 60:
                    continue
                print("[round %d of %d, %.1f min] " % (number + 1, arguments.rounds, spent / 60),
                      end="")
                racing.round(work, number)
                lasted[work.name] = time.monotonic() - begin - spent
    except KeyboardInterrupt:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        print("Stopped; the table is of what was measured.", flush=True)
    return racing


def main():
    arguments = parse()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # the table is printed then, too
    quick = arguments.quick
    if quick and arguments.write_readme:
        sys.exit("--quick measures no speeds: leave out --write-readme.")
    programs = {"cannery": os.environ["CANNERY"],
                "cannery_benchmark": os.environ["CANNERY_BENCHMARK"],
                "event_load_benchmark": os.environ["EVENT_LOAD_BENCHMARK"]}
    pythons = {"tensorflow": os.environ.get("TENSORFLOW_PYTHON"),
               "peers": os.environ.get("PEERS_PYTHON")}
    context = works.Context(
        programs, pythons,
        tables.Tables(os.environ["BENCHMARK_CACHE"], programs["cannery_benchmark"], quick),
        0.15 if quick else arguments.seconds, quick)
    try:
        if arguments.prepare:
            context.prepare()
            return
        if arguments.curves:
            text, raw = curves.measure(context)
            mark = "curves"
        elif arguments.simulation:
            text, raw = simulation.measure(context)
            mark = "simulation"
        elif arguments.instructions:
            text, raw = instructions.measure(context)
            mark = "instructions"
        else:
            racing = race(context, arguments)
            text, raw = table.markdown(racing, arguments), table.raw(racing)
            mark = "table"
        print("\n" + text)
        path = arguments.json or os.path.join(os.environ["BENCHMARK_CACHE"], mark + ".json")
        with open(path, "w", encoding="utf-8") as stream:
            json.dump(raw, stream, indent=1)
        print("All measurements: %s" % path)
        if arguments.write_readme:
            if mark == "table" and arguments.only:
                text = table.with_rows(table.read_readme(mark)[1], racing, arguments)
            table.write_readme(mark, text)
    finally:
        shutil.rmtree(context.work, ignore_errors=True)


if __name__ == "__main__":
    main()
