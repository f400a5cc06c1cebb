# SPDX-License-Identifier: Apache-2.0
"""Every feature column, as a TensorFlow graph, gives the numbers used in training."""
import os
import subprocess
import tempfile
import unittest

import emitted_columns

WRITE_EMITTED_COLUMNS = os.environ["WRITE_EMITTED_COLUMNS"]


class FeatureColumns(unittest.TestCase):
    def test_graphs_give_the_encoders_numbers(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([WRITE_EMITTED_COLUMNS, folder], check=True)
            cases = sorted(f for f in os.listdir(folder) if f.startswith("case"))
            self.assertGreater(len(cases), 10)
            problems = [p for case in cases
                        for p in emitted_columns.check(os.path.join(folder, case))]
            self.assertEqual(problems, [])


if __name__ == "__main__":
    unittest.main()
