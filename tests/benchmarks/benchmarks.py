"""Races Cannery against its peers, in turn, on the same core; prints one table.

Every figure is the median of the rounds, with the best in brackets; ratios compare our median with
the peer's best. Start it with tests/benchmarks/run.sh.
"""
import argparse
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time

CANNERY = os.environ["CANNERY"]
CSV_BENCHMARK = os.environ["CSV_BENCHMARK"]
EVENT_LOAD_BENCHMARK = os.environ["EVENT_LOAD_BENCHMARK"]
ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
EXAMPLES = os.path.join(ROOT, "resources", "examples")
CENSUS = os.path.join(EXAMPLES, "census", "census.cannery")
TITANIC = os.path.join(EXAMPLES, "titanic", "titanic.cannery")
CORE = {sorted(os.sched_getaffinity(0))[0]}


def pinned():
    os.sched_setaffinity(0, CORE)


def cannery(*arguments):
    begin = time.perf_counter()
    subprocess.run([CANNERY, *arguments], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, preexec_fn=pinned)
    return time.perf_counter() - begin


def train_seconds(folder, steps, batch):
    model_dir = os.path.join(folder, "census_%d_%f" % (steps, time.time()))
    return cannery("train", CENSUS, "--model-dir", model_dir, "--threads", "1", "--quiet",
                   "--set", "train_spec.max_steps=%d" % steps,
                   "--set", "train_spec.input.batch_size=%d" % batch,
                   "--set", "run_config.save_checkpoints_steps=1000000",
                   "--set", "eval_spec.exporter=", "--set", "run_config.save_summary_steps=100")


def steps_per_second(folder, batch=32):
    """The difference of a long and a short run: start, evaluation and saving cancel out."""
    short, long = 2000, 42000
    return (long - short) / (train_seconds(folder, long, batch) - train_seconds(folder, short, batch))


def tensorflow_steps_per_second(batch=32):
    """DNNClassifier [100, 50] on the same columns, in a process of its own, after a warm-up."""
    text = subprocess.run([sys.executable, os.path.join(os.path.dirname(__file__), "peer_dnn.py"),
                           str(batch)], check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, preexec_fn=pinned, text=True).stdout
    return float(text.strip().splitlines()[-1])


def first_step_seconds(folder):
    model_dir = os.path.join(folder, "first_%f" % time.time())
    return cannery("train", TITANIC, "--model-dir", model_dir, "--quiet", "--set",
                   "train_spec.max_steps=1", "--set", "eval_spec.exporter=")


def titanic_seconds(folder):
    model_dir = os.path.join(folder, "titanic_%f" % time.time())
    return cannery("train", TITANIC, "--model-dir", model_dir, "--quiet",
                   "--set", "train_spec.max_steps=200")


def csv_table(folder):
    """28 floats a row with a header: the shape of the HIGGS table."""
    import random
    path = os.path.join(folder, "floats.csv")
    source = random.Random(7)
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(",".join("f%d" % i for i in range(28)) + "\n")
        lines = [",".join("%.9g" % source.gauss(0, 1) for _ in range(28)) + "\n"
                 for _ in range(20000)]
        for _ in range(15):
            source.shuffle(lines)
            stream.writelines(lines)
    return path


def our_csv_rate(path):
    text = subprocess.run([CSV_BENCHMARK, path, "1"], check=True, stdout=subprocess.PIPE,
                          preexec_fn=pinned, text=True).stdout
    return float(text.split()[0])


def polars_csv_rate(path):
    code = ("import os,sys,time; os.environ['POLARS_MAX_THREADS']='1'\n"
            "import polars; best=1e9\n"
            "for _ in range(3):\n"
            "    b=time.perf_counter(); polars.read_csv(sys.argv[1]); "
            "best=min(best,time.perf_counter()-b)\n"
            "print(os.path.getsize(sys.argv[1])/best/1e6)")
    text = subprocess.run([sys.executable, "-c", code, path], check=True, stdout=subprocess.PIPE,
                          preexec_fn=pinned, text=True).stdout
    return float(text)


def event_files(folder):
    """10 million scalars: 4 runs of 10 tags and 250,000 steps, one record for each value."""
    logs = os.path.join(folder, "logs")
    subprocess.run([EVENT_LOAD_BENCHMARK, "write", logs, "4", "10", "250000"], check=True)
    return logs


def our_load_lines(logs):
    return subprocess.run([EVENT_LOAD_BENCHMARK, "load", logs], check=True, stdout=subprocess.PIPE,
                          preexec_fn=pinned, text=True).stdout.splitlines()


def our_load_seconds(logs):
    """Until every point is in its series, decoded from the event files."""
    return float(our_load_lines(logs)[0].split()[0])


def our_second_load_seconds(logs):
    return float(our_load_lines(logs)[1].split()[0])


def our_resident_megabytes(logs):
    return float(our_load_lines(logs)[0].split(" MB resident")[0].split()[-1])


def data_server_load_seconds(logs):
    """TensorBoard's own data server, until it says that it has read everything. It keeps a sample
    of 1,000 values a tag; we keep them all."""
    import tensorboard_data_server
    begin = time.perf_counter()
    server = subprocess.Popen([tensorboard_data_server.server_binary(), "--logdir", logs, "--port",
                               "0", "--reload", "once", "-v"], stderr=subprocess.PIPE, text=True,
                              preexec_fn=pinned)
    try:
        for line in server.stderr:
            if "Finished load cycle" in line:
                return time.perf_counter() - begin
    finally:
        server.kill()
        server.wait()
    raise RuntimeError("the data server ended early")


def row(name, unit, ours, theirs, peer, more_is_better):
    best = max if more_is_better else min
    median = statistics.median(ours)
    cells = [name, "%.4g %s (best %.4g)" % (median, unit, best(ours))]
    if theirs:
        rival = best(theirs)
        ratio = median / rival if more_is_better else rival / median
        cells += ["%s: %.4g (best %.4g)" % (peer, statistics.median(theirs), rival),
                  "%.2f×" % ratio]
    else:
        cells += ["", ""]
    print("| " + " | ".join(cells) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    with open("/proc/cpuinfo", encoding="utf-8") as stream:
        model = next((l.split(":")[1].strip() for l in stream if l.startswith("model name")), "?")
    print("%s, one core of %d, %s\n" % (model, os.cpu_count(), platform.platform()))
    print("| Work | Cannery | Peer | Ratio to the peer's best |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        def race(name, unit, ours, theirs=None, peer="", more_is_better=True):
            if arguments.only and arguments.only not in name:
                return
            a, b = [], []
            for _ in range(arguments.rounds):
                a.append(ours())
                if theirs:
                    b.append(theirs())
            row(name, unit, a, b, peer, more_is_better)

        race("DNN [100, 50], census, batch 32", "steps/s", lambda: steps_per_second(folder),
             tensorflow_steps_per_second, "TensorFlow 2.15.1 Estimator")
        race("Titanic: process start to the end of a run of one step, saved and evaluated", "s",
             lambda: first_step_seconds(folder), more_is_better=False)
        race("Titanic: 200 steps, evaluated, exported", "s", lambda: titanic_seconds(folder),
             more_is_better=False)
        if not arguments.only or arguments.only in "CSV":
            table = csv_table(folder)
            race("CSV to typed columns, 28 floats", "MB/s", lambda: our_csv_rate(table),
                 lambda: polars_csv_rate(table), "polars")
        if not arguments.only or arguments.only in "10 M scalars":
            logs = event_files(folder)
            race("10 M scalars from event files, first time", "s", lambda: our_load_seconds(logs),
                 lambda: data_server_load_seconds(logs), "TensorBoard's data server 0.7.2",
                 more_is_better=False)
            race("10 M scalars again, from the column cache", "s",
                 lambda: our_second_load_seconds(logs), more_is_better=False)
            race("10 M scalars: resident memory after loading", "MB",
                 lambda: our_resident_megabytes(logs), more_is_better=False)


if __name__ == "__main__":
    main()
