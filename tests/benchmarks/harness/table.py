# SPDX-License-Identifier: Apache-2.0
"""The table: medians and bests of the rounds, ratios, goals."""
import datetime
import os
import platform
import statistics

import works

OURS, OURS_AVX2 = "Cannery", "Cannery, AVX2"
README = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "README.md")


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as stream:
        lines = [line.split(":", 1) for line in stream if ":" in line]
    found = {key.strip(): value.strip() for key, value in lines}
    return "%s, %d cores, %s" % (found.get("model name", "?"), os.cpu_count(), platform.release())


def number(value):
    if abs(value) >= 1e6:
        return "%.3g M" % (value / 1e6)
    return "{:,.0f}".format(value) if abs(value) >= 100 else "%.3g" % value


def best(measurements, more, key="value"):
    values = [m[key] for m in measurements if m.get(key) is not None]
    return (max if more else min)(values) if values else None


def median(measurements, key="value"):
    return statistics.median(m[key] for m in measurements)


def cost(measurements, row):
    """Processor time for a unit of work, and the greatest memory."""
    cpu = min(m.get("cpu") or 0 for m in measurements)
    if cpu <= 0:
        return "", "{:,.0f}".format(max(m["megabytes"] for m in measurements))
    for factor, unit in [(1, "s"), (1e3, "ms"), (1e6, "µs"), (1e9, "ns")]:
        if cpu * factor >= 1:
            break
    return ("%.3g %s" % (cpu * factor, unit),
            "{:,.0f}".format(max(m["megabytes"] for m in measurements)))


def peers_of(sides, row):
    """(name, best) of each peer, the best one first."""
    found = [(name, best(values, row.more), values) for name, values in sides.items()
             if name not in (OURS, OURS_AVX2)]
    return sorted(found, key=lambda p: p[1], reverse=row.more)


def is_met(row, ours, ratio):
    if row.versus == "ratio":
        return ratio is not None and ratio >= row.goal
    return ours >= row.goal if row.more else ours <= row.goal


def ratio_of(row, mine, peers):
    if not peers or mine is None:
        return None
    return mine / peers[0][1] if row.more else peers[0][1] / mine


def goal_text(row):
    if row.versus == "ratio":
        return "%g×" % row.goal
    return ("≥ " if row.more else "≤ ") + number(row.goal) + " " + row.unit


def row_cells(row, sides):
    ours = sides.get(OURS)
    peers = peers_of(sides, row)
    if not ours:
        return [row.work, "failed"] + [""] * 7
    cpu, memory = cost(ours, row)
    avx2 = sides.get(OURS_AVX2)
    ratio = ratio_of(row, median(ours, row.raced), peers)
    rivals = []
    for name, value, values in peers:
        their_cpu, their_memory = cost(values, row)
        rivals.append("%s %s%s" % (name, number(value),
                                   " (%s)" % ", ".join(
                                       [w for w in [their_cpu, their_memory + " MB"] if w])))
    return [row.work, "%s (%s) %s" % (number(median(ours)), number(best(ours, row.more)), row.unit),
            number(median(avx2)) if avx2 else "", cpu, memory, "; ".join(rivals),
            "%.2f×" % ratio if ratio else "", goal_text(row),
            "yes" if is_met(row, median(ours), ratio) else "**no**"]


def now():
    return datetime.datetime.utcnow().strftime("%Y-%m-%d %H:%M") + " UTC"


def command(arguments):
    return "tests/benchmarks/run.sh --rounds %d%s%s" % (
        arguments.rounds, " --minutes %g" % arguments.minutes if arguments.minutes else "",
        ' --only "%s"' % arguments.only if arguments.only else "")


def markdown(racing, arguments):
    lines = ["%s, %s." % (machine(), now()),
             "Command: `%s`; %d rounds or as many as there was "
             "time for.%s" % (command(arguments), arguments.rounds,
                              " **Quick: these are no speeds.**" if arguments.quick else ""), "",
             "| Work | Cannery: median (best) | AVX2 | CPU | MB | Peers: best (CPU a unit, memory) |"
             " Ratio | Goal | Met |",
             "|---|---|---|---|---|---|---|---|---|"]
    for work in racing.works:
        for row in work.rows:
            sides = racing.results.get((work.name, row.key), {})
            lines.append("| " + " | ".join(row_cells(row, sides)) + " |")
    failed = ["* %s did not run: %s" % item for item in racing.failures.items()]
    return "\n".join(lines + ([""] + failed if failed else [])) + "\n"


def raw(racing):
    return {"machine": machine(), "failures": racing.failures,
            "rows": [{"work": work.name, "row": row.key, "title": row.work, "unit": row.unit,
                      "goal": row.goal, "versus": row.versus,
                      "sides": racing.results.get((work.name, row.key), {})}
                     for work in racing.works for row in work.rows]}


def with_rows(old, racing, arguments):
    """A table with the rows of a race of some works in the place of its own, and a note that says
    which these are. A row that failed stays as it was."""
    lines = old.strip().splitlines()
    begin = next(i for i, line in enumerate(lines) if line.startswith("|---")) + 1
    end = begin
    while end < len(lines) and lines[end].startswith("|"):
        end += 1
    known = {line.split(" | ")[0][2:]: line for line in lines[begin:end]}
    measured = {}
    for work in racing.works:
        for row in work.rows:
            sides = racing.results.get((work.name, row.key), {})
            if sides.get(OURS):
                measured[row.work] = "| " + " | ".join(row_cells(row, sides)) + " |"
    known.update(measured)
    order = [row.work for work in works.WORKS for row in work.rows]
    order += [title for title in known if title not in order]
    note = "* Measured on %s (%s), `%s`: %s." % (now(), machine(), command(arguments),
                                                 "; ".join(measured))
    failed = ["* %s did not run: %s" % item for item in racing.failures.items()]
    return "\n".join(lines[:begin] + [known[title] for title in order if title in known]
                     + lines[end:] + [note] + failed)


def read_readme(mark):
    """What stands before the mark, between both marks, and after them."""
    begin, end = "<!-- %s -->" % mark, "<!-- end of %s -->" % mark
    with open(README, encoding="utf-8") as stream:
        before, rest = stream.read().split(begin)
    old, after = rest.split(end)
    return before, old, after


def write_readme(mark, text):
    begin, end = "<!-- %s -->" % mark, "<!-- end of %s -->" % mark
    before, _, after = read_readme(mark)
    with open(README, "w", encoding="utf-8") as stream:
        stream.write(before + begin + "\n" + text.strip() + "\n" + end + after)
