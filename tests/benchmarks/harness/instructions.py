"""Instructions of one step of ours: what valgrind counts in a long run less a short one. Free of
noise, so two commits can be compared on a busy machine. With AVX2: valgrind knows no AVX-512."""
import os
import re
import shutil
import tempfile

import process
import tables as t

STEPS = 50


def of_run(context, experiment, batch, steps):
    folder = tempfile.mkdtemp(dir=context.work)
    out = os.path.join(folder, "counts")
    try:
        usage = process.run(
            ["valgrind", "--tool=callgrind", "--callgrind-out-file=" + out,
             context.programs["cannery"], "train", experiment, "--model-dir", folder + "/model",
             "--threads", "1", "--quiet", "--set", "train_spec.max_steps=%d" % steps, "--set",
             "train_spec.input.batch_size=%d" % batch, "--set", "data.eval=", "--set", "eval_spec=",
             "--set", "run_config.save_checkpoints_steps=100000000"],
            context.one_core, {"CANNERY_CPU_LEVEL": "x86-64-v3"}, timeout=600)
        del usage
        with open(out, encoding="utf-8") as stream:
            return int(re.search(r"^(?:summary|totals): (\d+)", stream.read(), re.M).group(1))
    finally:
        shutil.rmtree(folder)


def count(context, racing):
    census = os.path.join(t.CENSUS, "census.cannery")
    linear = context.tables.experiment("census_linear.cannery", t.census_linear())
    racing.instructions = {}
    for name, experiment, batch in [("DNN [100, 50], census, batch 32", census, 32),
                                    ("DNN [100, 50], census, batch 1024", census, 1024),
                                    ("linear FTRL, census, batch 32", linear, 32)]:
        short = of_run(context, experiment, batch, 10)
        long = of_run(context, experiment, batch, 10 + STEPS)
        racing.instructions[name] = (long - short) / STEPS
        print("  %-40s %.0f instructions a step" % (name, racing.instructions[name]), flush=True)
