// SPDX-License-Identifier: Apache-2.0
#include "storage/tf/graphs/graph_def_reader.h"

#include "core/base/memory_guard.h"
#include "storage/tf/proto_arena.h"
#include "storage/tf/proto_convert.h"
#include "storage/tf/schema/graph.pb.h"

namespace cannery::storage {

namespace {

constexpr ErrorKind kUnreadable{"graph.unreadable",
                                "The bytes are not a GraphDef; the file is damaged."};

template <typename T, typename List>
std::vector<T> listOf(const List& list)
{
    return std::vector<T>(list.begin(), list.end());
}

Result<AttrValue> listFromProto(const tensorflow::AttrValue::ListValue& list)
{
    if (list.s_size() > 0) {
        return AttrValue(listOf<std::string>(list.s()));
    }
    if (list.f_size() > 0) {
        return AttrValue(listOf<float>(list.f()));
    }
    if (list.type_size() > 0) {
        std::vector<DType> types;
        for (const int type : list.type()) {
            types.push_back(static_cast<DType>(type));
        }
        return AttrValue(std::move(types));
    }
    if (list.shape_size() > 0) {
        std::vector<Shape> shapes;
        for (const tensorflow::TensorShapeProto& proto : list.shape()) {
            CANNERY_TRY_ASSIGN(Shape shape, detail::shapeFromProto(proto, -1));
            shapes.push_back(std::move(shape));
        }
        return AttrValue(std::move(shapes));
    }
    // Integers, or an empty list, which has no type of its own.
    return AttrValue(listOf<std::int64_t>(list.i()));
}

Result<AttrValue> attrFromProto(const tensorflow::AttrValue& attr, detail::FillBudget& budget)
{
    switch (attr.value_case()) {
    case tensorflow::AttrValue::kS:
        return AttrValue(attr.s());
    case tensorflow::AttrValue::kI:
        return AttrValue(static_cast<std::int64_t>(attr.i()));
    case tensorflow::AttrValue::kF:
        return AttrValue(attr.f());
    case tensorflow::AttrValue::kB:
        return AttrValue(attr.b());
    case tensorflow::AttrValue::kType:
        return AttrValue(static_cast<DType>(attr.type()));
    case tensorflow::AttrValue::kShape: {
        // An unknown rank is not a scalar, which also has no dimensions.
        if (attr.shape().unknown_rank()) {
            return AttrValue::unknownShape();
        }
        CANNERY_TRY_ASSIGN(Shape shape, detail::shapeFromProto(attr.shape(), -1));
        return AttrValue(std::move(shape));
    }
    case tensorflow::AttrValue::kTensor: {
        CANNERY_TRY_ASSIGN(HostTensor tensor, detail::tensorFromProto(attr.tensor(), budget));
        return AttrValue(std::move(tensor));
    }
    case tensorflow::AttrValue::kList:
        return listFromProto(attr.list());
    default:
        return AttrValue(std::vector<std::int64_t>{});
    }
}

/// `parse` fills the message.
template <typename Parse>
Result<std::vector<GraphNode>> nodesOf(const Parse& parse)
{
    google::protobuf::Arena arena;
    tensorflow::GraphDef& graph = detail::onArena<tensorflow::GraphDef>(arena);
    CANNERY_TRY_ASSIGN(const bool parsed, parse(graph));
    if (!parsed) {
        return fail(ErrorCode::DataLoss, kUnreadable);
    }
    detail::FillBudget budget;
    std::vector<GraphNode> nodes;
    for (const tensorflow::NodeDef& proto : graph.node()) {
        GraphNode node{.name = proto.name(), .op = proto.op()};
        for (const std::string& input : proto.input()) {
            // "^name" is a control dependency.
            if (input.starts_with('^')) {
                node.controls.push_back(input.substr(1));
            } else {
                node.inputs.push_back(input);
            }
        }
        for (const auto& [name, attr] : proto.attr()) {
            CANNERY_TRY_ASSIGN(AttrValue value, attrFromProto(attr, budget));
            node.attrs.emplace(name, std::move(value));
        }
        nodes.push_back(std::move(node));
    }
    return nodes;
}

} // namespace

Result<std::vector<GraphNode>> readGraphDef(std::string_view serialized)
{
    return guardMemory("a GraphDef", [&] {
        return nodesOf(
            [&](tensorflow::GraphDef& graph) { return detail::parseMessage(serialized, graph); });
    });
}

Result<std::vector<GraphNode>> readGraphDefText(const std::string& text)
{
    return guardMemory("a GraphDef", [&] {
        return nodesOf([&](tensorflow::GraphDef& graph) { return detail::parseText(text, graph); });
    });
}

} // namespace cannery::storage
