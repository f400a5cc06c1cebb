# SPDX-License-Identifier: Apache-2.0
"""Writes the archives of this folder with NumPy: make.py FOLDER."""
import sys

import numpy as np

folder = sys.argv[1]
arrays = {
    "f": np.array([1.5, -2.25, np.nan, 0.1], np.float32),
    "d": np.array([1e-3, 2, 3, 1e30], np.float64),
    "i": np.array([-1, 0, 1, 127], np.int8),
    "u": np.array([0, 1, 2, 65535], np.uint16),
    "l": np.array([0, -(2**40), 3, 4], np.int64),
    "b": np.array([True, False, True, True]),
    "s": np.array(["grüße", "a", "", "bc"]),
    "z": np.array([b"x", b"yy", b"", b"z"], "S2"),
    "m": np.arange(8, dtype=np.float32).reshape(4, 2),
    "one": np.float32(3),
}
np.savez(folder + "/stored.npz", **arrays)
np.savez_compressed(folder + "/deflated.npz", **arrays)
np.savez(folder + "/objects.npz", x=np.array([1, "a", None], object))
np.savez(folder + "/lengths.npz", x=np.zeros(3), y=np.zeros(4))
np.savez(folder + "/cube.npz", x=np.zeros((2, 2, 2)))
np.savez(folder + "/columns.npz", x=np.asfortranarray(np.arange(6.0).reshape(3, 2)))
np.savez(folder + "/big_endian.npz", x=np.array([1, 2], ">i4"))
np.savez(folder + "/dates.npz", x=np.array(["2024-05-01"], "datetime64[D]"))
