#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Breaks the product in small ways and looks whether a test notices.

    tests/mutation.py ROOM [--count 20] [--seed 1] [--preset dev] [--tests REGEX]

ROOM is a folder with sources, as core/train. Each mutant changes one place of one source (a comparison, a sign, a bound,
a condition, a value that is returned), builds the room's test programs and runs them. What no test notices is printed as a
diff: a test is missing there, or the line does nothing. The source is put back after each, also after Ctrl-C.
Takes a build for every mutant, so it is no part of the test command.
"""
import argparse
import pathlib
import random
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# (what is looked for, what takes its place). Each is legal C++ almost wherever it is found.
CHANGES = [
    (r" < ", " <= "), (r" <= ", " < "), (r" > ", " >= "), (r" >= ", " > "), (r" == ", " != "), (r" != ", " == "),
    (r" && ", " || "), (r" \|\| ", " && "), (r" \+ ", " - "), (r" - ", " + "), (r" \+= ", " -= "), (r" \* ", " + "),
    (r"\btrue\b", "false"), (r"\bfalse\b", "true"), (r"if \((?!const|auto|\!)", "if (!("), (r"\b0\b", "1"), (r"\b1\b", "2"),
    (r"std::min\b", "std::max"), (r"std::max\b", "std::min"), (r"\.empty\(\)", ".empty() == false"),
]


def places(text):
    """Every (line number, new line) that differs from the source in one place; comments, includes and texts are left."""
    found = []
    for number, line in enumerate(text.split("\n")):
        code = line.split("//")[0]
        if not code.strip() or code.lstrip().startswith(("#", "*", "static_assert", "template", "CANNERY_CHECK", "using ")):
            continue
        bare = re.sub(r'"(?:[^"\\]|\\.)*"', lambda m: "\0" * len(m.group()), code)
        for pattern, instead in CHANGES:
            for match in re.finditer(pattern, bare):
                new = line[:match.start()] + instead + line[match.end():]
                if instead == "if (!(":
                    end = bare.rfind(") {")
                    if end < match.end():
                        continue
                    new = line[:match.start()] + instead + line[match.end():end] + ")" + line[end:]
                found.append((number, new))
    return found


def run(*command):
    return subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("room")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--preset", default="dev")
    parser.add_argument("--tests", help="of ctest; without it the room's own program")
    options = parser.parse_args()
    room = options.room.strip("/")
    program = "tst_" + room.replace("/", "_")
    tests = options.tests or "^" + program

    sources = sorted((ROOT / room).glob("*.cpp"))
    candidates = [(source, *place) for source in sources for place in places(source.read_text())]
    if not candidates:
        sys.exit("There is nothing to change in %s." % room)
    random.Random(options.seed).shuffle(candidates)
    tried, survivors, illegal = 0, [], 0
    for source, number, line in candidates:
        if tried == options.count:
            break
        original = source.read_text()
        lines = original.split("\n")
        before, lines[number] = lines[number], line
        try:
            source.write_text("\n".join(lines))
            if run("cmake", "--build", "--preset", options.preset, "--target", program).returncode != 0:
                illegal += 1
                continue
            tried += 1
            alive = run("ctest", "--preset", options.preset, "-R", tests, "--timeout", "300").returncode == 0
        finally:
            source.write_text(original)
        place = "%s:%d" % (source.relative_to(ROOT), number + 1)
        print(("SURVIVES " if alive else "noticed  ") + place, flush=True)
        if alive:
            survivors.append("%s\n-%s\n+%s" % (place, before, line))
    run("cmake", "--build", "--preset", options.preset, "--target", program)
    print("\n".join(["", *survivors]))
    print("%d mutants of %s: %d noticed, %d survive (%d more did not compile)"
          % (tried, room, tried - len(survivors), len(survivors), illegal))
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
