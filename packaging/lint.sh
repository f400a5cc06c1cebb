#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Looks at C++ sources with clang-tidy, as .clang-tidy says, in the build folder of a preset that has been built.
#   packaging/lint.sh                  what changed since the last commit that the remote has, or else in the last one
#   packaging/lint.sh --limit N        at most N of these (the test command has little time)
#   packaging/lint.sh --all [ROOM...]  every source of all rooms, or of these (hours on two cores)
# PRESET=dev takes another build folder than that of ci.
set -euo pipefail
cd "$(dirname "$0")/.."

build="build/${PRESET:-ci}"
if [ ! -f "$build/compile_commands.json" ]; then
  echo "There is no $build/compile_commands.json: build that preset first." >&2
  exit 1
fi

limit=1000000
sources=()
if [ "${1:-}" = --all ]; then
  shift
  rooms=("$@")
  if [ ${#rooms[@]} -eq 0 ]; then
    rooms=(app core kernels storage tests ui)
  fi
  mapfile -t sources < <(find "${rooms[@]}" -name '*.cpp' | sort)
else
  if [ "${1:-}" = --limit ]; then
    limit="$2"
  fi
  if ! git rev-parse --quiet --verify HEAD >/dev/null; then
    echo "This is no clone, so nothing says what changed."
    exit 0
  fi
  base="$(git merge-base HEAD '@{upstream}' 2>/dev/null || true)"
  if [ -z "$base" ] || [ "$base" = "$(git rev-parse HEAD)" ]; then
    base="$(git rev-parse --quiet --verify HEAD~1 || git hash-object -t tree /dev/null)"
  fi
  # Changed in commits or not yet committed; deleted ones are not there to be looked at.
  mapfile -t sources < <(git diff --name-only --diff-filter=d "$base" -- '*.cpp')
fi
if [ ${#sources[@]} -eq 0 ]; then
  echo "No C++ source changed."
  exit 0
fi
if [ ${#sources[@]} -gt "$limit" ]; then
  echo "clang-tidy looks at $limit of ${#sources[@]} changed sources; packaging/lint.sh takes all of them."
  sources=("${sources[@]:0:$limit}")
fi

# Sources that are compiled several at once have the command of the file that includes them; options
# that only gcc knows go, and so do precompiled headers: what a file forgot to include is an error.
database="$build/lint"
mkdir -p "$database"
python3 - "$build/compile_commands.json" "$database/compile_commands.json" <<'PYTHON'
import json, re, sys
commands = []
for entry in json.load(open(sys.argv[1])):
    command = re.sub(r" -W(shadow=local|no-subobject-linkage|invalid-pch)| -fpch-preprocess"
                     r"| -include \S+cmake_pch\.hxx", "", entry["command"])
    names = [entry["file"]]
    if "/Unity/" in entry["file"]:
        names = re.findall(r'^#include "([^"]+)"', open(entry["file"]).read(), re.MULTILINE)
    commands += [{**entry, "file": name, "command": command.replace(entry["file"], name)} for name in names]
json.dump(commands, open(sys.argv[2], "w"))
PYTHON

# Of headers only ours; what moc and protoc wrote is nobody's style.
printf '%s\0' "${sources[@]}" |
  xargs -0 -n 1 -P "$(nproc)" clang-tidy-14 -p "$database" --quiet \
    --extra-arg=-Wno-unknown-warning-option \
    --header-filter="^$PWD/(app|core|kernels|storage|tests|ui)/[^.]*\\.h$" \
    2> >(grep -v ' warnings\? generated.$' >&2)
echo "clang-tidy has nothing to say of ${#sources[@]} sources."
