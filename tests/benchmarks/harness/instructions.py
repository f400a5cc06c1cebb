# SPDX-License-Identifier: Apache-2.0
"""Instructions of one step of ours: what valgrind counts in a long run less a short one. Free of
noise, so two commits can be compared on a busy machine. With AVX2: valgrind knows no AVX-512."""
import os
import re
import shutil
import tempfile

import process
import table
import tables as t

STEPS = 50
SECONDS = 900  # a run takes fifty times as long as without valgrind


def of_run(context, experiment, batch, steps):
    folder = tempfile.mkdtemp(dir=context.work)
    out = os.path.join(folder, "counts")
    try:
        process.run(
            ["valgrind", "--tool=callgrind", "--callgrind-out-file=" + out,
             context.programs["cannery"], "train", experiment, "--model-dir", folder + "/model",
             "--threads", "1", "--quiet", "--set", "train_spec.max_steps=%d" % steps, "--set",
             "train_spec.input.batch_size=%d" % batch, "--set", "data.eval=", "--set", "eval_spec=",
             "--set", "run_config.save_checkpoints_steps=100000000"],
            context.one_core, {"CANNERY_CPU_LEVEL": "x86-64-v3"}, timeout=SECONDS)
        with open(out, encoding="utf-8") as stream:
            return int(re.search(r"^(?:summary|totals): (\d+)", stream.read(), re.M).group(1))
    finally:
        shutil.rmtree(folder)


def measure(context):
    """(Markdown, raw numbers)."""
    census = os.path.join(t.CENSUS, "census.cannery")
    linear = context.tables.experiment("census_linear.cannery", t.census_linear())
    counts = {}
    for name, experiment, batch in [("DNN [100, 50], census, batch 32", census, 32),
                                    ("DNN [100, 50], census, batch 1024", census, 1024),
                                    ("Linear FTRL, 3 crosses, census, batch 32", linear, 32),
                                    ("Linear FTRL, 3 crosses, census, batch 1024", linear, 1024)]:
        short = of_run(context, experiment, batch, 10)
        long = of_run(context, experiment, batch, 10 + STEPS)
        counts[name] = (long - short) / STEPS
        print("  %-44s %.0f instructions a step" % (name, counts[name]), flush=True)
    lines = ["| Step, one thread, AVX2 | Instructions |", "|---|---|"]
    lines += ["| %s | %s |" % (name, "{:,.0f}".format(count)) for name, count in counts.items()]
    return "\n".join(lines) + "\n", {"steps": STEPS, "instructions": counts,
                                     "machine": table.machine()}
