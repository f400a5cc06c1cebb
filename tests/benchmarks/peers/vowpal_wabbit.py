# SPDX-License-Identifier: Apache-2.0
"""Vowpal Wabbit: logistic regression over hashed features, 2^24 weights, a model saved at the end.
Speeds are differences of a whole and a half table, or of three passes and one, so that starting and
saving cancel out."""
import importlib.metadata
import os
import tempfile
import time

import common

import vowpalwabbit

NAME = "VW " + importlib.metadata.version("vowpalwabbit")
OPTIONS = "--loss_function logistic -b 24 --quiet"


def run(options):
    """Seconds by the clock and of the processor."""
    # The model is renamed into its place, so that no device can be named.
    with tempfile.TemporaryDirectory() as folder:
        model = os.path.join(folder, "model.vw")
        begin, cpu = time.perf_counter(), time.process_time()
        vowpalwabbit.Workspace("%s -f %s %s" % (OPTIONS, model, options)).finish()
        return time.perf_counter() - begin, time.process_time() - cpu


def difference(long, short, rows):
    wall, cpu = long[0] - short[0], long[1] - short[1]
    return {"value": rows / wall, "cpu": cpu / rows} if wall > 0 else None  # lost in noise


def hashed_linear(arguments):
    """FTRL as ours, and VW's own default, which is faster: the better one counts."""
    text, half, rows = arguments["criteo_vw"], arguments["criteo_vw_half"], arguments["rows"]
    results = {}
    cache = os.path.join(arguments["work"], "criteo.vwcache")
    run("-d %s --cache_file %s" % (text, cache))  # one that is there is read instead of the text
    for learner in ["--ftrl", ""]:
        results["text"] = common.better(
            results.get("text"),
            difference(run("%s -d %s" % (learner, text)), run("%s -d %s" % (learner, half)),
                       rows - rows // 2))
        source = "%s -d %s --cache_file %s" % (learner, text, cache)
        once = run(source + " --passes 1 --holdout_off")
        thrice = run(source + " --passes 3 --holdout_off")
        results["cache"] = common.better(results.get("cache"),
                                         difference(thrice, once, 2 * rows))
    os.remove(cache)
    return {k: v for k, v in results.items() if v}, NAME


if __name__ == "__main__":
    common.start({"hashed_linear": hashed_linear})
