// SPDX-License-Identifier: Apache-2.0
#include "storage/tf/graph_def_builder.h"

#include "storage/tf/graph_text.h"
#include "storage/tf/proto_arena.h"
#include "storage/tf/proto_convert.h"
#include "storage/tf/schema/graph.pb.h"

#include <algorithm>
#include <cctype>
#include <unordered_map>
#include <unordered_set>

namespace cannery::storage {

namespace {

/// The version that TensorFlow 2.15 writes into its graphs.
constexpr int kProducerVersion = 1645;
constexpr int kMinConsumerVersion = 12;

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
        detail::toProto(value, *list.add_shape());
    }
}

/// Writes the active alternative of an attribute.
struct AttrWriter
{
    tensorflow::AttrValue& proto;

    void operator()(bool value) const { proto.set_b(value); }
    void operator()(std::int64_t value) const { proto.set_i(value); }
    void operator()(float value) const { proto.set_f(value); }
    void operator()(const std::string& value) const { proto.set_s(value); }
    void operator()(DType value) const { proto.set_type(static_cast<tensorflow::DataType>(value)); }
    void operator()(const Shape& value) const { detail::toProto(value, *proto.mutable_shape()); }
    void operator()(AttrValue::UnknownShape) const
    {
        proto.mutable_shape()->set_unknown_rank(true);
    }
    void operator()(const HostTensor& value) const
    {
        detail::toProto(value, *proto.mutable_tensor());
    }
    template <typename T>
    void operator()(const std::vector<T>& values) const
    {
        setList(values, *proto.mutable_list());
    }
};

std::string lowerCase(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

std::string fileNameOf(const std::string& path)
{
    return path.substr(path.find_last_of('/') + 1);
}

} // namespace

struct GraphDefBuilder::Nodes
{
    /// Thousands of small messages go with it at once.
    google::protobuf::Arena arena;
    tensorflow::GraphDef& graph = detail::onArena<tensorflow::GraphDef>(arena);
    /// Lower-case name → number of uses, as in TensorFlow.
    std::unordered_map<std::string, int> namesInUse;
    std::unordered_set<std::string_view> nodeNames;                       ///< those of the graph
    std::unordered_map<std::string_view, const GraphVariable*> variables; ///< by absolute name

    void append(std::string name, std::string_view op, const std::vector<NodeRef>& inputs,
                const Attrs& attrs, const std::vector<NodeRef>& controls);
};

void GraphDefBuilder::Nodes::append(std::string name, std::string_view op,
                                    const std::vector<NodeRef>& inputs, const Attrs& attrs,
                                    const std::vector<NodeRef>& controls)
{
    tensorflow::NodeDef* node = graph.add_node();
    node->set_name(std::move(name));
    const bool isNew = nodeNames.insert(node->name()).second;
    CANNERY_CHECK(isNew && !op.empty());
    node->set_op(std::string(op));
    for (const NodeRef& input : inputs) {
        CANNERY_CHECK(!input.node.empty());
        node->add_input(input.input());
    }
    for (const NodeRef& control : controls) {
        node->add_input(control.control());
    }
    for (const auto& [key, value] : attrs) {
        std::visit(AttrWriter{(*node->mutable_attr())[key]}, value.value());
    }
}

GraphDefBuilder::GraphDefBuilder() : m_nodes(std::make_unique<Nodes>())
{
    m_nodes->graph.mutable_versions()->set_producer(kProducerVersion);
    m_nodes->graph.mutable_versions()->set_min_consumer(kMinConsumerVersion);
}

GraphDefBuilder::GraphDefBuilder(GraphDefBuilder&&) noexcept = default;
GraphDefBuilder& GraphDefBuilder::operator=(GraphDefBuilder&&) noexcept = default;
GraphDefBuilder::~GraphDefBuilder() = default;

std::string GraphDefBuilder::uniqueName(std::string_view name)
{
    std::string full = m_scope.empty() ? std::string(name) : m_scope + "/" + std::string(name);
    int& uses = m_nodes->namesInUse[lowerCase(full)];
    if (uses == 0) {
        uses = 1;
        return full;
    }
    std::string candidate;
    do {
        candidate = full + "_" + std::to_string(uses++);
    } while (m_nodes->namesInUse.count(lowerCase(candidate)) != 0);
    m_nodes->namesInUse[lowerCase(candidate)] = 1;
    return candidate;
}

GraphDefBuilder::Scope GraphDefBuilder::enterScope(std::string_view name)
{
    std::string opened = uniqueName(name);
    return Scope(*this, std::exchange(m_scope, std::move(opened)));
}

GraphDefBuilder::Scope GraphDefBuilder::enterExactly(std::string_view absoluteName)
{
    return Scope(*this, std::exchange(m_scope, std::string(absoluteName)));
}

NodeRef GraphDefBuilder::add(std::string_view op, std::string_view name,
                             const std::vector<NodeRef>& inputs, const Attrs& attrs,
                             const std::vector<NodeRef>& controls)
{
    CANNERY_CHECK(!name.empty());
    std::string unique = uniqueName(name);
    m_nodes->append(unique, op, inputs, attrs, controls);
    return {std::move(unique), 0};
}

NodeRef GraphDefBuilder::constant(std::string_view name, const HostTensor& value)
{
    return add("Const", name, {}, {{"dtype", value.dtype}, {"value", value}});
}

NodeRef GraphDefBuilder::constant(std::string_view name, const char* value)
{
    return constant(name, HostTensor::scalarString(value));
}

NodeRef GraphDefBuilder::placeholder(std::string_view name, DType dtype, const Shape& shape)
{
    return add("Placeholder", name, {}, {{"dtype", dtype}, {"shape", shape}});
}

NodeRef GraphDefBuilder::identity(std::string_view name, const NodeRef& input, DType dtype)
{
    return add("Identity", name, {input}, {{"T", dtype}});
}

NodeRef GraphDefBuilder::group(std::string_view name, const std::vector<NodeRef>& operations)
{
    return add("NoOp", name, {}, {}, operations);
}

const GraphVariable& GraphDefBuilder::variable(const VariableSpec& spec)
{
    if (const auto known = m_nodes->variables.find(spec.name); known != m_nodes->variables.end()) {
        const GraphVariable& variable = *known->second;
        CANNERY_CHECK(variable.spec.shape == spec.shape && variable.spec.dtype == spec.dtype);
        return variable;
    }
    auto made = std::make_unique<GraphVariable>();
    made->spec = spec;
    const Attrs dtype{{"dtype", spec.dtype}};
    // A scope of this name may exist already; the variable must have it nevertheless, since it is
    // its key in the checkpoint.
    m_nodes->namesInUse.try_emplace(lowerCase(spec.name), 1);
    m_nodes->append(spec.name, "VarHandleOp", {},
                    {{"dtype", spec.dtype}, {"shape", spec.shape}, {"shared_name", spec.name}}, {});
    made->handle = {spec.name, 0};
    const Scope scope = enterExactly(spec.name);
    made->initialValue = constant("Initializer/zeros", HostTensor::zeros(spec.dtype, spec.shape));
    add("VarIsInitializedOp", "IsInitialized/VarIsInitializedOp", {made->handle});
    made->assign = add("AssignVariableOp", "Assign", {made->handle, made->initialValue}, dtype);
    made->read = add("ReadVariableOp", "Read/ReadVariableOp", {made->handle}, dtype);
    m_variables.push_back(std::move(made));
    const GraphVariable& variable = *m_variables.back();
    m_nodes->variables.emplace(variable.spec.name, &variable);
    return variable;
}

NodeRef GraphDefBuilder::asset(std::string_view name, const std::string& sourcePath)
{
    const std::string base = fileNameOf(sourcePath);
    std::string fileName = base;
    bool taken = true;
    for (int suffix = 1; taken; ++suffix) {
        taken = false;
        for (const GraphAsset& known : m_assets) {
            taken = taken || (known.fileName == fileName && known.sourcePath != sourcePath);
        }
        fileName = taken ? base + "_" + std::to_string(suffix) : fileName;
    }
    const NodeRef path = constant(name, HostTensor::scalarString(fileName));
    m_assets.push_back({path, fileName, sourcePath});
    return path;
}

void GraphDefBuilder::addTableInitializer(const NodeRef& operation)
{
    m_tableInitializers.push_back(operation);
}

bool GraphDefBuilder::hasNode(std::string_view absoluteName) const
{
    return m_nodes->nodeNames.contains(absoluteName);
}

std::size_t GraphDefBuilder::nodeCount() const
{
    return static_cast<std::size_t>(m_nodes->graph.node_size());
}

std::string GraphDefBuilder::serialized() const
{
    return detail::serializeDeterministically(m_nodes->graph);
}

std::string GraphDefBuilder::text() const
{
    return detail::graphText(m_nodes->graph);
}

} // namespace cannery::storage
