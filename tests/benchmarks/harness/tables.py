# SPDX-License-Identifier: Apache-2.0
"""The tables and experiments that are raced on, made once into a folder."""
import json
import os
import subprocess

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
EXAMPLES = os.path.join(ROOT, "resources", "examples")
CENSUS = os.path.join(EXAMPLES, "census")
TITANIC = os.path.join(EXAMPLES, "titanic")
AGES = [18, 25, 30, 35, 40, 45, 50, 55, 60, 65]
COUNTS = ["i%d" % i for i in range(13)]
CATEGORIES = ["c%d" % i for i in range(26)]
HASHED_BUCKETS = 2**24 // 39
ID_BUCKETS = 40000
DENSE_COLUMNS = 100


def quoted(names):
    return ", ".join('"%s"' % n for n in names)


def data(file):
    return 'data { train { csv { files: "%s" } } label { column: "label" } }\n' % file


def numeric(names, normalizer=""):
    return "".join('feature_column { name: "%s" numeric_column { key: "%s" %s } }\n'
                   % (n, n, normalizer) for n in names)


RUN = "run_config { tf_random_seed: 7 save_checkpoints_steps: 100000000 }\n"


def dense_linear(file, columns=28):
    names = ["f%d" % i for i in range(columns)]
    return (data(file) + numeric(names) +
            "estimator { linear_classifier { feature_columns: [%s] optimizer { sgd { "
            "learning_rate: 0.01 } } } }\n" % quoted(names) + RUN)


def kmeans(file, columns=28, clusters=64):
    stack = ('  feature { name: "x" stack { columns: [%s] } }\n'
             % quoted(["f%d" % i for i in range(columns)]))
    return ('data { train { csv { files: "%s" } }\n' % file + stack + "}\n"
            'feature_column { name: "x" numeric_column { key: "x" shape: %d } }\n'
            "estimator { kmeans { num_clusters: %d feature_columns: \"x\" use_mini_batch: false } }\n"
            "train_spec { input { shuffle: false } }\n" % (columns, clusters) + RUN)


def hashed_linear(file):
    names = COUNTS + CATEGORIES
    columns = "".join('feature_column { name: "%s" categorical_column_with_hash_bucket { key: "%s" '
                      "hash_bucket_size: %d dtype: %s } }\n"
                      % (n, n, HASHED_BUCKETS, "int64" if n in COUNTS else "string") for n in names)
    types = "".join('  column { name: "%s" dtype: string }\n' % n for n in CATEGORIES)
    return (data(file).replace(" }\n", "\n" + types + "}\n") + columns +
            "estimator { linear_classifier { feature_columns: [%s] optimizer { ftrl { "
            "learning_rate: 0.1 } } } }\n" % quoted(names) + RUN)


def wide_dnn(file, buckets=ID_BUCKETS, hidden="1024, 512, 256"):
    columns = "".join(
        'feature_column { name: "%s" categorical_column_with_hash_bucket { key: "%s" '
        "hash_bucket_size: %d } }\n"
        'feature_column { name: "%s_embedding" embedding_column { categorical_column: "%s" '
        "dimension: 16 } }\n" % (n, n, buckets, n, n) for n in CATEGORIES)
    types = "".join('  column { name: "%s" dtype: string }\n' % n for n in CATEGORIES)
    names = COUNTS + [n + "_embedding" for n in CATEGORIES]
    return (data(file).replace(" }\n", "\n" + types + "}\n") +
            numeric(COUNTS, "normalizer { log {} }") + columns +
            "estimator { dnn_classifier { hidden_units: [%s] feature_columns: [%s] optimizer { "
            "adagrad { learning_rate: 0.05 } } } }\n" % (hidden, quoted(names)) + RUN)


def dense_dnn(file, columns=DENSE_COLUMNS, hidden="1024, 512, 256"):
    names = ["f%d" % i for i in range(columns)]
    return (data(file) + numeric(names) +
            "estimator { dnn_classifier { hidden_units: [%s] feature_columns: [%s] optimizer { "
            "adagrad { learning_rate: 0.05 } } } }\n" % (hidden, quoted(names)) + RUN)


def boosted_trees(file, columns=28):
    names = ["f%d" % i for i in range(columns)]
    return (data(file) + numeric(names) +
            "estimator { boosted_trees_classifier { n_trees: 100 learning_rate: 0.1 histogram { "
            "max_leaves: 64 } feature_columns: [%s] } }\n" % quoted(names) + RUN)


def census_linear():
    """The columns of the census sample, and three crosses."""
    with open(os.path.join(CENSUS, "census.cannery"), encoding="utf-8") as stream:
        columns = [line for line in stream if line.startswith("feature_column") and
                   ("numeric_column" in line or "categorical_column_with" in line)]
    names = [line.split('"')[1] for line in columns]
    crosses = [("education_x_occupation", ["education", "occupation"], "", 1000),
               ("country_x_occupation", ["native_country", "occupation"], "", 5000),
               ("age_x_education_x_occupation", ["education", "occupation"], "ages", 10000)]
    text = ('data { train { csv { files: "%s/census_train.csv" na_value: "?" } } '
            'label { column: "income_bracket" } }\n' % CENSUS + "".join(columns) +
            'feature_column { name: "raw_age" numeric_column { key: "age" } }\n'
            'feature_column { name: "ages" bucketized_column { source_column: "raw_age" '
            "boundaries: %s } }\n" % AGES)
    for name, features, column, buckets in crosses:
        keys = ('key { column: "%s" } ' % column if column else "") + " ".join(
            'key { feature: "%s" }' % f for f in features)
        text += ('feature_column { name: "%s" crossed_column { %s hash_bucket_size: %d } }\n'
                 % (name, keys, buckets))
    return (text + "estimator { linear_classifier { feature_columns: [%s] label_vocabulary: "
            '["<=50K", ">50K"] optimizer { ftrl { learning_rate: 0.1 } } } }\n'
            % quoted(names + ["ages"] + [c[0] for c in crosses]) + RUN)


class Tables:
    """Paths by name; what is missing is made. `quick`: small tables, to see that all works."""

    def __init__(self, cache, program, quick):
        self.folder = os.path.join(cache, "tables-quick-1" if quick else "tables-1")
        self.program = program
        self.rows = {"higgs": 20000 if quick else 800000, "criteo": 10000 if quick else 800000,
                     "dense": 5000 if quick else 40000, "trees": 5000 if quick else 1000000,
                     "clusters": 20000 if quick else 1000000}
        os.makedirs(self.folder, exist_ok=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def make(self, name, kind, form, rows, columns=28):
        path = self.path(name)
        if not os.path.exists(path):
            print("Making %s, %d rows" % (path, rows), flush=True)
            subprocess.run([self.program, "tables", kind, form, path + ".part", str(rows),
                            str(columns)], check=True, stdout=subprocess.DEVNULL)
            os.rename(path + ".part", path)
        return path

    def experiment(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as stream:
            stream.write(text)
        return self.path(name)

    def higgs(self, form, rows=None, columns=28):
        rows = rows or self.rows["higgs"]
        return self.make("higgs_%d_%d.%s" % (rows, columns, form), "higgs", form, rows, columns)

    def criteo(self, form, rows=None):
        rows = rows or self.rows["criteo"]
        return self.make("criteo_%d.%s" % (rows, form), "criteo", form, rows)

    def records(self, cannery, table):
        """A table as a TFRecord file of tf.Example."""
        path = os.path.splitext(table)[0] + ".tfrecord"
        if not os.path.exists(path):
            print("Making " + path, flush=True)
            subprocess.run([cannery, "convert", table, path, "--schema", path + ".pbtxt"],
                           check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return path

    def logs(self, writer, quick):
        """10 million scalars: 4 runs of 10 tags, one record for each value."""
        path = self.path("logs")
        steps = 2500 if quick else 250000
        if not os.path.exists(path + "/complete"):
            print("Making %s, %d scalars" % (path, 40 * steps), flush=True)
            subprocess.run([writer, "write", path, "4", "10", str(steps)], check=True)
            with open(path + "/complete", "w", encoding="utf-8") as stream:
                json.dump({"scalars": 40 * steps}, stream)
        return path
