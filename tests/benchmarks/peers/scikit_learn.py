# SPDX-License-Identifier: Apache-2.0
"""scikit-learn: logistic regression by SGD and k-means over floats in memory, the whole Titanic run,
and 100 boosted trees of 64 leaves from a table of text."""
import common

import sklearn

NAME = "scikit-learn %s" % sklearn.__version__


def dense_linear(arguments):
    """partial_fit goes over all rows once, in random order, a step each."""
    import numpy as np
    from sklearn.linear_model import SGDClassifier
    floats, labels = common.higgs(arguments["higgs_floats"])
    best = None
    for dtype in [np.float32, np.float64]:
        rows = floats.astype(dtype)
        model = SGDClassifier(loss="log_loss", penalty=None, learning_rate="constant", eta0=0.01,
                              random_state=1)

        def passes(count):
            for _ in range(count):
                model.partial_fit(rows, labels, classes=[0.0, 1.0])

        best = common.better(best, common.timed(passes, arguments["seconds"], len(labels)))
    return {"rows": best}, NAME


def kmeans(arguments):
    """Lloyd's algorithm from random rows, ten iterations a fit."""
    from sklearn.cluster import KMeans
    floats, _ = common.higgs(arguments["million_floats"])

    def fits(count):
        for seed in range(count):
            KMeans(n_clusters=64, init="random", n_init=1, max_iter=10, tol=0, algorithm="lloyd",
                   random_state=seed).fit(floats)

    return {"iterations": common.timed(fits, arguments["seconds"], 10)}, NAME


def titanic(arguments):
    """Reads, trains, evaluates and saves; the harness times the whole process."""
    import tempfile

    import joblib
    import pandas
    from sklearn.compose import make_column_transformer
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import accuracy_score, roc_auc_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler
    train, test = (pandas.read_csv(arguments[k]) for k in ["titanic_train", "titanic_eval"])
    texts = ["sex", "class", "deck", "embark_town", "alone"]
    model = make_pipeline(
        make_column_transformer((OneHotEncoder(handle_unknown="ignore"), texts),
                                (StandardScaler(), ["age", "fare", "n_siblings_spouses", "parch"])),
        LogisticRegression(max_iter=200))
    model.fit(train, train["survived"])
    chance = model.predict_proba(test)[:, 1]
    accuracy_score(test["survived"], chance > 0.5), roc_auc_score(test["survived"], chance)
    with tempfile.NamedTemporaryFile() as file:
        joblib.dump(model, file.name)
    return {}, NAME


def trees(arguments):
    """Reads the table and trains; the harness times the whole process."""
    import pandas
    from sklearn.ensemble import HistGradientBoostingClassifier
    table = pandas.read_csv(arguments["trees_csv"])
    labels = table.pop("label")
    HistGradientBoostingClassifier(max_iter=100, max_leaf_nodes=64, learning_rate=0.1,
                                   early_stopping=False).fit(table, labels)
    return {}, NAME


if __name__ == "__main__":
    common.start({"dense_linear": dense_linear, "kmeans": kmeans, "titanic": titanic,
                  "trees": trees})
