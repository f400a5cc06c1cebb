# SPDX-License-Identifier: Apache-2.0
"""LightGBM: one row predicted in process by its fast C interface, 100 trees on the census sample;
and 100 trees of 64 leaves from a table of text, which it reads itself."""
import ctypes
import time

import common

import lightgbm
import numpy as np


def predict(arguments):
    floats, countries, labels = common.census_encoded(arguments["census"])
    rows = np.ascontiguousarray(np.concatenate([floats, countries[:, None]], 1), np.float64)
    booster = lightgbm.train({"objective": "binary", "verbose": -1, "num_threads": 1},
                             lightgbm.Dataset(rows, labels), 100)
    library = lightgbm.basic._LIB
    fast, length = ctypes.c_void_p(), ctypes.c_int64()
    out = (ctypes.c_double * 1)()
    assert library.LGBM_BoosterPredictForMatSingleRowFastInit(
        booster._handle, 0, 0, -1, 1, rows.shape[1], ctypes.c_char_p(b"num_threads=1"),
        ctypes.byref(fast)) == 0
    single = [r.ctypes.data_as(ctypes.c_void_p) for r in rows[:64]]
    call = library.LGBM_BoosterPredictForMatSingleRowFast
    times = []
    end = time.perf_counter() + arguments["seconds"]
    while time.perf_counter() < end:
        row = single[len(times) % 64]
        begin = time.perf_counter()
        call(fast, row, ctypes.byref(length), out)
        times.append(time.perf_counter() - begin)
    return ({"one_row": {"value": float(np.median(times)) * 1e6, "cpu": float(np.median(times))}},
            "LightGBM %s, 100 trees" % lightgbm.__version__)


def trees(arguments):
    """Reads the table and trains; the harness times the whole process."""
    table = lightgbm.Dataset(arguments["trees_csv"], params={"header": True,
                                                            "label_column": "name:label"})
    lightgbm.train({"objective": "binary", "verbose": -1, "num_leaves": 64, "learning_rate": 0.1,
                    "num_threads": common.threads(arguments)}, table, 100)
    return {}, "LightGBM %s" % lightgbm.__version__


if __name__ == "__main__":
    common.start({"predict": predict, "trees": trees})
