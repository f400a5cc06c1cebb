# SPDX-License-Identifier: Apache-2.0
"""XGBoost: 100 trees of 64 leaves, grown leaf by leaf over histograms, from a table of text, which
polars reads: of the ways into XGBoost the fastest."""
import common

import polars
import xgboost


def trees(arguments):
    """Reads the table and trains; the harness times the whole process."""
    table = polars.read_csv(arguments["trees_csv"])
    labels = table.drop_in_place("label").to_numpy()
    rows = xgboost.QuantileDMatrix(table.to_numpy(), labels, nthread=common.threads(arguments))
    xgboost.train({"objective": "binary:logistic", "tree_method": "hist", "max_leaves": 64,
                   "grow_policy": "lossguide", "max_depth": 0, "learning_rate": 0.1,
                   "nthread": common.threads(arguments)}, rows, 100)
    return {}, "XGBoost %s" % xgboost.__version__


if __name__ == "__main__":
    common.start({"trees": trees})
