// SPDX-License-Identifier: Apache-2.0
#include "storage/tf/graphs/graph_wire.h"

#include "storage/io/coding.h"
#include "storage/tf/example_wire.h"
#include "storage/tf/proto_convert.h"
#include "storage/tf/schema/graph.pb.h"

#include <algorithm>
#include <cstdint>
#include <variant>

namespace cannery::storage::detail {

namespace {

/// Reserved for the nodes, so that those of a wide table are not copied while there are more and
/// more of them. The pages that a small graph does not need are never touched.
constexpr std::size_t kFirstBytes = 4U << 20U;

constexpr int kProducerVersion = 1645;
constexpr int kMinConsumerVersion = 12;

// Field number and wire type, as one byte: number * 8 + type (0 varint, 2 bytes with a length,
// 5 four bytes). GraphDef:
constexpr char kNode = 0x0a;
// NodeDef:
constexpr char kName = 0x0a;
constexpr char kOp = 0x12;
constexpr char kInput = 0x1a;
constexpr char kAttr = 0x2a;
// An entry of its attributes:
constexpr char kKey = 0x0a;
constexpr char kValue = 0x12;
// AttrValue:
constexpr char kList = 0x0a;
constexpr char kString = 0x12;
constexpr char kInteger = 0x18;
constexpr char kFloat = 0x25;
constexpr char kBool = 0x28;
constexpr char kType = 0x30;
constexpr char kShape = 0x3a;
constexpr char kTensor = 0x42;
// TensorShapeProto, and its dimensions:
constexpr char kDim = 0x12;
constexpr char kSize = 0x08;
// TensorProto:
constexpr char kTensorType = 0x08;
constexpr char kTensorShape = 0x12;

void putBytes(std::string& to, char field, std::string_view bytes)
{
    to += field;
    putVarint(to, bytes.size());
    to += bytes;
}

void putNumber(std::string& to, char field, std::uint64_t number)
{
    to += field;
    putVarint(to, number);
}

/// As with every number, 0 is not written.
void putShape(std::string& to, char field, const Shape& shape)
{
    std::string dims;
    std::string dim;
    for (const std::int64_t size : shape.dims) {
        dim.clear();
        if (size != 0) {
            putNumber(dim, kSize, static_cast<std::uint64_t>(size));
        }
        putBytes(dims, kDim, dim);
    }
    putBytes(to, field, dims);
}

/// Appends a message whose ByteSizeLong() was just asked.
void appendSized(std::string& to, const google::protobuf::MessageLite& message)
{
    const auto size = static_cast<std::size_t>(message.GetCachedSize());
    to.resize(to.size() + size);
    message.SerializeWithCachedSizesToArray(
        reinterpret_cast<std::uint8_t*>(to.data() + to.size() - size));
}

void putMessage(std::string& to, char field, const google::protobuf::MessageLite& message)
{
    putNumber(to, field, message.ByteSizeLong());
    appendSized(to, message);
}

void setList(const std::vector<std::int64_t>& values, tensorflow::AttrValue::ListValue& list)
{
    list.mutable_i()->Add(values.begin(), values.end());
}

void setList(const std::vector<float>& values, tensorflow::AttrValue::ListValue& list)
{
    list.mutable_f()->Add(values.begin(), values.end());
}

void setList(const std::vector<std::string>& values, tensorflow::AttrValue::ListValue& list)
{
    list.mutable_s()->Add(values.begin(), values.end());
}

void setList(const std::vector<DType>& values, tensorflow::AttrValue::ListValue& list)
{
    for (const DType value : values) {
        list.add_type(static_cast<tensorflow::DataType>(value));
    }
}

void setList(const std::vector<Shape>& values, tensorflow::AttrValue::ListValue& list)
{
    for (const Shape& value : values) {
        toProto(value, *list.add_shape());
    }
}

/// Appends the active alternative of an attribute.
struct AttrWriter
{
    std::string& to;

    void operator()(bool value) const { putNumber(to, kBool, value ? 1 : 0); }
    void operator()(std::int64_t value) const
    {
        putNumber(to, kInteger, static_cast<std::uint64_t>(value));
    }
    void operator()(float value) const
    {
        to += kFloat;
        putFixed(to, value);
    }
    void operator()(const std::string& value) const { putBytes(to, kString, value); }
    void operator()(DType value) const
    {
        putNumber(to, kType, static_cast<std::uint64_t>(static_cast<std::int64_t>(value)));
    }
    void operator()(const Shape& value) const { putShape(to, kShape, value); }
    void operator()(AttrValue::UnknownShape) const
    {
        tensorflow::TensorShapeProto proto;
        proto.set_unknown_rank(true);
        putMessage(to, kShape, proto);
    }
    void operator()(const HostTensor& value) const
    {
        std::string typeAndShape;
        if (value.dtype != DType::Invalid) {
            putNumber(typeAndShape, kTensorType,
                      static_cast<std::uint64_t>(static_cast<std::int64_t>(value.dtype)));
        }
        putShape(typeAndShape, kTensorShape, value.shape);
        tensorflow::TensorProto values;
        valuesToProto(value, values);
        putNumber(to, kTensor, typeAndShape.size() + values.ByteSizeLong());
        to += typeAndShape;
        appendSized(to, values);
    }
    template <typename T>
    void operator()(const std::vector<T>& values) const
    {
        tensorflow::AttrValue::ListValue list;
        setList(values, list);
        putMessage(to, kList, list);
    }
};

} // namespace

GraphWire::GraphWire()
{
    m_nodes.reserve(kFirstBytes);
}

void GraphWire::add(std::string_view name, std::string_view op, const std::vector<NodeRef>& inputs,
                    const Attrs& attrs, const std::vector<NodeRef>& controls)
{
    m_node.clear();
    putBytes(m_node, kName, name);
    putBytes(m_node, kOp, op);
    for (const NodeRef& input : inputs) {
        putBytes(m_node, kInput, input.output == 0 ? std::string_view(input.node) : input.tensor());
    }
    for (const NodeRef& control : controls) {
        putBytes(m_node, kInput, control.control());
    }
    addAttrs(attrs);
    putBytes(m_nodes, kNode, m_node);
    ++m_count;
}

/// In the order of their names.
void GraphWire::addAttrs(const Attrs& attrs)
{
    m_attrs.clear();
    for (const auto& attr : attrs) {
        m_attrs.push_back(&attr);
    }
    std::ranges::sort(m_attrs, {}, [](const auto* attr) { return std::string_view(attr->first); });
    for (const auto* attr : m_attrs) {
        m_value.clear();
        std::visit(AttrWriter{m_value}, attr->second.value());
        m_entry.clear();
        putBytes(m_entry, kKey, attr->first);
        putBytes(m_entry, kValue, m_value);
        putBytes(m_node, kAttr, m_entry);
    }
}

bool GraphWire::hasNode(std::string_view name) const
{
    std::string wanted;
    putBytes(wanted, kName, name);
    std::string_view rest = m_nodes;
    std::string_view node;
    while (!rest.empty()) {
        rest.remove_prefix(1);
        const bool isTaken = takeBytes(rest, node);
        CANNERY_CHECK(isTaken);
        if (node.starts_with(wanted)) {
            return true;
        }
    }
    return false;
}

std::string GraphWire::graph() const
{
    tensorflow::GraphDef rest;
    rest.mutable_versions()->set_producer(kProducerVersion);
    rest.mutable_versions()->set_min_consumer(kMinConsumerVersion);
    return m_nodes + rest.SerializeAsString();
}

} // namespace cannery::storage::detail
