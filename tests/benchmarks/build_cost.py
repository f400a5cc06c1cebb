#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a build cost, room by room: sums ninja's own log of a build folder.

    tests/benchmarks/build_cost.py build/ci                  a table of rooms
    tests/benchmarks/build_cost.py build/ci --steps 20       the dearest steps

Seconds are those that a step was under way. With as many steps at a time as there are quiet cores
they are processor seconds, so build cold, with nothing else running and ccache off
(CCACHE_DISABLE=1)."""

import argparse
import collections
import pathlib
import re


def steps(folder):
    """Seconds of each step's last time, by one of its outputs (they share the command's hash)."""
    by_command = {}
    for line in (folder / ".ninja_log").read_text().splitlines():
        if not line.startswith("#"):
            start, end, _, output, command = line.split("\t")
            if output.startswith("/"):
                output = output.split(f"/{folder.name}/", 1)[-1]
            by_command[command] = (output, (int(end) - int(start)) / 1000)
    return dict(by_command.values())


def room_of(output):
    """'core/train' of core/train/CMakeFiles/core_train.dir/loop.cpp.o; tests by their first folder."""
    room = re.sub(r"(^|/)CMakeFiles/.*|/[^/]*_autogen/.*", "", output)
    if room == output:
        room = str(pathlib.PurePath(output).parent)
    parts = room.strip("/").split("/")
    if room in ("", ".") or parts[0] == "generated":
        return "precompiled and generated"
    return "/".join(parts[:2])


def kind_of(output):
    if output.endswith((".o", ".gch", ".pch")):
        return "compiling"
    return "making meta objects" if "autogen" in output else "linking and the rest"


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("folder", type=pathlib.Path)
    arguments.add_argument("--steps", type=int, default=0, help="the dearest steps instead of rooms")
    options = arguments.parse_args()
    seconds = steps(options.folder)
    if options.steps:
        for output, cost in sorted(seconds.items(), key=lambda row: -row[1])[: options.steps]:
            print(f"{cost:7.1f}  {output}")
        return
    rooms = collections.defaultdict(lambda: collections.Counter())
    for output, cost in seconds.items():
        rooms[room_of(output)][kind_of(output)] += cost
    kinds = ["compiling", "making meta objects", "linking and the rest"]
    print("| Room | Seconds | " + " | ".join(kinds) + " |")
    print("|---|" + "---|" * (len(kinds) + 1))
    for room, costs in sorted(rooms.items(), key=lambda row: -sum(row[1].values())):
        cells = " | ".join(f"{costs[kind]:.0f}" for kind in kinds)
        print(f"| {room} | {sum(costs.values()):.0f} | {cells} |")
    totals = " | ".join(f"{sum(c[kind] for c in rooms.values()):.0f}" for kind in kinds)
    print(f"| all | {sum(seconds.values()):.0f} | {totals} |")


if __name__ == "__main__":
    main()
