# SPDX-License-Identifier: Apache-2.0
"""CatBoost: 100 symmetric trees of 64 leaves, its own and fastest kind, from a table of text, which
it reads itself."""
import csv
import os

import common

import catboost


def trees(arguments):
    """Reads the table and trains; the harness times the whole process."""
    file = arguments["trees_csv"]
    with open(file, encoding="utf-8", newline="") as stream:
        label = next(csv.reader(stream)).index("label")
    description = os.path.join(arguments["work"], "catboost_columns.tsv")
    with open(description, "w", encoding="utf-8") as stream:
        stream.write("%d\tLabel\n" % label)
    table = catboost.Pool(file, column_description=description, delimiter=",", has_header=True,
                          thread_count=common.threads(arguments))
    catboost.CatBoostClassifier(iterations=100, depth=6, learning_rate=0.1, logging_level="Silent",
                                allow_writing_files=False,
                                thread_count=common.threads(arguments)).fit(table)
    return {}, "CatBoost %s" % catboost.__version__


if __name__ == "__main__":
    common.start({"trees": trees})
