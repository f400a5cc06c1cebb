#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the initial inputs of the fuzz targets from the goldens and from small models.

Needs TensorFlow 2.15 for its messages. The corpus only grows: files that are there stay.
"""
import gzip
import os
import struct
import tempfile
import zlib
from pathlib import Path

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
from google.protobuf import text_format
from tensorflow.core.example import example_pb2
from tensorflow.core.framework import graph_pb2, types_pb2
from tensorflow.core.protobuf import meta_graph_pb2, saved_model_pb2, tensor_bundle_pb2
from tensorflow.core.util import event_pb2
from tensorflow.python.lib.io import tf_record

HERE = Path(__file__).parent
TESTS = HERE.parent
GOLDEN = TESTS / "golden"
CORPUS = HERE / "corpus"


def keep(target, name, data):
    path = CORPUS / target / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        path.write_bytes(data if isinstance(data, bytes) else data.encode())


def part(data):
    return struct.pack("<H", len(data)) + data


def records(path, limit=20):
    data = Path(path).read_bytes()
    at = 0
    while at < len(data) and limit > 0:
        (length,) = struct.unpack_from("<Q", data, at)
        yield data[at + 12:at + 12 + length]
        at += 16 + length
        limit -= 1


def checkpoints():
    for folder in sorted(p for p in (GOLDEN / "checkpoint").iterdir() if p.is_dir()):
        for index in sorted(folder.glob("*.index")):
            keep("table", folder.name, index.read_bytes())
            data = next(folder.glob(index.stem + ".data-00000*")).read_bytes()
            if index.stat().st_size < 3000:
                keep("checkpoint_files", folder.name, part(index.read_bytes()) + data)
        state = folder / "checkpoint"
        keep("checkpoint_state", folder.name, state.read_bytes())
    keep("checkpoint_state", "elsewhere",
         'model_checkpoint_path: "/old/model.ckpt-3"\nall_model_checkpoint_paths: "a-1"\n')

    def entry(dtype, dims, offset, size, **more):
        proto = tensor_bundle_pb2.BundleEntryProto(dtype=dtype, offset=offset, size=size, **more)
        for dim in dims:
            proto.shape.dim.add(size=dim)
        return proto

    data = bytes(range(48))
    plain = entry(types_pb2.DT_FLOAT, [2, 3], 0, 24).SerializeToString()
    step = entry(types_pb2.DT_INT64, [], 24, 8).SerializeToString()
    keep("checkpoint_entries", "two_tensors",
         part(data) + part(b"w") + part(plain) + part(b"global_step") + part(step))
    header = tensor_bundle_pb2.BundleHeaderProto(num_shards=1)
    keep("checkpoint_entries", "own_header",
         part(data) + part(b"") + part(header.SerializeToString()) + part(b"w") + part(plain))
    whole = entry(types_pb2.DT_FLOAT, [4], 0, 0)
    whole.slices.add().extent.add(start=0, length=2)
    whole.slices.add().extent.add(start=2, length=2)
    half = entry(types_pb2.DT_FLOAT, [2], 0, 8).SerializeToString()
    other = entry(types_pb2.DT_FLOAT, [2], 8, 8).SerializeToString()
    keep("checkpoint_entries", "partitioned",
         part(data) + part(b"p") + part(whole.SerializeToString()) +
         part(bytes.fromhex("007000010101808082")) + part(half) +
         part(bytes.fromhex("007000010101828082")) + part(other))
    strings = b"\x01\x02" + b"\0\0\0\0" + b"abb"
    keep("checkpoint_entries", "strings",
         part(strings) + part(b"s") +
         part(entry(types_pb2.DT_STRING, [2], 0, len(strings)).SerializeToString()))


def events():
    for folder in ("v1", "v2", "hparams/trial_0"):
        for path in sorted((GOLDEN / "event" / folder).rglob("*tfevents*")):
            name = folder.replace("/", "_")
            keep("event_file", name, path.read_bytes()[:9000])
            payloads = [p for p in records(path, 40) if len(p) < 2000]
            keep("event_message", name, b"".join(part(p) for p in payloads[:12]))
            for i, payload in enumerate(payloads[:4]):
                keep("event_message", f"{name}_{i}", part(payload))
    event = event_pb2.Event(wall_time=1, step=2)
    event.session_log.status = 1
    keep("event_message", "session_start", part(event.SerializeToString()))
    for dtype in (types_pb2.DT_DOUBLE, types_pb2.DT_INT64, types_pb2.DT_STRING):
        event = event_pb2.Event(wall_time=1, step=2)
        value = event.summary.value.add(tag="a")
        value.metadata.plugin_data.plugin_name = "scalars"
        value.tensor.dtype = dtype
        value.tensor.double_val.append(1.5)
        keep("event_message", f"tensor_{dtype}", part(event.SerializeToString()))


def records_and_examples():
    for path in sorted((GOLDEN / "tfrecord").glob("*.tfrecord*")):
        data = path.read_bytes()
        if len(data) < 8000:
            keep("record_file", path.name, data)
    for name in ("example", "sequence_example"):
        for i, payload in enumerate(records(GOLDEN / "tfrecord" / f"{name}.tfrecord", 6)):
            keep("example", f"{name}_{i}", payload)
    text = b"a,b\n1,2\n" * 40
    keep("inflate", "gzip", gzip.compress(text, mtime=0))
    keep("inflate", "two_members", gzip.compress(b"a", mtime=0) + gzip.compress(b"b", mtime=0))
    keep("inflate", "zlib", zlib.compress(text))
    keep("inflate", "stored", gzip.compress(os.urandom(0) + bytes(range(200)), 0, mtime=0))


def graphs():
    golden = saved_model_pb2.SavedModel()
    path = GOLDEN / "saved_model" / "vocabulary_file_oov" / "saved_model.pb"
    golden.ParseFromString(path.read_bytes())
    graph = golden.meta_graphs[0].graph_def
    small = graph_pb2.GraphDef()
    small.node.extend(graph.node[:40])
    keep("graph_def", "first_nodes", small.SerializeToString())
    del small.node[8:]
    keep("graph_def_text", "first_nodes", text_format.MessageToString(small))
    for op in sorted({node.op for node in graph.node}):
        one = graph_pb2.GraphDef()
        one.node.append(next(node for node in graph.node if node.op == op))
        if one.ByteSize() < 1500:
            keep("graph_def", op, one.SerializeToString())

    def model(name, nodes, inputs, outputs, tables=(), asset=None):
        graph = graph_pb2.GraphDef()
        text_format.Parse(nodes, graph)
        saved = saved_model_pb2.SavedModel(saved_model_schema_version=1)
        meta = saved.meta_graphs.add()
        meta.meta_info_def.tags.append("serve")
        meta.graph_def.CopyFrom(graph)
        signature = meta.signature_def["predict"]
        signature.method_name = "tensorflow/serving/predict"
        for key, (tensor, dtype, dims) in inputs.items():
            info = signature.inputs[key]
            info.name, info.dtype = tensor, dtype
            for dim in dims:
                info.tensor_shape.dim.add(size=dim)
        for key, tensor in outputs.items():
            signature.outputs[key].name = tensor
        for table in tables:
            meta.collection_def["table_initializer"].node_list.value.append(table)
        if asset:
            file = meta.asset_file_def.add(filename="vocab.txt")
            file.tensor_info.name = asset
        keep("saved_model", name, saved.SerializeToString())
        keep("saved_model_text", name, text_format.MessageToString(saved))

    floats = types_pb2.DT_FLOAT

    def const(name, dtype, dims, values):
        shape = "".join(f"dim {{ size: {dim} }}" for dim in dims)
        field = {"DT_FLOAT": "float_val", "DT_INT32": "int_val", "DT_INT64": "int64_val",
                 "DT_STRING": "string_val", "DT_BOOL": "bool_val"}[dtype]
        values = " ".join(f'{field}: {value}' for value in values)
        return (f'node {{ name: "{name}" op: "Const" attr {{ key: "value" value {{ tensor {{ '
                f'dtype: {dtype} tensor_shape {{ {shape} }} {values} }} }} }} }}\n')

    def node(name, op, inputs=(), attrs=""):
        joined = " ".join(f'input: "{i}"' for i in inputs)
        return f'node {{ name: "{name}" op: "{op}" {joined} {attrs} }}\n'

    place = node("x", "Placeholder")
    handle = node("w", "VarHandleOp", (), 'attr { key: "shared_name" value { s: "w" } }')
    model("matmul",
          place + handle + node("r", "ReadVariableOp", ["w"]) + node("m", "MatMul", ["x", "r"]) +
          node("s", "Softmax", ["m"]) + const("a", "DT_INT32", [], [-1]) +
          node("k", "ArgMax", ["s", "a"]) + node("y", "Sigmoid", ["m"]),
          {"x": ("x:0", floats, [-1, 2])}, {"p": "s:0", "k": "k:0", "y": "y:0"})
    model("table",
          place + const("f", "DT_STRING", [], ['"assets/vocab.txt"']) + node("t", "HashTableV2") +
          node("i", "InitializeTableFromTextFileV2", ["t", "f"],
               'attr { key: "key_index" value { i: -2 } } '
               'attr { key: "value_index" value { i: -1 } }') +
          const("d", "DT_INT64", [], [-1]) + node("l", "LookupTableFindV2", ["t", "x", "d"]) +
          node("n", "LookupTableSizeV2", ["t"]),
          {"x": ("x:0", types_pb2.DT_STRING, [-1])}, {"id": "l:0", "n": "n:0"}, ["i"], "f:0")
    types = 'value { list { type: DT_%s } }'
    model("parse",
          place + const("e", "DT_STRING", [0], []) + const("sk", "DT_STRING", [1], ['"s"']) +
          const("dk", "DT_STRING", [1], ['"x"']) + const("df", "DT_FLOAT", [1], [0.5]) +
          node("q", "ParseExampleV2", ["x", "e", "sk", "dk", "e", "df"],
               f'attr {{ key: "sparse_types" {types % "STRING"} }} '
               f'attr {{ key: "Tdense" {types % "FLOAT"} }} '
               'attr { key: "dense_shapes" value { list { shape { dim { size: 1 } } } } }') +
          const("o", "DT_STRING", [], ['""']) +
          node("g", "SparseFillEmptyRows", ["q", "q:1", "q:2", "o"]) +
          node("h", "StringToHashBucketFast", ["g:1"],
               'attr { key: "num_buckets" value { i: 7 } }') +
          node("c", "SparseCross", ["q", "q:1", "q:2"],
               'attr { key: "N" value { i: 1 } } attr { key: "num_buckets" value { i: 9 } } '
               'attr { key: "hash_key" value { i: 956888297470 } }') +
          node("z", "AsString", ["h"]),
          {"x": ("x:0", types_pb2.DT_STRING, [-1])},
          {"dense": "q:3", "h": "h:0", "c": "c:1", "z": "z:0"})
    model("arrays",
          place + const("d", "DT_INT32", [2], [2, 3]) + const("v", "DT_FLOAT", [], [1.5]) +
          node("fill", "Fill", ["d", "v"]) + node("tile", "Tile", ["fill", "d"]) +
          node("shape", "Shape", ["tile"]) + const("ax", "DT_INT32", [], [0]) +
          node("exp", "ExpandDims", ["fill", "ax"]) + node("pack", "Pack", ["fill", "fill"]) +
          node("cat", "ConcatV2", ["fill", "fill", "ax"]) +
          const("b", "DT_INT32", [2], [0, 1]) + const("one", "DT_INT32", [2], [1, 1]) +
          node("sl", "StridedSlice", ["cat", "b", "d", "one"],
               'attr { key: "begin_mask" value { i: 1 } } '
               'attr { key: "shrink_axis_mask" value { i: 2 } }') +
          node("sc", "Slice", ["cat", "b", "one"]) + node("ga", "GatherV2", ["cat", "b", "ax"]) +
          const("nd", "DT_INT64", [1, 2], [1, 1]) + node("gn", "GatherNd", ["cat", "nd"]) +
          node("gr", "Greater", ["cat", "v"]) + node("wh", "Where", ["gr"]) +
          node("se", "SelectV2", ["gr", "cat", "v"]) + const("dep", "DT_INT32", [], [4]) +
          const("off", "DT_FLOAT", [], [0]) + node("oh", "OneHot", ["b", "dep", "v", "off"]) +
          const("minus", "DT_INT32", [1], [-1]) + node("re", "Reshape", ["cat", "minus"]) +
          const("last", "DT_INT32", [1], [-1]) + node("su", "Sum", ["cat", "last"]) +
          const("seg", "DT_INT64", [4], [0, 1, 1, 0]) + const("num", "DT_INT32", [], [3]) +
          node("us", "UnsortedSegmentSum", ["cat", "seg", "num"]) +
          const("i2", "DT_INT64", [2, 2], [0, 1, 1, 2]) + const("sd", "DT_INT64", [2], [2, 3]) +
          const("sv", "DT_FLOAT", [2], [1, 2]) +
          node("dense", "SparseToDense", ["i2", "sd", "sv", "off"]) +
          node("bu", "Bucketize", ["cat"],
               'attr { key: "boundaries" value { list { f: 0.5 f: 1.5 } } }') +
          node("ca", "Cast", ["cat"], 'attr { key: "DstT" value { type: DT_INT32 } }') +
          node("add", "AddV2", ["cat", "v"]) + node("div", "RealDiv", ["add", "off"]) +
          node("rg", "Identity", ["div"]) + node("zl", "ZerosLike", ["rg", "^oh"]),
          {"x": ("x:0", floats, [2])},
          {name: f"{name}:0" for name in
           ("tile", "shape", "exp", "pack", "sl", "sc", "ga", "gn", "wh", "se", "oh", "re", "su",
            "us", "dense", "bu", "ca", "zl")})
    circle = node("a", "Identity", ["b"]) + node("b", "Identity", ["a"])
    model("circle", circle, {}, {"a": "a:0"})
    model("restore",
          place + handle.replace('attr {', 'attr { key: "dtype" value { type: DT_FLOAT } } '
                                 'attr { key: "shape" value { shape { dim { size: 2 } '
                                 'dim { size: 3 } } } } attr {', 1) +
          const("names", "DT_STRING", [1], ['"w"']) + const("slices", "DT_STRING", [1], ['""']) +
          const("file", "DT_STRING", [], ['"f"']) +
          node("save/restore", "RestoreV2", ["file", "names", "slices"],
               f'attr {{ key: "dtypes" {types % "FLOAT"} }}') +
          node("assign", "AssignVariableOp", ["w", "save/restore"]),
          {"x": ("x:0", floats, [2])}, {"x": "x:0"})


def texts():
    examples = TESTS.parent / "resources" / "examples"
    for path in sorted(examples.glob("*/*.cannery")):
        keep("experiment_text", path.stem, path.read_bytes())
    small = {
        "empty": "",
        "comments": "# a\nname: 'x' 'y' # b\n\n\n# c\ndata { # d\n}\n",
        "lists": 'name: "a"\nestimator { dnn_regressor { hidden_units: [1, 0x2, 03]'
                 ' feature_columns: ["x"] } }\nfeature_column { name: "x" numeric_column'
                 ' { key: "x" shape: [2] } }\n',
        "escapes": 'name: "\\"\\\\\\n\\x41\\101\\u00e9\\U0001F600\'"\n',
        "unbalanced": "data { train { csv { files: \"a\"\nestimator { } > ]\n",
        "numbers": "train_spec { max_steps: 1e3 } eval_spec { steps: -0.5f throttle_secs: inf }\n",
    }
    for name, text in small.items():
        keep("experiment_text", name, text)
    keep("spec_override", "lines",
         "name=b\nestimator.dnn_classifier.hidden_units=[3, 2]\n"
         "estimator.dnn_classifier.hidden_units[1]=7\nfeature_column[0].name=y\n"
         "estimator.dnn_classifier.optimizer=adam { learning_rate: 0.01 }\n"
         'feature_column["x"].numeric_column.shape=[2]\nname=\nestimator.linear_classifier={}\n')
    for path in sorted((GOLDEN / "tricky_csv").glob("*.?sv")):
        if path.stat().st_size < 4000:
            keep("csv", path.name, path.read_bytes())
    keep("csv", "utf16.csv", "\ufeffa;größe\n1,5;\"\U0001d11e;\"\n".encode("utf-16-le") + b"\x00\xd8x")
    keep("csv", "cp949.csv", "이름,값\n뷁,\"1,5\"\n".encode("cp949") + b"\xc7")
    keep("csv", "gb18030.csv", "名字|值\n亅|1\n\U00020000|2\n".encode("gb18030"))
    keep("csv", "packed.csv.gz", gzip.compress(b"a,b\n1,x\n2,y\n", mtime=0))
    run = GOLDEN / "stores" / "version_2" / "runs" / "run-001"
    kinds = {"run.json": 0, "state.json": 1, "evaluations.jsonl": 2, "checkpoints.json": 3}
    for name, kind in kinds.items():
        text = (run / name).read_bytes()
        keep("run_record", name, bytes([kind]) + (text.split(b"\n")[0] if kind == 2 else text))
    keep("run_record", "exports.jsonl", b"\4" +
         b'{"exporter":"best","path":"export/best/7","global_step":7,"exported_at":1.5}')
    keep("run_record", "not_finite", b"\2" +
         b'{"name":"","global_step":1,"wall_time":1,"metrics":{"a":"NaN","b":"-Infinity"}}')
    keep("run_record", "position", b"\5" + b"cannery input position 1\nepoch 0\noffset 24\nrows 40\n"
         b"shuffle 1\nseed 42\n")
    for i, text in enumerate(("0", "-1.5e10", " +3.25 ", "1e400", "nan", "-Infinity", "0x1p3", ".5",
                              "9223372036854775807", "9223372036854775808", "1e-46", "3.4028236e38",
                              "1.00000017881393432617187499", "12345678901234567890e-40", "\u2212 4")):
        keep("number", f"{i:02}", text)


def control_messages():
    """Messages of core/control, field by field: a key of number * 8 + type, then the value."""
    def text(number, value):
        return bytes([number * 8 + 2, len(value)]) + value

    status = (text(1, b"/runs/a") + text(2, b"Running") + text(3, b"why") + b"\x20\x07\x28\x64" +
              b"\x31" + struct.pack("<d", 0.5) + b"\x51" + struct.pack("<d", 9.0) + text(16, b"cpu"))
    grew = text(1, b"/runs/a/events") + b"\x10\x80\x04"
    line = b"\x09" + struct.pack("<d", 1.5) + b"\x10\x02" + text(3, b"health.x") + text(4, b"So.")
    kinds = [text(1, status), text(2, grew), text(3, line), text(4, b"")]
    keep("control_message", "status", b"\0" + status)
    for name, events in (("each", kinds), ("lines", kinds[2:3] * 3), ("none", [b""])):
        keep("control_message", name, b"\1" + b"".join(text(1, event) for event in events))


def row_files():
    """Blocks of encoded rows with the layout of small_rows.h, field by field."""
    def field(number, value):
        return bytes([number * 8 + 2, len(value)]) + value

    def floats(*values):
        return struct.pack("<%df" % len(values), *values)

    def fixed(*values):
        return struct.pack("<%di" % len(values), *values)

    rows = (b"\x08\x03" + field(2, field(1, floats(1, 2, 3, 4, 5, 6))) +
            field(3, field(2, fixed(7, -1, 99))) +
            field(3, field(1, fixed(0, 2, 3)) + field(2, fixed(1, 2, 49)) +
                  field(3, floats(0.5, 1, 2))) +
            field(4, floats(0, 1, 0)) + field(5, floats(1, 1, 2)))
    keep("row_file", "block", b"\0" + rows)
    keep("row_file", "no_ids", b"\0" + b"\x08\x01" + field(2, field(1, floats(1, 2))) +
         field(3, field(1, fixed(0))) * 2 + field(4, floats(1)) + field(5, floats(1)))
    keep("row_file", "block_of_sequences", b"\0" + b"\x08\x03" +
         field(2, field(1, floats(1, 2, 3, 4, 5, 6))) + field(3, field(2, fixed(7, -1, 99))) +
         field(3, field(1, fixed(2, 2, 3)) + field(2, fixed(1, 2, 49)) +
               field(3, floats(0.5, 1, 2))) +
         field(4, floats(0, 1, 0)) + field(5, floats(1, 1, 2)) +
         field(6, field(1, fixed(2, 2, 3)) + field(2, floats(1, 2, 3, 4, 5, 6))))
    keep("row_file", "empty_file", b"\1")
    header = (field(1, b"cannery encoded rows") + field(2, b"data") + field(3, b"encoding") +
              b"\x28\x03\x30\x03\x38\x01")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rows")
        with tf_record.TFRecordWriter(path) as writer:
            for record in (header, rows, rows):
                writer.write(record)
        keep("row_file", "file", b"\1" + Path(path).read_bytes())


checkpoints()
control_messages()
events()
records_and_examples()
row_files()
graphs()
texts()
