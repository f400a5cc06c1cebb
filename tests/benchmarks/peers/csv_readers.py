# SPDX-License-Identifier: Apache-2.0
"""polars, pandas and pyarrow read a CSV file into typed columns: the best of three each."""
import os
import sys
import time

import common

THREADS = str(common.threads({}))
os.environ["POLARS_MAX_THREADS"] = os.environ["OMP_NUM_THREADS"] = THREADS


def best_of_three(read, path):
    best = None
    for _ in range(3):
        begin, cpu = time.perf_counter(), time.process_time()
        table = read(path)
        spent, megabytes = time.perf_counter() - begin, os.path.getsize(path) / 1e6
        best = common.better(best, {"value": megabytes / spent,
                                    "cpu": (time.process_time() - cpu) / megabytes})
        del table
    return {"rate": best}


def polars(arguments):
    import polars
    return best_of_three(polars.read_csv, arguments["higgs_csv"]), "polars " + polars.__version__


def pandas(arguments):
    import pandas
    return best_of_three(pandas.read_csv, arguments["higgs_csv"]), "pandas " + pandas.__version__


def pyarrow(arguments):
    import pyarrow
    import pyarrow.csv
    pyarrow.set_cpu_count(int(THREADS))
    options = pyarrow.csv.ReadOptions(use_threads=THREADS != "1")
    return best_of_three(lambda path: pyarrow.csv.read_csv(path, options),
                         arguments["higgs_csv"]), "pyarrow " + pyarrow.__version__


if __name__ == "__main__":
    common.start({f.__name__: f for f in [polars, pandas, pyarrow]})
