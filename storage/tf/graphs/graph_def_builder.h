// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/tf/graphs/attr_value.h"
#include "storage/tf/graphs/node_ref.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::storage {

/// How TensorFlow treats the copies of a variable; with its numbers.
enum class VariableAggregation
{
    None = 0,
    OnlyFirstReplica = 3, ///< the global step
};

/// Options of GraphDefBuilder::variable().
struct VariableSpec
{
    std::string name; ///< absolute, the key in the checkpoint
    DType dtype = DType::Float32;
    Shape shape;
    bool trainable = true;
    VariableAggregation aggregation = VariableAggregation::None;
    bool inCollections = true; ///< false: no VariableDef, only nodes
};

/// The nodes of one resource variable.
struct GraphVariable
{
    VariableSpec spec;
    NodeRef handle;       ///< VarHandleOp, for ResourceGather and assignments
    NodeRef initialValue; ///< zeros: a SavedModel's values come from its checkpoint
    NodeRef assign;       ///< AssignVariableOp
    NodeRef read;         ///< ReadVariableOp: its value
};

/// A file that is part of the export, such as a vocabulary.
struct GraphAsset
{
    NodeRef path; ///< string constant that loaders feed with the file's new path
    std::string fileName;
    std::string sourcePath;
};

/// Builds a TensorFlow GraphDef node by node: the interface through which feature columns, layers
/// and heads emit themselves. Records variables, assets and table initializers for the SavedModel.
///
///     auto scope = graph.enterScope("dnn/hiddenlayer_0");
///     const NodeRef product = graph.add("MatMul", "MatMul", {input, weights.read},
///                                       {{"T", DType::Float32}});
///
/// Names are relative to the open scopes and made unique as in TensorFlow: "x", "x_1", "x_2". The
/// caller passes every attribute that has no default in TensorFlow and omits those that equal their
/// default. Not thread-safe.
class GraphDefBuilder
{
public:
    /// Closes its scope when it is destroyed.
    class Scope
    {
    public:
        Scope(GraphDefBuilder& graph, std::string previous)
            : m_graph(&graph), m_previous(std::move(previous))
        {}
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;
        ~Scope() { m_graph->m_scope = std::move(m_previous); }

    private:
        GraphDefBuilder* m_graph;
        std::string m_previous;
    };

    GraphDefBuilder();
    GraphDefBuilder(GraphDefBuilder&&) noexcept;
    GraphDefBuilder& operator=(GraphDefBuilder&&) noexcept;
    ~GraphDefBuilder();

    /// Opens a scope below the current one, made unique ("dnn_1" the second time).
    [[nodiscard]] Scope enterScope(std::string_view name);
    /// Opens exactly this absolute scope, even if it was used before; "" is the root.
    [[nodiscard]] Scope enterExactly(std::string_view absoluteName);
    /// The open scope, absolute, without a trailing slash; empty at the root.
    const std::string& scope() const { return m_scope; }

    /// One node; the result is its output 0. Controls run before it without passing a value.
    NodeRef add(std::string_view op, std::string_view name, const std::vector<NodeRef>& inputs = {},
                const Attrs& attrs = {}, const std::vector<NodeRef>& controls = {});

    NodeRef constant(std::string_view name, const HostTensor& value);
    NodeRef constant(std::string_view name, const char* value);
    /// A scalar.
    template <typename T>
    requires std::is_arithmetic_v<T> NodeRef constant(std::string_view name, T value)
    {
        return constant(name, HostTensor::scalar(value));
    }
    /// A vector, or a tensor of a shape.
    template <typename T>
    NodeRef constant(std::string_view name, const std::vector<T>& values)
    {
        return constant(name, vectorTensor(values));
    }
    template <typename T>
    NodeRef constant(std::string_view name, const std::vector<T>& values, Shape shape)
    {
        HostTensor tensor = vectorTensor(values);
        CANNERY_CHECK(shape.elementCount() == static_cast<std::int64_t>(values.size()));
        tensor.shape = std::move(shape);
        return constant(name, tensor);
    }
    /// Dimension -1 is unknown.
    NodeRef placeholder(std::string_view name, DType dtype, const Shape& shape);
    NodeRef identity(std::string_view name, const NodeRef& input, DType dtype);
    /// A NoOp that runs after all of these.
    NodeRef group(std::string_view name, const std::vector<NodeRef>& operations);

    /// The variable of this absolute name with its five nodes; created on the first call, the same
    /// afterwards (with the same shape and dtype).
    const GraphVariable& variable(const VariableSpec& spec);
    /// A string constant with the file's name that loaders replace by its path in the SavedModel.
    /// Two sources with the same file name get different names ("vocab.txt", "vocab.txt_1").
    NodeRef asset(std::string_view name, const std::string& sourcePath);
    /// An operation that fills a lookup table; runs when the SavedModel is loaded.
    void addTableInitializer(const NodeRef& operation);

    /// In order of creation.
    const std::vector<std::unique_ptr<GraphVariable>>& variables() const { return m_variables; }
    const std::vector<GraphAsset>& assets() const { return m_assets; }
    const std::vector<NodeRef>& tableInitializers() const { return m_tableInitializers; }

    bool hasNode(std::string_view absoluteName) const;
    std::size_t nodeCount() const;
    /// The GraphDef in wire format; the same calls give the same bytes.
    std::string serialized() const;

private:
    struct Nodes;

    template <typename T>
    static HostTensor vectorTensor(const std::vector<T>& values)
    {
        if constexpr (std::is_same_v<T, std::string>) {
            return HostTensor::ofStrings(values);
        } else {
            return HostTensor::of(values);
        }
    }
    /// Below the open scope.
    std::string absoluteName(std::string_view name) const;

    std::unique_ptr<Nodes> m_nodes;
    std::string m_scope;
    std::vector<std::unique_ptr<GraphVariable>> m_variables;
    std::vector<GraphAsset> m_assets;
    std::vector<NodeRef> m_tableInitializers;
};

} // namespace cannery::storage
