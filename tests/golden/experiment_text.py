# SPDX-License-Identifier: Apache-2.0
"""Experiments in protobuf's text format, as to_experiment.py writes them."""


class CannotSay(Exception):
    """The case uses a feature that experiments do not have."""


class Enum(str):
    """A word without quotes."""


class Block(list):
    """A message: (field, value) pairs in order."""

    def add(self, field, value):
        if value is not None:
            self.append((field, value))
        return self

    def __add__(self, other):
        return Block(list(self) + list(other))


def text_of(value):
    if isinstance(value, Block):
        return "{ " + " ".join(pair_text(f, v) for f, v in value) + " }" if value else "{}"
    if isinstance(value, Enum):
        return str(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, str):
        return '"' + "".join(
            chr(b) if 32 <= b < 127 and b not in (34, 92) else "\\%03o" % b
            for b in value.encode()) + '"'
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(text_of(v) for v in value) + "]"
    raise CannotSay("a value of type %s has no text" % type(value).__name__)


def pair_text(field, value):
    return field + " " + text_of(value) if isinstance(value, Block) else field + ": " + text_of(value)
