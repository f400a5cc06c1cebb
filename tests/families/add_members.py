#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Adds a toy data source, feature column, layer and estimator to the sources and shows that they
work.

Each touches only what a member of a family may touch: its own pair of files (toys/), its message
and its line in the oneof (core/spec/*.proto), its row and its #include in the catalog, and its line
in the list of sources.

  add_members.py --copy FOLDER      creates a copy of the tree with the four members, and lists what
                                    was touched
  add_members.py --build FOLDER     and builds the program there (preset ci: minutes), then does
                                    what --check does
  add_members.py --overlay FOLDER   only the files that differ in such a copy, and the schema: what
                                    CMakeLists.txt beside this file builds and the test command
                                    tests
  add_members.py --check PROGRAM FOLDER
                                    trains and exports with the four members, and reads their help

FOLDER is created, or emptied if this script created it.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
LEFT_OUT = shutil.ignore_patterns(".git", "build", "__pycache__")

# What must be added besides the pair and the message in toys/: a line in the oneof, and a row.
MEMBERS = [
    {"pair": "core/data/sources/numbers_source",
     "proto": "core/spec/data.proto", "oneof": "DataSource",
     "field": 'NumbersSource numbers = 1000 [(info) = { help: "Whole numbers in a text." }];',
     "catalog": "core/data/sources/data_source_catalog.cpp",
     "row": '{spec::DataSource::kNumbers, "numbers", openNumbersSource, setNumbersFiles},'},
    {"pair": "core/features/flag_column",
     "proto": "core/spec/feature_columns.proto", "oneof": "FeatureColumn",
     "field": 'FlagColumn flag_column = 1000 [(info) = { help: "Is a number large enough?" }];',
     "catalog": "core/features/feature_column_catalog.cpp",
     "row": '{Kind::kFlagColumn, "flag_column", &FlagColumn::create},'},
    {"pair": "core/layers/scale_layer",
     "proto": "core/spec/layers.proto", "oneof": "Layer",
     "field": 'ScaleLayer scale = 1000 [(info) = { help: "Its input times a constant." }];',
     "catalog": "core/layers/layer_catalog.cpp",
     "row": '{spec::Layer::kScale, "scale", makeScaleLayer},'},
    {"pair": "core/estimators/scaled_classifier",
     "proto": "core/spec/estimators.proto", "oneof": "Estimator",
     "field": 'ScaledClassifier scaled_classifier = 1000 [(info) = { help: "A toy." }];',
     "catalog": "core/estimators/estimator_catalog.cpp",
     "row": '{spec::Estimator::kScaledClassifier, "scaled_classifier", "ScaledClassifier", '
            'lowerScaledClassifier},'},
]


def run(command, **options):
    return subprocess.run([str(part) for part in command], check=True, text=True, **options)


def make_folder(target):
    """An empty folder, in place of one that this script made."""
    if target.exists():
        if not (target / ".toys").exists():
            sys.exit(f"{target} is not a folder that this script made")
        shutil.rmtree(target)
    target.mkdir(parents=True)
    (target / ".toys").touch()


def copy_tree(target):
    make_folder(target)
    shutil.copytree(SOURCE, target, ignore=LEFT_OUT, symlinks=True, dirs_exist_ok=True)


def copy_touched(target):
    """The files that members are written into, and the rest of the schema."""
    names = [path.relative_to(SOURCE) for path in (SOURCE / "core" / "spec").glob("*.proto")]
    for member in MEMBERS:
        names += [pathlib.Path(member["catalog"]),
                  list_of_sources(member["pair"])]
    for name in names:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(SOURCE / name, target / name)


def list_of_sources(pair):
    """The CMakeLists.txt of a pair's room: of its folder or of one above it."""
    for folder in pathlib.Path(pair).parents:
        if (SOURCE / folder / "CMakeLists.txt").exists():
            return folder / "CMakeLists.txt"
    sys.exit(f"{pair}: no CMakeLists.txt")


def insert(path, pattern, line):
    """Inserts a line after the last match of the pattern."""
    text = path.read_text()
    last = None
    for last in re.finditer(pattern, text, re.S | re.M):
        pass
    if last is None:
        sys.exit(f"{path}: no place for: {line}")
    path.write_text(text[:last.end()] + line + "\n" + text[last.end():])


def add_message(target, member):
    path = target / member["proto"]
    insert(path, r"^message %s \{.*?^  oneof kind \{\n" % member["oneof"], "    " + member["field"])
    message = (HERE / "toys" / (member["pair"] + ".proto")).read_text().partition("\n")[2]
    path.write_text(path.read_text() + "\n" + message)


def add_row(target, member):
    path = target / member["catalog"]
    family = pathlib.Path(member["pair"]).parent
    insert(path, r'^#include "%s/\w+\.h"\n' % family, '#include "%s.h"' % member["pair"])
    insert(path, r"to_array<\w+>\(\{\n", "    " + member["row"])


def add_pair(target, member):
    pair = pathlib.Path(member["pair"])
    for end in (".h", ".cpp"):
        shutil.copy(HERE / "toys" / (member["pair"] + end), target / (member["pair"] + end))
    sources = list_of_sources(pair)
    name = pair.relative_to(sources.parent)
    insert(target / sources, r"^  SOURCES\n", f"    {name}.cpp")


def add_members(target):
    for member in MEMBERS:
        add_pair(target, member)
        add_message(target, member)
        add_row(target, member)


def touched(target):
    """Files of the copy that are missing or different in the tree."""
    result = []
    for path in sorted(target.rglob("*")):
        name = path.relative_to(target)
        if path.is_file() and name.parts[0] != ".toys":
            source = SOURCE / name
            if not source.exists():
                result.append(f"new      {name}")
            elif source.read_bytes() != path.read_bytes():
                lines = len(path.read_text().splitlines()) - len(source.read_text().splitlines())
                result.append(f"+{lines:<3} lines {name}")
    return result


def check_help(program):
    for path, words in {
            "data.train.numbers": ["columns", "from the left"],
            "feature_column.flag_column": ["threshold", "in years", "default 0"],
            "estimator.scaled_classifier": ["factor", "default 2", "feature_columns"]}.items():
        text = run([program, "help", path], capture_output=True).stdout
        for word in words:
            if word not in text:
                sys.exit(f"cannery help {path} does not say '{word}':\n{text}")
        print(text)


def check_training(program, folder):
    make_folder(folder)
    (folder / "people.txt").write_text("".join(
        f"{i % 40} {i % 7} {int(i % 40 >= 18)}\n" for i in range(400)))
    experiment = folder / "toys.cannery"
    shutil.copy(HERE / "toys" / "toys.cannery", experiment)
    resolved = run([program, "check", experiment, "--resolved"], capture_output=True).stdout
    if not re.search(r"adagrad \{\s*learning_rate: 0.05", resolved):
        sys.exit("the default optimizer is not there:\n" + resolved)
    run([program, "train", experiment])
    exported = list(folder.rglob("saved_model.pb"))
    if len(exported) != 1:
        sys.exit(f"{len(exported)} models were exported, not 1")
    graph = exported[0].read_bytes()
    for word in (b"linear/linear_model/age_flag/weights", b"GreaterEqual", b"linear/scaled"):
        if word not in graph:
            sys.exit(f"the exported graph lacks {word.decode()}")


def check(program, folder):
    check_help(program)
    check_training(program, folder)


def build(target):
    run(["cmake", "--preset", "ci"], cwd=target, stdout=subprocess.DEVNULL)
    run(["cmake", "--build", "--preset", "ci", "--target", "cannery"], cwd=target)
    check(target / "build" / "ci" / "app" / "cannery" / "cannery", target / "build" / "toys")


def main():
    options = argparse.ArgumentParser(description=__doc__,
                                      formatter_class=argparse.RawDescriptionHelpFormatter)
    for mode in ("copy", "build", "overlay"):
        options.add_argument(f"--{mode}", type=pathlib.Path, metavar="FOLDER")
    options.add_argument("--check", type=pathlib.Path, nargs=2, metavar=("PROGRAM", "FOLDER"))
    arguments = options.parse_args()
    if arguments.check:
        check(*(path.absolute() for path in arguments.check))
        return
    target = arguments.copy or arguments.build or arguments.overlay
    if target is None:
        options.error("say --copy, --build, --overlay or --check")
    target = target.absolute()
    if arguments.overlay:
        copy_touched(target)
    else:
        copy_tree(target)
    add_members(target)
    if not arguments.overlay:
        print("\n".join(touched(target)))
    if arguments.build:
        build(target)


if __name__ == "__main__":
    main()
