# SPDX-License-Identifier: Apache-2.0
"""Runs the graphs of write_emitted_columns in TensorFlow and compares with the encoder's numbers.

Every case is asked as tf.Example with missing cells left out, with empty lists, and with "" and -1
written out, and as raw tensors. check() gives one line a difference.
"""
import json
import math
import os

import tensorflow as tf

LISTS = {"string": "bytes_list", "int32": "int64_list", "int64": "int64_list",
         "float32": "float_list", "float64": "float_list"}
MISSING = {"string": "", "int32": -1, "int64": -1}


def flat(value):
    if isinstance(value, list):
        return [x for part in value for x in flat(part)]
    return [float("nan") if value == "NaN" else value]


def rows_of(feature):
    """The values of every row, and whether they are cells of a sparse feature."""
    if "dense" in feature:
        return [flat(row) for row in feature["dense"]], False
    tensor = feature["sparse"]
    rows = [[] for _ in range(tensor["dense_shape"][0])]
    for (row, _), value in zip(tensor["indices"], tensor["values"]):
        rows[row].append(value)
    return rows, True


def examples(case, parsed_as, way):
    features = case["features"]
    count = len(rows_of(next(iter(features.values())))[0])
    result = []
    for row in range(count):
        example = tf.train.Example()
        for name, feature in features.items():
            rows, sparse = rows_of(feature)
            values = rows[row]
            missing = MISSING.get(feature["dtype"])
            absent = row in case.get("absent", {}).get(name, [])
            if not sparse and name not in case.get("defaults", {}):
                absent = absent or (way != "written" and all(v == missing for v in values))
            if sparse and not values:
                absent = way != "empty list"
            # An empty list means a missing cell only if any number of values is allowed.
            if absent and not (way == "empty list" and name in parsed_as):
                continue
            kind = getattr(example.features.feature[name],
                           "float_list" if name in case["floats"] else LISTS[feature["dtype"]])
            if not absent:
                kind.value.extend(v.encode() if isinstance(v, str) else v for v in values)
            else:
                kind.SetInParent()
        result.append(example.SerializeToString())
    return result


def raw_inputs(case, dtypes):
    """Placeholder values of these types, or None if padding cannot express the cells."""
    inputs = {}
    for name, feature in case["features"].items():
        if name not in case.get("receiver", case["features"]):
            continue
        rows, sparse = rows_of(feature)
        if case.get("absent", {}).get(name):
            missing = MISSING.get(feature["dtype"])
            if missing != "" and feature["dtype"] != "string":
                return None
            for row in case["absent"][name]:
                rows[row] = [""]
        dtype = dtypes[name]
        if sparse:
            padding = MISSING.get(dtype.name, math.nan)
            if dtype.name in MISSING and any(padding in row for row in rows):
                return None
            width = max([1] + [len(row) for row in rows])
            rows = [row + [padding] * (width - len(row)) for row in rows]
            inputs[name] = tf.constant(rows, dtype).numpy()
        else:
            shape = [len(rows)]
            value = feature["dense"][0]
            while isinstance(value, list):
                shape.append(len(value))
                value = value[0]
            inputs[name] = tf.constant(rows, dtype).numpy().reshape(
                shape if len(shape) > 1 else [len(rows), 1])
    return inputs


class Graph:
    def __init__(self, folder, kind, description):
        self.description = description
        graph_def = tf.compat.v1.GraphDef()
        with open(os.path.join(folder, kind + ".pb"), "rb") as file:
            graph_def.ParseFromString(file.read())
        self.nodes = graph_def.node
        self.graph = tf.Graph()
        with self.graph.as_default():
            tf.import_graph_def(graph_def, name="")
        self.session = tf.compat.v1.Session(graph=self.graph)
        assets = description["assets"]
        for node in description["initializers"]:
            self.session.run(self.graph.get_operation_by_name(node), assets)

    def parsed_as_cells(self):
        for node in self.nodes:
            if node.name.endswith("sparse_keys"):
                return [key.decode() for key in node.attr["value"].tensor.string_val]
        return []

    def floats(self):
        names = []
        for node in self.nodes:
            if node.op != "ParseExampleV2":
                continue
            keys = {n.name: n for n in self.nodes}
            for name, attr in (("sparse_keys", "sparse_types"), ("dense_keys", "Tdense")):
                value = tf.make_ndarray(
                    keys["ParseExample/ParseExampleV2/" + name].attr["value"].tensor)
                types = node.attr[attr].list.type
                names += [k.decode() for k, t in zip(value.flatten(), types) if t == 1]
        return names

    def dtypes(self):
        """Of the placeholders, by key."""
        return {key: self.graph.get_tensor_by_name(tensor).dtype
                for key, tensor in self.description["receiver"].items()}

    def run(self, inputs):
        feeds = {self.description["receiver"][key]: value for key, value in inputs.items()}
        wanted = [{k: (v if ":" in v else v + ":0") for k, v in slot.items() if v}
                  for slot in self.description["slots"]]
        return self.session.run((wanted, self.description["batch_size"]), feeds)


def differs(value, expected):
    if "dense" in expected:
        got = value["dense"].flatten().tolist()
        want = flat(expected["dense"])
        same = len(got) == len(want) and value["dense"].shape[1] == expected["width"] and all(
            (math.isnan(a) and math.isnan(b)) or abs(a - b) <= 1e-7 + 1e-6 * abs(b)
            for a, b in zip(got, want))
        return None if same else f"{got} is not {want}"
    offsets = expected["offsets"]
    if "steps" in expected:
        counts = [b - a for a, b in zip(offsets, offsets[1:])]
        if value["step_counts"].tolist() != counts:
            return f"{value['step_counts'].tolist()} steps are not {counts}"
        got = [x for row, count in zip(value["dense"].tolist(), counts) for x in flat(row[:count])]
        same = value["dense"].shape[2] == expected["width"] and len(got) == len(
            expected["steps"]) and all(abs(a - b) <= 1e-7 + 1e-6 * abs(b)
                                       for a, b in zip(got, expected["steps"]))
        return None if same else f"{got} is not {expected['steps']}"
    want = [expected["ids"][a:b] for a, b in zip(offsets, offsets[1:])]
    got = [[] for _ in want]
    if value["shape"][0] != len(want):
        return f"{value['shape'][0]} rows are not {len(want)}"
    for (row, _), number in zip(value["indices"].tolist(), value["ids"].tolist()):
        got[row].append(number)
    if got != want:
        return f"{got} is not {want}"
    if expected["weights"] and value["weights"].tolist() != expected["weights"]:
        return f"weights {value['weights'].tolist()} are not {expected['weights']}"
    return None


def check(folder):
    with open(os.path.join(folder, "case.json")) as file:
        description = json.load(file)
    case, expected = description["case"], description["expected"]
    problems = []

    def compare(graph, inputs, way):
        try:
            slots, batch = graph.run(inputs)
        except tf.errors.OpError as error:
            problems.append(f"{way}: {error.message}")
            return
        if batch != len(next(iter(inputs.values()))):
            problems.append(f"{way}: batch size {batch}")
        for value, want in zip(slots, expected):
            problem = differs(value, want)
            if problem:
                problems.append(f"{way}: {problem}")

    graph = Graph(folder, "parsing", description["parsing"])
    case["floats"] = graph.floats()
    for way in ("absent", "empty list", "written"):
        compare(graph, {"examples": examples(case, graph.parsed_as_cells(), way)}, way)
    raw = Graph(folder, "raw", description["raw"])
    inputs = raw_inputs(case, raw.dtypes())
    if inputs is not None:
        compare(raw, inputs, "raw")
    name = case.get("name", case["column"]["type"])
    return [f"{os.path.basename(folder)} ({name}) {problem}" for problem in problems]
