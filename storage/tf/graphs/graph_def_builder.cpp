// SPDX-License-Identifier: Apache-2.0
#include "storage/tf/graphs/graph_def_builder.h"

#include "storage/tf/checkpoints/name_table.h"
#include "storage/tf/graphs/graph_wire.h"

#include <algorithm>
#include <memory_resource>
#include <unordered_map>
#include <utility>

namespace cannery::storage {

namespace {

std::string fileNameOf(const std::string& path)
{
    return path.substr(path.find_last_of('/') + 1);
}

} // namespace

struct GraphDefBuilder::Nodes
{
    detail::GraphWire wire;
    detail::NameTable names;
    std::pmr::monotonic_buffer_resource memory; ///< of the table below, which only grows
    /// By absolute name.
    std::pmr::unordered_map<std::string_view, const GraphVariable*> variables{&memory};

    /// `use`: that of the name.
    void append(std::string_view name, detail::NameUse& use, std::string_view op,
                const std::vector<NodeRef>& inputs, const Attrs& attrs,
                const std::vector<NodeRef>& controls);
    /// A name that nothing has yet.
    std::pair<std::string, detail::NameUse&> uniqueName(std::string full);
};

void GraphDefBuilder::Nodes::append(std::string_view name, detail::NameUse& use,
                                    std::string_view op, const std::vector<NodeRef>& inputs,
                                    const Attrs& attrs, const std::vector<NodeRef>& controls)
{
    CANNERY_CHECK(!op.empty());
    CANNERY_CHECK(!use.isNode || !wire.hasNode(name)); // only variables differ in case alone
    use.isNode = true;
    CANNERY_CHECK(std::ranges::none_of(inputs, &std::string::empty, &NodeRef::node));
    wire.add(name, op, inputs, attrs, controls);
}

std::pair<std::string, detail::NameUse&> GraphDefBuilder::Nodes::uniqueName(std::string full)
{
    detail::NameUse& use = names.useOf(full);
    if (use.count == 0) {
        use.count = 1;
        return {std::move(full), use};
    }
    // As tf.Graph.unique_name(): name_1, name_2 …, whatever the case of the letters.
    std::string candidate;
    detail::NameUse* useOfCandidate = nullptr;
    do {
        candidate = full + "_" + std::to_string(use.count++);
        useOfCandidate = &names.useOf(candidate);
    } while (useOfCandidate->count != 0);
    useOfCandidate->count = 1;
    return {std::move(candidate), *useOfCandidate};
}

GraphDefBuilder::GraphDefBuilder() : m_nodes(std::make_unique<Nodes>()) {}
GraphDefBuilder::GraphDefBuilder(GraphDefBuilder&&) noexcept = default;
GraphDefBuilder& GraphDefBuilder::operator=(GraphDefBuilder&&) noexcept = default;
GraphDefBuilder::~GraphDefBuilder() = default;

std::string GraphDefBuilder::absoluteName(std::string_view name) const
{
    std::string absolute;
    absolute.reserve(m_scope.size() + 1 + name.size());
    if (!m_scope.empty()) {
        absolute.append(m_scope).push_back('/');
    }
    return absolute.append(name);
}

GraphDefBuilder::Scope GraphDefBuilder::enterScope(std::string_view name)
{
    std::string opened = m_nodes->uniqueName(absoluteName(name)).first;
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
    auto [unique, use] = m_nodes->uniqueName(absoluteName(name));
    m_nodes->append(unique, use, op, inputs, attrs, controls);
    return {std::move(unique), 0};
}

NodeRef GraphDefBuilder::constant(std::string_view name, const HostTensor& value)
{
    Attrs attrs;
    attrs.reserve(2);
    attrs.emplace_back("dtype", value.dtype);
    attrs.emplace_back("value", value); // copied once: a list in braces copies again
    return add("Const", name, {}, attrs);
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
    detail::NameUse& use = m_nodes->names.useOf(spec.name);
    use.count = std::max(use.count, 1);
    m_nodes->append(spec.name, use, "VarHandleOp", {},
                    {{"dtype", spec.dtype}, {"shape", spec.shape}, {"shared_name", spec.name}}, {});
    made->handle = {spec.name, 0};
    // The nodes and names of a resource variable in a graph of TensorFlow 1.
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
    return m_nodes->wire.hasNode(absoluteName);
}

std::size_t GraphDefBuilder::nodeCount() const
{
    return m_nodes->wire.nodeCount();
}

std::string GraphDefBuilder::serialized() const
{
    return m_nodes->wire.graph();
}

} // namespace cannery::storage
