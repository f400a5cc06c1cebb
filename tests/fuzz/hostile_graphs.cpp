// SPDX-License-Identifier: Apache-2.0
#include "core/export/graph_runner/graph_runner.h"
#include "storage/tf/graphs/graph_def_reader.h"
#include "storage/tf/graphs/saved_model_reader.h"
#include "storage/tf/schema/graph.pb.h"
#include "tests/fuzz/fuzz_support.h"
#include "tests/fuzz/hostile_bytes.h"
#include "tests/fuzz/hostile_files.h"
#include "tests/fuzz/small_model.h"

#include <google/protobuf/text_format.h>
#include <unistd.h>

namespace cannery::tests {

using namespace cannery::storage;

namespace {

using Make = std::function<std::string()>;

Result<void> readGraph(std::string_view bytes)
{
    return nothingOf(readGraphDef(bytes));
}

Result<void> readGraphText(std::string_view bytes)
{
    return nothingOf(readGraphDefText(std::string(bytes)));
}

Result<void> checkModel(std::string_view bytes)
{
    const SmallModel model;
    FUZZ_REQUIRE(::symlink("/etc/hostname", (model.folder() + "/assets/link").c_str()) == 0);
    model.write("saved_model.pb", bytes);
    return checkSavedModel(model.folder());
}

Result<void> checkTextModel(std::string_view bytes)
{
    const SmallModel model;
    model.write("saved_model.pbtxt", bytes);
    return checkSavedModel(model.folder());
}

std::string graphOf(const std::string& text)
{
    tensorflow::GraphDef graph;
    FUZZ_REQUIRE(google::protobuf::TextFormat::ParseFromString(text, &graph));
    return graph.SerializeAsString();
}

std::string node(const std::string& name, const std::string& op, const std::string& inputs = {},
                 const std::string& attrs = {})
{
    std::string text = "node { name: '" + name + "' op: '" + op + "' ";
    for (std::size_t at = 0; at < inputs.size();) {
        const std::size_t end = std::min(inputs.find(' ', at), inputs.size());
        text += "input: '" + inputs.substr(at, end - at) + "' ";
        at = end + 1;
    }
    return text + attrs + " }\n";
}

std::string constant(const std::string& name, const std::string& tensor)
{
    return node(name, "Const", {}, "attr { key: 'value' value { tensor { " + tensor + " } } }");
}

std::string integers(const std::string& name, const std::vector<std::string>& values)
{
    std::string text =
        "dtype: DT_INT64 tensor_shape { dim { size: " + std::to_string(values.size()) + " } }";
    for (const std::string& value : values) {
        text += " int64_val: " + value;
    }
    return constant(name, text);
}

std::string floats(const std::string& name, const std::string& shape)
{
    return constant(name, "dtype: DT_FLOAT float_val: 1 tensor_shape { " + shape + " }");
}

std::string integer(const std::string& name, const std::string& value)
{
    return constant(name, "dtype: DT_INT64 tensor_shape {} int64_val: " + value);
}

const std::string kBig = "1099511627776"; // 2^40
const char* const kOutside[] = {"/etc/hostname", "../saved_model.pb", "a/../../b", "..", "link"};

constexpr const char* kIncomplete = "saved_model.incomplete";

void addModel(HostileFiles& files, const std::string& name, const char* id,
              const std::string& nodes, const std::string& more = {})
{
    files.add("SavedModel", checkModel, name, id, [=] { return modelOf(nodes, more); });
}

/// Assets, collections, signatures and names of nodes.
void addHostileAssets(HostileFiles& files)
{
    const std::string y = floats("y", "");
    for (const char* name : kOutside) {
        const bool isLink = std::string(name) == "link";
        addModel(files, std::string("asset ") + name,
                 isLink ? "io.outside" : "saved_model.asset_outside", y,
                 "asset_file_def { tensor_info { name: 'y:0' } filename: '" + std::string(name) +
                     "' }");
    }
    addModel(files, "asset without a name", "saved_model.asset_outside", y,
             "asset_file_def { tensor_info { name: 'y:0' } }");
    addModel(files, "asset with a zero byte", "saved_model.asset_outside", y,
             "asset_file_def { tensor_info { name: 'y:0' } filename: 'a\\000b' }");
    addModel(files, "asset that is missing", kIncomplete, y,
             "asset_file_def { tensor_info { name: 'y:0' } filename: 'b' }");
    addModel(files, "collection of something else", "saved_model.bad_collection", y,
             "collection_def { key: 'variables' value { bytes_list { value: '\\377' } } }");
    addModel(files, "signature of nothing", kIncomplete, node("x", "NoOp"));
    addModel(files, "two nodes of one name", kIncomplete, y + y);
    addModel(files, "input of nothing", kIncomplete, y + node("z", "Identity", "nobody"));
    files.add("SavedModel", checkModel, "input without a name", kIncomplete,
              [=] { return modelOf(y + "node { name: 'z' op: 'Identity' input: '' }"); });
}

void addHostileSavers(HostileFiles& files)
{
    const std::string y = floats("y", "");
    const std::string saver = "saver_def { filename_tensor_name: 'y:0' save_tensor_name: 'y:0' "
                              "restore_op_name: 'y' }";
    const std::string assign = y + node("assign", "AssignVariableOp", "w r");
    const auto restore = [&](const std::string& attrs, const std::string& inputs = "y y y") {
        return assign + node("r", "RestoreV2", inputs, attrs);
    };
    const std::string handle =
        node("w", "VarHandleOp", {},
             "attr { key: 'dtype' value { type: DT_FLOAT } } "
             "attr { key: 'shape' value { shape { dim { size: 2 } dim { size: 3 } } } }");
    const std::string types = "attr { key: 'dtypes' value { list { type: DT_FLOAT } } }";
    const std::string names =
        constant("n", "dtype: DT_STRING string_val: 'w' tensor_shape { dim { size: 1 } }");
    addModel(files, "saver of nothing", kIncomplete, y, "saver_def { filename_tensor_name: 'z' }");
    addModel(files, "restore without names", kIncomplete, handle + restore(types), saver);
    addModel(files, "restore without inputs", kIncomplete, handle + restore(types, "y"), saver);
    addModel(files, "restore without types", kIncomplete, handle + names + restore("", "y n y"),
             saver);
    addModel(files, "restore of other types", kIncomplete,
             handle + names + restore("attr { key: 'dtypes' value { list { } } }", "y n y"), saver);
    addModel(files, "variable without a type", kIncomplete,
             node("w", "VarHandleOp") + names + restore(types, "y n y"), saver);
    addModel(files, "output that is not there", kIncomplete,
             y + handle + names + node("assign", "AssignVariableOp", "w r:5") +
                 node("r", "RestoreV2", "y n y", types),
             saver);
    addModel(files, "output before the first", kIncomplete,
             y + handle + names + node("assign", "AssignVariableOp", "w r:-5") +
                 node("r", "RestoreV2", "y n y", types),
             saver);
    addModel(
        files, "a variable that is not in the checkpoint", kIncomplete,
        handle +
            constant("n", "dtype: DT_STRING string_val: 'v' tensor_shape { dim { size: 1 } }") +
            restore(types, "y n y"),
        saver);
}

/// Invalid messages, or too large ones.
void addHostileMessages(HostileFiles& files)
{
    files.add("SavedModel", checkModel, "nothing", "saved_model.damaged",
              [] { return std::string(); });
    files.add("SavedModel", checkModel, "no message", "saved_model.damaged",
              [] { return std::string("\xff\xff"); });
    files.add("SavedModel", checkModel, "two million parts", "tf.message_too_large",
              [] { return times(2U << 20U, hex("1200")); });
    files.add("GraphDef", readGraphText, "text, two million parts", "tf.message_too_large",
              [] { return times(2U << 20U, "node{}"); });
    files.add("GraphDef", readGraphText, "text, deep", "graph.unreadable",
              [] { return times(100000, "node { "); });
    const std::string deep = "meta_graphs { graph_def { node { attr { key: 'a' value { ";
    const std::string level = "list { func { attr { key: 'a' value { ";
    files.add("SavedModel", checkTextModel, "text, deep", "saved_model.damaged",
              [=] { return deep + times(20000, level); });
    files.add("SavedModel", checkTextModel, "text, two million parts", "tf.message_too_large",
              [] { return times(2U << 20U, "meta_graphs{}"); });
    files.add("SavedModel", checkTextModel, "text, unknown and deep", "saved_model.damaged",
              [] { return times(100000, "unknown { "); });
    files.add("SavedModel", checkTextModel, "text, binary", "saved_model.damaged",
              [] { return std::string(1000, '\x80'); });
}

constexpr const char* kInvalid = "export.graph_invalid";
constexpr const char* kTooLarge = "export.graph_too_large";

void addRun(HostileFiles& files, const std::string& name, const char* id, const std::string& nodes,
            const std::string& more = {})
{
    files.add("graph", runHostileModel, name, id, [=] { return modelOf(nodes, more); });
}

void addHostileNodes(HostileFiles& files)
{
    addRun(files, "circle", "export.graph_circle",
           node("y", "Identity", "z") + node("z", "Identity", "y"));
    addRun(files, "circle of control", "export.graph_circle", node("y", "NoOp", "^y"));
    addRun(files, "unknown operation", "export.graph_unsupported", node("y", "PyFunc"));
    addRun(files, "reads files", "export.graph_unsupported", node("y", "ReadFile"));
    addRun(files, "no node", "export.no_node", node("x", "NoOp"));
    addRun(files, "no output", "export.no_output", node("y", "NoOp"));
}

/// Results of unlimited size.
void addHugeResults(HostileFiles& files)
{
    const std::string one = floats("one", "");
    const std::string row2 = floats("v", "dim { size: 1 } dim { size: 60000 }");
    const std::string col2 = floats("u", "dim { size: 60000 } dim { size: 1 }");
    addRun(files, "fill", kTooLarge, integers("d", {kBig}) + one + node("y", "Fill", "d one"));
    addRun(files, "fill, overflow", kTooLarge,
           integers("d", {kBig, kBig}) + one + node("y", "Fill", "d one"));
    addRun(files, "fill, negative", kInvalid,
           integers("d", {"-1"}) + one + node("y", "Fill", "d one"));
    addRun(files, "fill with two values", kInvalid,
           integers("d", {"2"}) + floats("e", "dim { size: 2 }") + node("y", "Fill", "d e"));
    addRun(files, "tile", kTooLarge, integers("d", {"1", kBig}) + row2 + node("y", "Tile", "v d"));
    addRun(files, "tile, overflow", kInvalid,
           integers("d", {"1", "9223372036854775807"}) + row2 + node("y", "Tile", "v d"));
    addRun(files, "one-hot", kTooLarge,
           integers("d", {"1"}) + integer("n", kBig) + one + node("y", "OneHot", "d n one one"));
    addRun(files, "one-hot, negative", kInvalid,
           integers("d", {"1"}) + integer("n", "-5") + one + node("y", "OneHot", "d n one one"));
    addRun(files, "broadcast", kTooLarge, row2 + col2 + node("y", "AddV2", "u v"));
    addRun(files, "product", kTooLarge, row2 + col2 + node("y", "MatMul", "u v"));
    addRun(files, "choice", kTooLarge,
           row2 + col2 + node("c", "Greater", "u one") + one + node("y", "SelectV2", "c u v"));
    std::string doubled = row2 + integer("a", "0");
    std::string last = "v";
    for (int i = 0; i < 40; ++i) {
        const std::string name = i == 39 ? "y" : "d" + std::to_string(i);
        doubled += node(name, "ConcatV2", last + " " + last + " a");
        last = name;
    }
    addRun(files, "doubled forty times", kTooLarge, doubled);
}

/// A loop over `one` that ends at y, with this condition; `last` is what its body makes of s:1.
std::string loopOf(const std::string& condition, const std::string& body, const std::string& last)
{
    const std::string frame = "attr { key: 'frame_name' value { s: 'outer' } }";
    return floats("one", "dim { size: 1 }") + node("e", "Enter", "one", frame) +
           node("m", "Merge", "e n") + condition + node("c", "LoopCond", "goes_on") +
           node("s", "Switch", "m c") + body + node("n", "NextIteration", last) +
           node("y", "Exit", "s");
}

void addHostileLoops(HostileFiles& files)
{
    const std::string always = constant("goes_on", "dtype: DT_BOOL tensor_shape {} bool_val: true");
    const std::string frame = "attr { key: 'frame_name' value { s: 'inner' } }";
    addRun(files, "loop without an end", "export.graph_endless", loopOf(always, {}, "s:1"));
    addRun(files, "loop that grows", kTooLarge,
           loopOf(always, integer("a", "0") + node("d", "ConcatV2", "s:1 s:1 a"), "d"));
    addRun(files, "loop in a loop", "export.graph_nested_loop",
           loopOf(always,
                  node("e2", "Enter", "s:1", frame) + node("m2", "Merge", "e2 n2") +
                      node("c2", "LoopCond", "goes_on") + node("s2", "Switch", "m2 c2") +
                      node("n2", "NextIteration", "s2:1") + node("y2", "Exit", "s2"),
                  "y2"));
    addRun(files, "loop whose condition is a number", "export.no_output",
           loopOf(integer("goes_on", "1"), {}, "s:1"));
    addRun(files, "loop into itself", "export.graph_circle",
           loopOf(always, node("d", "Identity", "n"), "d"));
    addRun(files, "end of no loop", "export.graph_loop",
           floats("one", "") + node("y", "Exit", "one"));
    addRun(files, "merge in no loop", kInvalid, floats("one", "") + node("y", "Merge", "one one"));
}

/// Parts, orders and replacements.
void addHostileSequences(HostileFiles& files)
{
    const std::string col2 = floats("u", "dim { size: 60000 } dim { size: 1 }");
    const std::string parts = "attr { key: 'num_split' value { i: 7 } }";
    addRun(files, "split that does not divide", kInvalid,
           col2 + integer("a", "0") + node("y", "Split", "a u", parts));
    addRun(files, "split beyond", kInvalid,
           col2 + integer("a", "2") + node("y", "Split", "a u", parts));
    addRun(files, "split into nothing", kInvalid,
           col2 + integer("a", "0") +
               node("y", "Split", "a u", "attr { key: 'num_split' value { i: 0 } }"));
    addRun(files, "transpose, one dimension twice", kInvalid,
           col2 + integers("p", {"1", "1"}) + node("y", "Transpose", "u p"));
    addRun(files, "transpose beyond", kInvalid,
           col2 + integers("p", {"0", "1", "2"}) + node("y", "Transpose", "u p"));
    addRun(files, "update without places", kInvalid,
           col2 + integers("i", {"0"}) + node("y", "TensorScatterUpdate", "u i u"));
}

/// Joins, gathers, slices, shapes and segments.
void addHostilePlaces(HostileFiles& files)
{
    const std::string row2 = floats("v", "dim { size: 1 } dim { size: 60000 }");
    const std::string col2 = floats("u", "dim { size: 60000 } dim { size: 1 }");
    addRun(files, "join of different tensors", kInvalid,
           row2 + col2 + integer("a", "0") + node("y", "ConcatV2", "u v a"));
    addRun(files, "join of nothing", kInvalid, integer("a", "0") + node("y", "ConcatV2", "a"));
    addRun(files, "gather beyond", kInvalid,
           col2 + integers("i", {"60000"}) + integer("a", "0") + node("y", "GatherV2", "u i a"));
    addRun(files, "gather before", kInvalid,
           col2 + integers("i", {"-1"}) + integer("a", "0") + node("y", "GatherV2", "u i a"));
    addRun(files, "slice beyond", kInvalid,
           col2 + integers("b", {"9223372036854775807", "0"}) + integers("s", {"2", "1"}) +
               node("y", "Slice", "u b s"));
    addRun(files, "shape of other size", kInvalid,
           col2 + integers("s", {"7"}) + node("y", "Reshape", "u s"));
    addRun(files, "two open dimensions", kInvalid,
           col2 + integers("s", {"-1", "-1"}) + node("y", "Reshape", "u s"));
    addRun(files, "segments", kTooLarge,
           floats("w", "dim { size: 1 }") + integers("s", {"0"}) + integer("n", kBig) +
               node("y", "UnsortedSegmentSum", "w s n"));
    addRun(files, "segment beyond", kInvalid,
           floats("w", "dim { size: 1 }") + integers("s", {"5"}) + integer("n", "2") +
               node("y", "UnsortedSegmentSum", "w s n"));
}

void addHostileSparse(HostileFiles& files)
{
    const std::string one = floats("one", "");
    const std::string sparse = constant("i", "dtype: DT_INT64 int64_val: 5 tensor_shape { dim { "
                                             "size: 1 } dim { size: 2 } }");
    addRun(files, "sparse entry beyond", kInvalid,
           sparse + integers("d", {"2", "2"}) + floats("w", "dim { size: 1 }") + one +
               node("y", "SparseToDense", "i d w one"));
    addRun(files, "sparse, too few places", kInvalid,
           sparse + integers("d", {"9", "9"}) + floats("w", "dim { size: 3 }") + one +
               node("y", "SparseToDense", "i d w one"));
    addRun(files, "sparse, huge", kTooLarge,
           sparse + integers("d", {kBig, "9"}) + floats("w", "dim { size: 1 }") + one +
               node("y", "SparseToDense", "i d w one"));
    addRun(files, "rows without end", kTooLarge,
           sparse + integers("d", {"9223372036854775807", "9"}) + floats("w", "dim { size: 1 }") +
               one + node("y", "SparseFillEmptyRows", "i w d one"));
}

void addHostileTexts(HostileFiles& files)
{
    const std::string one = floats("one", "");
    addRun(
        files, "no buckets", kInvalid,
        constant("t", "dtype: DT_STRING string_val: 'a' tensor_shape {}") +
            node("y", "StringToHashBucketFast", "t", "attr { key: 'num_buckets' value { i: 0 } }"));
    addRun(files, "hash of numbers", kInvalid,
           one + node("y", "StringToHashBucketFast", "one",
                      "attr { key: 'num_buckets' value { i: 9 } }"));
    for (const char* name : kOutside) {
        const std::string table = node("t", "HashTableV2") +
                                  constant("f", "dtype: DT_STRING string_val: '" +
                                                    std::string(name) + "' tensor_shape {}") +
                                  node("init", "InitializeTableFromTextFileV2", "t f",
                                       "attr { key: 'key_index' value { i: -2 } } "
                                       "attr { key: 'value_index' value { i: -1 } }");
        addRun(files, std::string("vocabulary ") + name, "io.outside",
               table + node("y", "LookupTableSizeV2", "t"),
               "collection_def { key: 'table_initializer' value { node_list { value: 'init' } } }");
    }
}

} // namespace

Result<void> runHostileModel(std::string_view bytes)
{
    const SmallModel model;
    FUZZ_REQUIRE(::symlink("/etc/hostname", (model.folder() + "/assets/link").c_str()) == 0);
    model.write("saved_model.pb", bytes);
    CANNERY_TRY_ASSIGN(exporting::GraphRunner runner, exporting::GraphRunner::load(model.folder()));
    return nothingOf(runner.run("predict", {}));
}

void addHostileGraphs(HostileFiles& files)
{
    const auto row = [&files](const std::string& name, const char* id, const std::string& text) {
        files.add("GraphDef", readGraph, name, id, [=] { return graphOf(text); });
    };
    const auto tensor = [&](const std::string& name, const char* id, const std::string& text) {
        row(name, id, constant("c", text));
    };
    const std::string big = "tensor_shape { dim { size: " + kBig + " } } ";
    tensor("a number told 2^40 times", "tf.too_many_elements",
           "dtype: DT_FLOAT float_val: 1 " + big);
    tensor("nothing told 2^40 times", "tf.too_many_elements", "dtype: DT_INT64 " + big);
    tensor("a text told 2^22 times", "tf.too_many_elements",
           "dtype: DT_STRING string_val: 'abc' tensor_shape { dim { size: 4194304 } }");
    tensor("a long text told often", "tf.too_many_elements",
           "dtype: DT_STRING string_val: '" + std::string(100000, 'a') +
               "' tensor_shape { dim { size: 10000 } }");
    tensor("product that overflows", "tf.too_many_elements",
           "dtype: DT_FLOAT tensor_shape { dim { size: " + kBig + " } dim { size: " + kBig +
               " } }");
    tensor("negative dimension", "tf.bad_dimension",
           "dtype: DT_FLOAT tensor_shape { dim { size: -2 } }");
    tensor("unknown rank", "tf.unknown_shape",
           "dtype: DT_FLOAT tensor_shape { unknown_rank: true }");
    tensor("rank 300", "tf.too_many_dimensions",
           "dtype: DT_FLOAT tensor_shape { " + times(300, "dim { size: 1 } ") + "}");
    tensor("too few bytes", "tf.value_count",
           "dtype: DT_FLOAT tensor_content: 'abc' tensor_shape { dim { size: 2 } }");
    tensor("few bytes for 2^40", "tf.value_count", "dtype: DT_FLOAT tensor_content: 'abcd' " + big);
    tensor("texts as bytes", "tf.value_count",
           "dtype: DT_STRING tensor_content: 'abc' tensor_shape {}");
    tensor("too many values", "tf.value_count",
           "dtype: DT_FLOAT float_val: 1 float_val: 2 tensor_shape {}");
    tensor("type 99", "tf.unsupported_type", "dtype: 99 tensor_shape {}");
    tensor("a variant", "tf.unsupported_type", "dtype: DT_VARIANT tensor_shape {}");
    std::string many;
    for (int i = 0; i < 40; ++i) {
        many += floats("c" + std::to_string(i), "dim { size: 1000000 }");
    }
    row("small claims that add up", "tf.too_many_elements", many);
    for (const char* digits : {"0a", "0aff", "0a0a0a", "0b", "ffffffffffffffffffffff01"}) {
        files.add("GraphDef", readGraph, digits, "graph.unreadable", [=] { return hex(digits); });
    }
    files.add("GraphDef", readGraph, "two million nodes", "tf.message_too_large",
              [] { return times(2U << 20U, hex("0a00")); });
    files.add("GraphDef", readGraph, "lists in lists", "graph.unreadable", [] {
        // AttrValue.list.func.attr.value, again and again.
        std::string attr;
        for (int i = 0; i < 120; ++i) {
            attr = field(1, field(9, field(2, field(2, attr))));
        }
        return field(1, field(5, field(2, attr)));
    });
}

void addHostileModels(HostileFiles& files)
{
    addHostileAssets(files);
    addHostileSavers(files);
    addHostileMessages(files);
}

void addHostileRuns(HostileFiles& files)
{
    addHostileNodes(files);
    addHugeResults(files);
    addHostileLoops(files);
    addHostileSequences(files);
    addHostilePlaces(files);
    addHostileSparse(files);
    addHostileTexts(files);
}

} // namespace cannery::tests
