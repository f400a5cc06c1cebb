# SPDX-License-Identifier: Apache-2.0
"""How long `cannery browse --serve` takes with a big table: first rows, reading, sorting, filtering,
pages and cancelling, with the peak of its memory.

    python3 -B tests/benchmarks/harness/browsing.py CANNERY [ROWS] [FOLDER]

makes a table of ROWS rows (10,000,000) and 20 columns in FOLDER (a temporary one, which is removed)
from a fixed seed, and prints a table for README.md. Seconds are from the request to its answer.
"""
import json
import os
import queue
import random
import subprocess
import sys
import tempfile
import threading
import time

SCHOOLS = ["Masters", "Bachelors", "HS-grad", "Some-college", "Doctorate", '"Prof, school"']
BATCH = 20_000


def make_table(path, rows):
    """Numbers, a category, 5,000 texts, quotes and missing cells; the same for the same rows."""
    chance = random.Random(1)
    floats = [",".join("%.4f" % chance.gauss(0, 1) for _ in range(14)) for _ in range(BATCH)]
    names = ["id", "age", "income", "education", "city", "score"] + ["x%d" % i for i in range(14)]
    with open(path, "w", encoding="utf-8") as out:
        out.write(",".join(names) + "\n")
        for begin in range(0, rows, BATCH):
            out.write("".join("%d,%s,%d,%s,city %d,%.6f,%s\n" % (
                row * 7919 % rows, chance.randrange(17, 91) if chance.random() > 0.03 else "",
                chance.randrange(10**6), chance.choice(SCHOOLS), chance.randrange(5000),
                chance.random(), floats[row * 31 % BATCH])
                for row in range(begin, min(begin + BATCH, rows))))


class Helper:
    """The process, and what it says."""

    def __init__(self, program, table):
        self.begin = time.monotonic()
        self.process = subprocess.Popen([program, "browse", table, "--serve"], text=True, bufsize=1,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.said = queue.Queue()
        self.last = 0
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        for line in self.process.stdout:
            self.said.put((time.monotonic(), json.loads(line)))

    def send(self, what):
        self.process.stdin.write(json.dumps(what) + "\n")
        self.process.stdin.flush()

    def ask(self, what, cancel_at=None):
        """Seconds until the last answer, or from the first progress, `cancel_at` seconds after the
        request or later, until the answer to a cancellation."""
        self.last += 1
        begin = time.monotonic()
        self.send({"id": self.last, **what})
        while True:
            at, line = self.said.get(timeout=600)
            if line.get("id") != self.last:
                continue
            if "progress" in line:
                if cancel_at is not None and at - begin >= cancel_at:
                    begin, cancel_at = time.monotonic(), None
                    self.send({"cancel": self.last})
            elif not line.get("statistics", {}).get("so_far"):
                return at - begin, line

    def megabytes(self):
        with open("/proc/%d/status" % self.process.pid, encoding="utf-8") as status:
            return next(int(l.split()[1]) / 1000 for l in status if l.startswith("VmHWM"))


def measure(program, table, rows):
    helper = Helper(program, table)
    results = []

    def note(words, what, cancel_at=None, since=None):
        seconds, line = helper.ask(what, cancel_at)
        is_cancelled = line.get("error", {}).get("id") == "data.browse_cancelled"
        if "error" in line and not (is_cancelled and cancel_at is not None):
            sys.exit("%s: %s" % (words, line["error"]["sentence"]))
        results.append((words, time.monotonic() - since if since else seconds, helper.megabytes()))

    def page(first=0, **query):
        return {"rows": {"first": first, "count": 200, **query}}

    masters = 'age > 30 and education = "Masters"'
    note("process start → first 200 rows", page(), since=helper.begin)
    note("the last rows: the whole table read", page(rows - 200))
    note("statistics of all columns: read again", {"statistics": {}})
    note("200 rows in the middle", page(rows // 2))
    note("cancel a sort", page(sort="score"), cancel_at=0.3)
    note("first sort by numbers", page(sort="score"))
    note("a page of it, in the middle", page(rows // 2, sort="score"))
    note("the same, largest first", page(sort="score", descending=True))
    note("first sort by 5,000 texts", page(sort="city"))
    note("a page of it, in the middle", page(rows // 2, sort="city"))
    note("first filter: " + masters, page(filter=masters))
    note("a page of it", page(rows // 10, filter=masters))
    note("cancel a filter", page(filter="city contains 99"), cancel_at=0.2)
    begin = time.monotonic()
    helper.process.stdin.close()
    helper.process.wait()
    results.append(("end of its input → end", time.monotonic() - begin, results[-1][2]))
    return results


def main():
    program = sys.argv[1]
    rows = int(sys.argv[2]) if len(sys.argv) > 2 else 10_000_000
    with tempfile.TemporaryDirectory() as temporary:
        folder = sys.argv[3] if len(sys.argv) > 3 else temporary
        path = os.path.join(folder, "browsed_%d.csv" % rows)
        if not os.path.exists(path):
            make_table(path, rows)
        results = measure(program, path, rows)
        print("%d rows, 20 columns, %.2f GB\n" % (rows, os.path.getsize(path) / 1e9))
    print("| Request | Seconds | Peak MB so far |\n|---|---|---|")
    for words, seconds, megabytes in results:
        print("| %s | %.3f | %.0f |" % (words, seconds, megabytes))


if __name__ == "__main__":
    main()
