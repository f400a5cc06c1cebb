// SPDX-License-Identifier: Apache-2.0
#include "storage/tf/graphs/graph_def_builder.h"
#include "storage/tf/graphs/graph_text.h"
#include "storage/tf/proto_convert.h"
#include "storage/tf/schema/graph.pb.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <limits>

using namespace cannery;
using namespace cannery::storage;

namespace {

tensorflow::GraphDef parsed(const GraphDefBuilder& graph)
{
    tensorflow::GraphDef proto;
    const bool good = proto.ParseFromString(graph.serialized());
    Q_ASSERT(good);
    static_cast<void>(good);
    return proto;
}

/// Of no, one and two values, with and without a shape.
void addTensors(google::protobuf::Map<std::string, tensorflow::AttrValue>& attrs)
{
    for (const float value : {0.0F, -0.0F, 0.1F}) {
        attrs["float " + std::to_string(attrs.size())].mutable_tensor()->add_float_val(value);
    }
    attrs["nothing"].mutable_tensor()->set_dtype(tensorflow::DT_DOUBLE);
    auto& whole = *attrs["int"].mutable_tensor();
    whole.set_dtype(tensorflow::DT_INT32);
    whole.mutable_tensor_shape()->add_dim()->set_size(0);
    whole.mutable_tensor_shape()->add_dim()->set_size(3);
    whole.add_int_val(-1);
    attrs["int64"].mutable_tensor()->add_int64_val(std::int64_t{1} << 40);
    for (const int value : {7, 8}) {
        attrs["two"].mutable_tensor()->add_int_val(value);
        attrs["texts"].mutable_tensor()->add_string_val(std::to_string(value));
    }
    attrs["bytes"].mutable_tensor()->set_tensor_content("\1\2");
}

} // namespace

class TstGraphDefBuilder : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void namesAreMadeUniqueAsTensorFlowDoes();
    void inputsNameOutputsAndControls();
    void attributesAreTyped();
    void constantsComeBack();
    void variablesHaveTheirNodes();
    void assetsOfOneNameAreKeptApart();
    void sameCallsGiveSameBytes();
    void textIsThatOfProtobuf();
    void hugeClaimsOfSmallTensorsAreRefused();
};

void TstGraphDefBuilder::namesAreMadeUniqueAsTensorFlowDoes()
{
    GraphDefBuilder graph;
    QCOMPARE(graph.add("NoOp", "x").node, std::string("x"));
    QCOMPARE(graph.add("NoOp", "x").node, std::string("x_1"));
    QCOMPARE(graph.add("NoOp", "X").node, std::string("X_2"));
    QCOMPARE(graph.add("NoOp", "x_1").node, std::string("x_1_1"));
    {
        const auto outer = graph.enterScope("a");
        const auto inner = graph.enterScope("b");
        QCOMPARE(graph.add("NoOp", "x").node, std::string("a/b/x"));
        const auto elsewhere = graph.enterExactly("c");
        QCOMPARE(graph.add("NoOp", "x").node, std::string("c/x"));
    }
    const auto again = graph.enterScope("a");
    QCOMPARE(graph.add("NoOp", "x").node, std::string("a_1/x"));
}

void TstGraphDefBuilder::inputsNameOutputsAndControls()
{
    GraphDefBuilder graph;
    const NodeRef first = graph.placeholder("p", DType::Float32, {-1, 2});
    const NodeRef split = graph.add("Split", "s", {first});
    const std::string byName = "s:1";
    graph.add("AddV2", "sum", {split.at(2), byName}, {{"T", DType::Float32}}, {first});
    const auto proto = parsed(graph);
    const auto& node = proto.node(2);
    QCOMPARE(node.input_size(), 3);
    QCOMPARE(node.input(0), std::string("s:2"));
    QCOMPARE(node.input(1), std::string("s:1"));
    QCOMPARE(node.input(2), std::string("^p"));
    QCOMPARE(split.tensor(), std::string("s:0"));
}

void TstGraphDefBuilder::attributesAreTyped()
{
    GraphDefBuilder graph;
    graph.add("Any", "n", {},
              {{"b", true},
               {"i", 3},
               {"f", 0.5F},
               {"s", "text"},
               {"type", DType::Int64},
               {"shape", Shape{-1}},
               {"scalar", Shape{}},
               {"unknown", AttrValue::unknownShape()},
               {"types", std::vector<DType>{DType::String}},
               {"none", std::vector<DType>{}},
               {"boundaries", std::vector<float>{1, 2}}});
    const auto proto = parsed(graph);
    const auto& attr = proto.node(0).attr();
    QVERIFY(attr.at("b").b() && attr.at("i").i() == 3 && attr.at("f").f() == 0.5F);
    QCOMPARE(attr.at("s").s(), std::string("text"));
    QCOMPARE(static_cast<int>(attr.at("type").type()), 9);
    QCOMPARE(attr.at("shape").shape().dim(0).size(), std::int64_t{-1});
    QVERIFY(attr.at("scalar").has_shape() && attr.at("scalar").shape().dim_size() == 0);
    QVERIFY(attr.at("unknown").shape().unknown_rank());
    QCOMPARE(static_cast<int>(attr.at("types").list().type(0)), 7);
    QVERIFY(attr.at("none").has_list());
    QCOMPARE(attr.at("boundaries").list().f_size(), 2);
}

void TstGraphDefBuilder::constantsComeBack()
{
    const std::vector<HostTensor> tensors{
        HostTensor::scalar(0.25F),
        HostTensor::scalar(std::int64_t{-3}),
        HostTensor::scalar(true),
        HostTensor::of(std::vector<double>{1, 2, 3}),
        HostTensor::of(std::vector<std::int32_t>{5, 5, 5, 5}, {2, 2}),
        HostTensor::of(std::vector<float>{}, {0, 3}),
        HostTensor::of(std::vector<std::uint8_t>{1, 2}),
        HostTensor::ofStrings({"a", std::string("\0b", 2)}),
        HostTensor::zeros(DType::Float32, {1000, 1000}),
        HostTensor::zeros(DType::Float16, {3}),
    };
    GraphDefBuilder graph;
    for (const HostTensor& tensor : tensors) {
        graph.constant("c", tensor);
    }
    const auto proto = parsed(graph);
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const auto back = storage::detail::tensorFromProto(
            proto.node(static_cast<int>(i)).attr().at("value").tensor());
        VERIFY_OK(back);
        QVERIFY(*back == tensors[i]);
    }
    // A million zeros are stored as one.
    QVERIFY(graph.serialized().size() < 2000);
}

void TstGraphDefBuilder::variablesHaveTheirNodes()
{
    GraphDefBuilder graph;
    const auto scope = graph.enterScope("v");
    const GraphVariable& variable = graph.variable({.name = "v", .shape = {2}});
    QCOMPARE(variable.handle.node, std::string("v"));
    QCOMPARE(variable.assign.node, std::string("v/Assign"));
    QCOMPARE(variable.read.node, std::string("v/Read/ReadVariableOp"));
    QCOMPARE(variable.initialValue.node, std::string("v/Initializer/zeros"));
    QCOMPARE(&graph.variable({.name = "v", .shape = {2}}), &variable);
    QCOMPARE(graph.nodeCount(), std::size_t{5});
    QVERIFY(graph.hasNode("v/Assign") && !graph.hasNode("w"));
    QVERIFY(!graph.hasNode("V") && !graph.hasNode("v/"));
    // Names that differ in case alone are two keys of a checkpoint.
    QCOMPARE(graph.variable({.name = "V", .shape = {2}}).handle.node, std::string("V"));
    QVERIFY(graph.hasNode("V") && graph.hasNode("v"));
}

void TstGraphDefBuilder::assetsOfOneNameAreKeptApart()
{
    GraphDefBuilder graph;
    for (const char* path : {"a/vocab.txt", "b/vocab.txt", "a/vocab.txt", "c/vocab.txt"}) {
        graph.asset("file", path);
    }
    std::vector<std::string> names;
    for (const GraphAsset& asset : graph.assets()) {
        names.push_back(asset.fileName);
    }
    QCOMPARE(names,
             (std::vector<std::string>{"vocab.txt", "vocab.txt_1", "vocab.txt", "vocab.txt_2"}));
}

void TstGraphDefBuilder::sameCallsGiveSameBytes()
{
    const auto build = [] {
        GraphDefBuilder graph;
        graph.add("Any", "n", {}, {{"z", 1}, {"a", 2}, {"m", "x"}, {"k", true}});
        return graph.serialized();
    };
    QCOMPARE(build(), build());
}

void TstGraphDefBuilder::textIsThatOfProtobuf()
{
    tensorflow::GraphDef graph;
    const auto add = [&](const std::string& name) {
        tensorflow::NodeDef* node = graph.add_node();
        node->set_name(name);
        node->set_op("Any");
        return node;
    };
    for (const std::string name : {"plain", "", "quo\"ted", "apo\'strophe", "back\\slash", "line\n",
                                   "gr\xC3\xB6\xC3\x9F", "nul\001"}) {
        auto& attrs = *add(name)->mutable_attr();
        attrs["z"].set_s(name);
        attrs["b"].set_type(tensorflow::DT_FLOAT);
        attrs["a"].set_type(tensorflow::DT_INVALID);
        attrs[name].set_b(false);
        attrs["empty"];
        add("reader")->add_input(name);
        add("^x")->add_input("^" + name);
    }
    add("far")->set_device("/cpu:0");
    add("opaque")->set_opaque_type("type");
    auto& attrs = *add("others")->mutable_attr();
    attrs["i"].set_i(-7);
    attrs["f"].set_f(0.1F);
    attrs["type"].set_type(static_cast<tensorflow::DataType>(4711));
    attrs["shape"].mutable_shape()->add_dim()->set_size(-1);
    attrs["tensor"].mutable_tensor()->add_string_val("a\"b");
    attrs["list"].mutable_list()->add_type(tensorflow::DT_INT64);
    attrs["list"].mutable_list()->add_type(tensorflow::DT_STRING);
    attrs["empty list"].mutable_list();
    attrs["shapes"].mutable_list()->add_shape()->add_dim()->set_size(3);
    attrs["shapes"].mutable_list()->add_shape();
    attrs["shapes"].mutable_list()->add_shape()->set_unknown_rank(true);
    attrs["types"].mutable_list()->add_type(static_cast<tensorflow::DataType>(4711));
    attrs["texts"].mutable_list()->add_s("a");
    attrs["numbers"].mutable_list()->add_i(0);
    attrs["no"].set_b(false);
    attrs["yes"].set_b(true);
    attrs["any"].mutable_shape()->set_unknown_rank(true);
    attrs["named"].mutable_shape()->add_dim()->set_name("rows");
    attrs["least"].set_i(std::numeric_limits<std::int64_t>::min());
    addTensors(*add("tensors")->mutable_attr());
    QCOMPARE(storage::graphText(storage::detail::serializeDeterministically(graph)),
             storage::detail::printText(graph));
    graph.mutable_versions()->set_producer(1);
    graph.mutable_library()->add_function()->mutable_signature()->set_name("f");
    QCOMPARE(storage::graphText(storage::detail::serializeDeterministically(graph)),
             storage::detail::printText(graph));
}

void TstGraphDefBuilder::hugeClaimsOfSmallTensorsAreRefused()
{
    tensorflow::TensorProto proto;
    proto.set_dtype(tensorflow::DT_FLOAT);
    proto.add_float_val(1);
    proto.mutable_tensor_shape()->add_dim()->set_size(std::int64_t{1} << 40);
    VERIFY_ERROR(storage::detail::tensorFromProto(proto), "tf.too_many_elements");
    proto.mutable_tensor_shape()->add_dim()->set_size(std::int64_t{1} << 40);
    VERIFY_ERROR(storage::detail::tensorFromProto(proto), "tf.too_many_elements");
    proto.mutable_tensor_shape()->mutable_dim(0)->set_size(-1);
    VERIFY_ERROR(storage::detail::tensorFromProto(proto), "tf.bad_dimension");
}

CANNERY_TEST(TstGraphDefBuilder)
#include "tst_graph_def_builder.moc"
