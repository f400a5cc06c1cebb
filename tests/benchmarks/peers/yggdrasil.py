# SPDX-License-Identifier: Apache-2.0
"""Yggdrasil Decision Forests: the whole Titanic run, with boosted trees."""
import tempfile

import common

import pandas
import ydf


def titanic(arguments):
    """Reads, trains, evaluates and saves; the harness times the whole process."""
    ydf.verbose(0)
    train, test = (pandas.read_csv(arguments[k]) for k in ["titanic_train", "titanic_eval"])
    model = ydf.GradientBoostedTreesLearner(label="survived").train(train)
    model.evaluate(test)
    with tempfile.TemporaryDirectory() as folder:
        model.save(folder + "/model")
    return {}, "YDF %s" % ydf.__version__


if __name__ == "__main__":
    common.start({"titanic": titanic})
