#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Adds a toy feature column, layer and estimator to a copy of the tree and shows that they work.

What each of them touches is all that a member of a family may touch: a pair of files of its own
(toys/), its message and its line in the oneof (core/spec/*.proto), its row and its #include in the
catalog, and its line in the list of sources.

  add_members.py --copy FOLDER    makes the copy and lists what was touched
  add_members.py --parse FOLDER   and compiles the new messages, the pairs and the catalogs, in half
                                  a minute of one core, without making objects
  add_members.py --build FOLDER   and builds the program there (preset ci: minutes), trains and
                                  exports with the three members, and reads their help

FOLDER is made, or emptied when this script made it. --flags FILE: with the flags of a
compile_commands.json rather than a build's beside this tree.
"""
import argparse
import json
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
LEFT_OUT = shutil.ignore_patterns(".git", "build", "__pycache__")

# What a person would add beside the pair and the message in toys/: a line in the oneof, and a row.
MEMBERS = [
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
EXPERIMENT = """
name: "three toys"
data {
  train { csv { files: "people.csv" } }
  split { fraction { eval_fraction: 0.25 seed: 1 } }
  label { column: "label" }
}
feature_column { name: "adult" flag_column { key: "age" threshold: 18 } }
feature_column { name: "hours" numeric_column { key: "hours" } }
estimator { scaled_classifier { feature_columns: ["adult", "hours"] factor: 3 } }
train_spec { max_steps: 60 input { batch_size: 16 shuffle: true } }
eval_spec { exporter { final_exporter { name: "last" } } }
run_config { tf_random_seed: 1 save_checkpoints_steps: 30 }
"""


def run(command, **options):
    return subprocess.run([str(part) for part in command], check=True, text=True, **options)


def copy_tree(target):
    if target.exists():
        if not (target / ".toys").exists():
            sys.exit(f"{target} is not a copy that this script made")
        shutil.rmtree(target)
    shutil.copytree(SOURCE, target, ignore=LEFT_OUT, symlinks=True)
    (target / ".toys").touch()


def insert(path, pattern, line):
    """Puts a line behind the last match of the pattern."""
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
        shutil.copy2(HERE / "toys" / (member["pair"] + end), target / (member["pair"] + end))
    insert(target / pair.parent / "CMakeLists.txt", r"^  SOURCES\n", f"    {pair.name}.cpp")


def touched(target):
    """Files of the copy that the tree lacks or has otherwise."""
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


def flags_of(commands, source):
    """Compiler and options of a neighbour, without what names its files and precompiled headers."""
    room = str(pathlib.Path(source).parent)
    for entry in json.loads(commands.read_text()):
        if f"/{room}/CMakeFiles" in entry["command"]:
            command = entry["command"].split(" -o ")[0].split("ccache ")[-1]
            command = re.sub(r" -Winvalid-pch| -include \S+cmake_pch\.hxx", "", command)
            return shlex.split(command)
    sys.exit(f"{commands} compiles nothing of {room}")


def parse(target, commands):
    generated = target / "build" / "generated"
    generated.mkdir(parents=True)
    protos = sorted({member["proto"] for member in MEMBERS})
    run(["protoc", "-I", target, f"--cpp_out={generated}", *protos])
    sources = [member["pair"] + ".cpp" for member in MEMBERS]
    sources += [member["catalog"] for member in MEMBERS]
    for source in sources:
        compiler, *options = flags_of(commands, source)
        run([compiler, "-I", generated, "-I", target, *options, "-O0", "-fsyntax-only",
             target / source])
        print("compiles", source)


def check_help(program):
    for path, words in {
            "feature_column.flag_column": ["threshold", "in years", "default 0"],
            "estimator.scaled_classifier": ["factor", "default 2", "feature_columns"]}.items():
        text = run([program, "help", path], capture_output=True).stdout
        for word in words:
            if word not in text:
                sys.exit(f"cannery help {path} does not say '{word}':\n{text}")
        print(text)


def check_training(program, folder):
    folder.mkdir()
    (folder / "people.csv").write_text("age,hours,label\n" + "".join(
        f"{i % 40},{i % 7},{int(i % 40 >= 18)}\n" for i in range(400)))
    experiment = folder / "toys.cannery"
    experiment.write_text(EXPERIMENT)
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


def build(target):
    run(["cmake", "--preset", "ci"], cwd=target, stdout=subprocess.DEVNULL)
    run(["cmake", "--build", "--preset", "ci", "--target", "cannery"], cwd=target)
    program = target / "build" / "ci" / "app" / "cannery" / "cannery"
    check_help(program)
    check_training(program, target / "build" / "toys")


def main():
    options = argparse.ArgumentParser(description=__doc__,
                                      formatter_class=argparse.RawDescriptionHelpFormatter)
    for mode in ("copy", "parse", "build"):
        options.add_argument(f"--{mode}", type=pathlib.Path, metavar="FOLDER")
    options.add_argument("--flags", type=pathlib.Path,
                         default=SOURCE / "build" / "ci" / "compile_commands.json")
    arguments = options.parse_args()
    target = arguments.copy or arguments.parse or arguments.build
    if target is None:
        options.error("say --copy, --parse or --build")
    target = target.absolute()
    copy_tree(target)
    for member in MEMBERS:
        add_pair(target, member)
        add_message(target, member)
        add_row(target, member)
    print("\n".join(touched(target)))
    if arguments.parse:
        parse(target, arguments.flags)
    if arguments.build:
        build(target)


if __name__ == "__main__":
    main()
