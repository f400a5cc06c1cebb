# SPDX-License-Identifier: Apache-2.0
"""Programs of tf.estimator read cells as Cannery does: dates, numbers, quotes."""
import json
import os
import tempfile
import unittest

import numpy as np

import test_programs
from support import cannery

DATE_EXPERIMENT = """
data { train { csv { files: "dates.csv" field_delim: ";" } } label { column: "y" }
column { name: "when" dtype: string date_notation: %s missing_token: "none" default_value: "2020" }
%s }
%s
estimator { linear_classifier { feature_columns: [%s] } }
train_spec { max_steps: 4 }
"""
WORDS = ["2024-05-01", "2024-05-01T12:30:15.25+02:00", "2024/5/1", "20240501", "202405011230",
         "2024-05", "05/2024", "2024", "2024Q2", "Q3 2024", "2024M05", "1 May 2024", "May 1, 2024",
         "01-May-24", "Wed, 01 May 2024 23:15:00 -0300", "May 2024", "1. M\u00e4rz 1999", "3rd Okt 2001",
         "2024-May-01 9:30 PM", "2024-05-01 00:15 UTC", "May-24", "1966-01-02 12:00 am", "12:30",
         "Wed Aug 27 13:08:45 +0200 2008", "Thu Jan  3 04:05:06 2019"]
DATES = {
    "iso": WORDS + ["24-05-31", "99/1/02"],
    "day_first": WORDS + ["31.5.2024", "31/05/24 12:30", "1-2-1950 9:30 p.m."],
    "month_first": WORDS + ["5/31/2024", "05-31-24 12:30 PM", "1/2/49, 7:05:09.5"],
    "unix_seconds": ["1600000000", "1600000000.75", "0", "-86401", "1.5e9"],
    "unix_milliseconds": ["1600000000123", "0", "-1"],
    "excel_days": ["44000", "43831.75", "25569"]}
NUMBER_EXPERIMENT = """
data { train { csv { files: "rows.csv" field_delim: ";" } } label { column: "y" }
column { name: "x" dtype: float32 default_value: "7" number_notation { %s } } }
feature_column { name: "x" numeric_column { key: "x" } }
estimator { linear_classifier { feature_columns: "x" } }
train_spec { max_steps: 4 }
"""
NUMBERS = {
    "German": ('decimal_mark: comma group_mark: "." minus_behind: true',
               ["1.299,50", "1.234.567", "364,48", "-1.000", "22,5-", "", "6,4E+12"]),
    "Books": ('group_mark: "," affix: ["$", "%", "*"] brackets_negative: true',
              ["$1,234.50", "($ 22.55)", "36 %", "12,34,567*", "+4.0%", ".5", "-$3"]),
    "Swiss": ('group_mark: "\'"', ["1'299.99", "1\u2019299.99", "12"]),
    "Spaces": ('decimal_mark: comma group_mark: " "', ["1 299,99", "1\u00a0299,5", "\u22123"]),
    "Short": ('affix: "$" magnitudes: true', ["1.5M", "-$2 bn", "12k", "12"])}


class ProgramCells(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def compare_features(self, experiment, names):
        """The features of the program are those of `cannery preview`."""
        shown = json.loads(cannery("preview", experiment, "--json"))["rows"]
        module = test_programs.program_of(experiment, self.folder)
        features = module.features_of(module.part(True))
        for name in names:
            np.testing.assert_array_equal(
                np.asarray(features[name], np.float32),
                np.array([row[name][0] for row in shown], np.float32), name)

    def test_dates_are_read_in_every_notation(self):
        parts = ("year", "month", "day", "weekday", "hour", "days_since")
        for notation, dates in DATES.items():
            with open(os.path.join(self.folder, "dates.csv"), "w", encoding="utf-8") as stream:
                stream.write("when;y\n" + "".join("%s;%d\n" % (date, i % 2)
                                                  for i, date in enumerate(dates + ["none"])))
            experiment = os.path.join(self.folder, notation + ".cannery")
            with open(experiment, "w", encoding="utf-8") as stream:
                stream.write(DATE_EXPERIMENT % (notation, "".join(
                    'feature { name: "%s" date_part { column: "when" part: %s } }\n' % (part, part)
                    for part in parts), "".join(
                        'feature_column { name: "%s" numeric_column { key: "%s" } }\n' % (part, part)
                        for part in parts), ", ".join('"%s"' % part for part in parts)))
            with self.subTest(notation):
                self.compare_features(experiment, parts)

    def test_rows_are_split_by_written_dates(self):
        with open(os.path.join(self.folder, "rows.csv"), "w", encoding="utf-8") as stream:
            stream.write("x,when,y\n" + "".join("%d,%d/%d/2023 6:30 PM,%d\n" % (
                i, i % 12 + 1, i % 28 + 1, i % 2) for i in range(60)))
        experiment = os.path.join(self.folder, "split.cannery")
        with open(experiment, "w", encoding="utf-8") as stream:
            stream.write(test_programs.SPLIT_EXPERIMENT % 'by_time { column: "when" eval_from: "2023-10-05" }')
        module = test_programs.program_of(experiment, self.folder)
        model_dir = os.path.join(self.folder, "model")
        cannery("train", experiment, "--model-dir", model_dir, "--quiet")
        weights = test_programs.Programs.variables(model_dir)["linear/linear_model/x/weights"][:60]
        self.assertEqual(sorted(int(row["x"]) for row in module.part(True)),
                         np.flatnonzero(weights).tolist())

    def test_numbers_are_read_in_the_notation_of_their_column(self):
        for name, (notation, numbers) in NUMBERS.items():
            with open(os.path.join(self.folder, "rows.csv"), "w", encoding="utf-8") as stream:
                stream.write("x;y\n" + "".join("%s;%d\n" % (number, i % 2)
                                               for i, number in enumerate(numbers)))
            experiment = os.path.join(self.folder, "numbers.cannery")
            with open(experiment, "w", encoding="utf-8") as stream:
                stream.write(NUMBER_EXPERIMENT % notation)
            with self.subTest(name):
                self.compare_features(experiment, ("x",))

    def test_cells_are_quoted_as_the_experiment_says(self):
        for number, (header, row) in enumerate((
                ("'x','kind','y'\n", "'%d','a, \\'%d','%d'\n"),
                ('"x", "kind", "y"\n', '"%d", "a, \'%d", "%d"\n'),
                ('x;kind;y\n', '="%d";="a, \'%d";%d\n'))):
            table = os.path.join(self.folder, "rows%d.csv" % number)
            with open(table, "w", encoding="utf-8") as stream:
                stream.write(header + "".join(row % (i * 7 % 40, i % 3, i % 2) for i in range(40)))
            experiment = os.path.join(self.folder, "rows%d.cannery" % number)
            cannery("new", table, "--label", "y", "--no-tries", "--output", experiment)
            rows = test_programs.program_of(experiment, self.folder).part(True)
            with self.subTest(number):
                self.assertEqual([rows[1][name] for name in ("x", "kind", "y")], ["7", "a, '1", "1"])
                self.assertEqual(len(rows), 40)


if __name__ == "__main__":
    unittest.main()
