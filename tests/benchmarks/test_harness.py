# SPDX-License-Identifier: Apache-2.0
"""The suite's own rules, without peers and without a look at any time:
    test_harness.py CANNERY CANNERY_BENCHMARK"""
import json
import os
import sys
import tempfile
import types
import unittest
import xml.etree.ElementTree

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "harness"))
import cluster_rates
import curve_chart
import curves
import process
import simulation
import simulation_chart
import table
import tables
import works

CANNERY, PROGRAM = sys.argv.pop(1), sys.argv.pop(1)


def measured(*values):
    return [{"value": v, "cpu": 0.5, "megabytes": 10} for v in values]


class Table(unittest.TestCase):
    def test_our_median_races_the_best_of_the_best_peer(self):
        row = works.Row("32", "work", "steps/s", 5)
        sides = {table.OURS: measured(90, 100, 200), "A": measured(10, 20), "B": measured(15, 15)}
        self.assertEqual([p[0] for p in table.peers_of(sides, row)], ["A", "B"])
        self.assertEqual(table.row_cells(row, sides)[6:], ["5.00×", "5×", "yes"])
        sides["B"] = measured(21)
        self.assertEqual(table.row_cells(row, sides)[6:], ["4.76×", "5×", "**no**"])

    def test_fewer_seconds_are_better_where_seconds_are_counted(self):
        row = works.Row("seconds", "work", "s", 0.2, "value", more=False)
        sides = {table.OURS: measured(0.1, 0.3, 0.2), "A": measured(0.8, 0.4)}
        self.assertEqual(table.row_cells(row, sides)[6:], ["2.00×", "≤ 0.2 s", "yes"])

    def test_a_goal_against_peers_is_not_met_without_peers(self):
        row = works.Row("32", "work", "steps/s", 5)
        self.assertEqual(table.row_cells(row, {table.OURS: measured(1)})[6:], ["", "5×", "**no**"])

    def test_no_row_is_faster_than_its_processor_time_allows(self):
        def run(wall, cpu):
            return process.Usage(wall, cpu, 100.0, "")
        pairs = [(run(9.0, 14.0), run(4.0, 6.0)), (run(4.5, 14.0), run(4.4, 6.0)),
                 (run(9.2, 14.2), run(4.1, 6.1))]
        found = works.per_unit(pairs, 1000, {0, 1})
        self.assertAlmostEqual(found["value"], 200.0)
        self.assertAlmostEqual(found["cpu"], 8e-3)
        with self.assertRaisesRegex(process.Failed, "0.1 s were measured for work that takes 4 s"):
            works.per_unit(pairs[1:2], 1000, {0, 1})
        self.assertEqual(works.whole_run(run(4.0, 2.0), 1000)["value"], 250)

    def test_every_row_has_a_peer_script_and_a_name_of_its_own(self):
        titles = [row.work for work in works.WORKS for row in work.rows]
        self.assertEqual(len(titles), len(set(titles)))
        for work in works.WORKS:
            for peer in work.peers:
                self.assertTrue(os.path.exists(os.path.join(works.PEERS, peer.script)))


    def test_a_race_of_some_works_leaves_other_rows_as_they_are(self):
        old = ("Some machine.\n\n| Work | Cannery |\n|---|---|\n| Titanic | 1 s |\n"
               "| Checkpoint of 100 MB: stall | 12 ms |\n\n* A note.\n")
        racing = types.SimpleNamespace(
            works=[w for w in works.WORKS if w.name in ("checkpoint", "boosted trees")], failures={},
            results={("checkpoint", "stall"): {table.OURS: measured(10)},
                     ("boosted trees", "seconds"): {table.OURS: measured(5),
                                                    "LightGBM": measured(9)}})
        arguments = types.SimpleNamespace(rounds=3, minutes=0, only="checkpoint,boosted trees")
        lines = table.with_rows(old, racing, arguments).splitlines()
        titles = [line.split(" | ")[0] for line in lines if line.startswith("| ")]
        self.assertEqual(titles[0], "| Work")
        self.assertTrue(titles[1].startswith("| Boosted trees"))
        self.assertEqual(titles[2:], ["| Checkpoint of 100 MB: stall", "| Titanic"])
        self.assertIn("| Titanic | 1 s |", lines)
        self.assertTrue(any("| 10 (10) ms |" in line for line in lines))
        self.assertIn("* A note.", lines)
        self.assertIn('--rounds 3 --only "checkpoint,boosted trees"', lines[-1])
        self.assertNotIn("whole on the disk", "\n".join(lines))


class Curves(unittest.TestCase):
    def test_a_cost_that_rises_by_more_than_three_tenths_bends(self):
        curve = curves.Curve("t", "x", "ns", [1, 10, 100, 1000], [10, 8, 10.3, 10.5])
        self.assertEqual(curve.bends(), [3])

    def test_the_chart_is_one_well_formed_picture(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "chart.svg")
            curve_chart.write(path, [curves.Curve("a < b", "x", "ns", [1, 10], [3, 5])] * 4)
            root = xml.etree.ElementTree.parse(path).getroot()
            self.assertEqual(len(root.findall(".//{*}polyline")), 4)
            self.assertEqual(len(root.findall(".//{*}circle")), 8)


class Simulation(unittest.TestCase):
    def worker(self, dense=4e6, sparse=()):
        return simulation.Worker(0.02, dense, list(sparse), 1e-4, 1e9)

    def test_one_worker_waits_for_nobody(self):
        self.assertAlmostEqual(simulation.simulate(self.worker(), 1, 200), 0.02, delta=2e-4)
        self.assertEqual(self.worker().model(1), 0.02)

    def test_the_model_describes_it(self):
        tables = [{"rows": 20000, "cols": 16, "table_rows": 40000},
                  {"rows": 500, "cols": 8, "table_rows": 1e6}]
        for worker in [self.worker(), self.worker(1000), self.worker(4e7),
                       self.worker(4e6, tables)]:
            for workers in (2, 8, 64):
                seconds = simulation.simulate(worker, workers)
                self.assertGreater(seconds, 0.02)
                self.assertLess(abs(seconds / worker.model(workers) - 1), 0.05)

    def test_the_same_seed_gives_the_same_times(self):
        first = simulation.simulate(self.worker(), 16)
        self.assertEqual(first, simulation.simulate(self.worker(), 16))
        self.assertNotEqual(first, simulation.simulate(self.worker(), 16, seed=13))

    def test_every_worker_gets_a_sum_after_the_last_has_its_own(self):
        ready = simulation.sum_pack(self.worker(), 4e6, [0.0] * 7 + [1.0])
        self.assertEqual(len(ready), 8)
        self.assertGreater(min(ready), 1.0)
        self.assertAlmostEqual(max(ready), 1 + 6e-4 + 2 * 7 / 8 * 4e-3)

    def test_the_chart_is_one_well_formed_picture(self):
        figures = {"title": "a < b", "step": 0.02, "dense": 4e6, "sparse": [], "latency": 1e-4,
                   "loopback": 1e9}
        panel = {**figures, "lines": simulation.lines_of(figures, [1, 2, 4])}
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "chart.svg")
            simulation_chart.write(path, [panel] * 3)
            root = xml.etree.ElementTree.parse(path).getroot()
            self.assertEqual(len(root.findall(".//{*}polyline")), 3 * 2 * 3)
        self.assertIn("Simulated, not measured", simulation_chart.legend(panel["lines"], 0)[0])
        self.assertTrue(simulation.words_of(panel).startswith("* a < b: a step of 20 ms"))


class Experiments(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.tables = tables.Tables(self.folder.name, PROGRAM, True)
        self.tables.rows = {"higgs": 200, "criteo": 200, "dense": 200}

    def tearDown(self):
        self.folder.cleanup()

    def plan(self, text):
        path = self.tables.experiment("x.cannery", text)
        usage = process.run([CANNERY, "plan", path, "--no-measure", "--json"],
                            os.sched_getaffinity(0))
        return json.loads(usage.output)

    def test_the_products_of_a_step_are_those_that_the_share_of_the_peak_assumes(self):
        plan = self.plan(tables.dense_dnn(self.tables.higgs("csv", 200, tables.DENSE_COLUMNS)))
        forward = 100 * 1024 + 1024 * 512 + 512 * 256 + 256
        self.assertEqual(plan["multiply_adds"], forward)
        self.assertEqual(works.multiply_adds(), 6 * forward - 2 * 100 * 1024)
        self.assertEqual(plan["train_rows"], 200)

    def test_every_experiment_is_of_the_size_that_the_table_says(self):
        criteo, higgs = self.tables.criteo("csv"), self.tables.higgs("csv")
        for text, parameters in [
                (tables.dense_linear(higgs), 28 + 1),
                (tables.hashed_linear(criteo), 39 * (2**24 // 39) + 1),
                (tables.wide_dnn(criteo), 26 * 40000 * 16 + (13 + 26 * 16 + 1) * 1024 +
                 1025 * 512 + 513 * 256 + 257)]:
            self.assertEqual(self.plan(text)["parameters"], parameters)
        self.assertEqual(self.plan(tables.census_linear())["train_rows"], 5000)

    def test_workers_measure_their_sums(self):
        rates = cluster_rates.measure(
            3, "", [PROGRAM, "allreduce", "fast", "0", "4", "400000"])
        self.assertEqual([(r["workers"], r["bytes"]) for r in rates], [(3, 4), (3, 400000)])
        self.assertTrue(all(r["calls"] >= 5 and r["least_ms"] > 0 for r in rates))

    def test_workers_measure_their_steps_alone_and_together(self):
        path = self.tables.experiment("x.cannery", tables.dense_linear(self.tables.higgs("csv")))
        rate = cluster_rates.measure(2, "", [PROGRAM, "worker", path, "16", "2", "3"])
        self.assertEqual(rate["gradient_bytes"], 4 * (28 + 1))
        self.assertGreater(rate["speed"], 0)
        self.assertGreater(rate["together_ms"], rate["wait_ms"])

    def test_both_forms_of_a_table_hold_the_same_rows(self):
        with open(self.tables.criteo("csv"), encoding="utf-8") as stream:
            lines = [line.strip().split(",") for line in stream][1:]
        with open(self.tables.criteo("vw"), encoding="utf-8") as stream:
            pairs = [line.split() for line in stream]
        self.assertEqual(len(lines), len(pairs))
        for cells, words in zip(lines, pairs):
            self.assertEqual(words[0], "1" if cells[0] == "1" else "-1")
            self.assertEqual([w.split("=")[1] for w in words if "=" in w], cells[1:])

    def test_a_failing_program_says_why(self):
        with self.assertRaises(process.Failed) as raised:
            process.run([CANNERY, "check", "/nothing/here.cannery"], os.sched_getaffinity(0))
        self.assertIn("/nothing/here.cannery", str(raised.exception))


if __name__ == "__main__":
    unittest.main()
