# SPDX-License-Identifier: Apache-2.0
"""The handbook's table of TensorFlow's symbols: complete, and its fields are in the schema."""
import inspect
import os
import re
import unittest

import tensorflow as tf

import support
from support import cannery

TABLE = os.path.join(support.ROOT, "resources", "help", "tensorflow_symbols.md")
MODULES = {"tf.estimator": tf.estimator, "tf.estimator.experimental": tf.estimator.experimental,
           "tf.estimator.export": tf.estimator.export, "tf.feature_column": tf.feature_column}


def table():
    """{symbol: field or ''} of the table's rows."""
    with open(TABLE, encoding="utf-8") as stream:
        return dict(re.findall(r"^\| `(tf\.[\w.]+)` \| (?:`([\w.]+)`)? *\|", stream.read(),
                               re.MULTILINE))


class Symbols(unittest.TestCase):
    def test_every_symbol_has_a_row(self):
        public = {"%s.%s" % (prefix, name) for prefix, module in MODULES.items()
                  for name in dir(module) if not name.startswith("_")}
        missing = public - set(table()) - set(MODULES)
        self.assertFalse(missing)

    def test_every_method_and_argument_has_a_row(self):
        methods = {"tf.estimator.Estimator." + name for name in dir(tf.estimator.Estimator)
                   if not name.startswith("_")}
        arguments = {"tf.estimator.%s.%s" % (kind, name)
                     for kind in ("RunConfig", "TrainSpec", "EvalSpec", "WarmStartSettings",
                                  "VocabInfo")
                     for name in inspect.signature(getattr(tf.estimator, kind)).parameters}
        self.assertFalse((methods | arguments) - set(table()))

    def test_the_fields_are_in_the_schema(self):
        fields = sorted({field for field in table().values() if field})
        self.assertGreater(len(fields), 40)
        for field in fields:
            self.assertTrue(cannery("help", field), field)


if __name__ == "__main__":
    unittest.main()
