// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/tf/graphs/attr_value.h"
#include "storage/tf/graphs/node_ref.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// Only for the sources of storage/tf.
namespace cannery::storage::detail {

/// The nodes of a GraphDef in wire format, with the bytes that protobuf's deterministic
/// serialization has. A model of a wide table has several nodes for each of its columns; as
/// messages, each would be a dozen allocations.
class GraphWire
{
public:
    GraphWire();

    void add(std::string_view name, std::string_view op, const std::vector<NodeRef>& inputs,
             const Attrs& attrs, const std::vector<NodeRef>& controls);

    /// By its exact name; searches all nodes.
    bool hasNode(std::string_view name) const;
    std::size_t nodeCount() const { return m_count; }
    /// The nodes and, after them, the version that TensorFlow 2.15 writes into its graphs.
    std::string graph() const;

private:
    void addAttrs(const Attrs& attrs);

    std::string m_nodes;
    std::size_t m_count = 0;
    std::string m_node;                            ///< the node that is being added
    std::string m_entry;                           ///< the attribute that is being added
    std::string m_value;                           ///< its value
    std::vector<const Attrs::value_type*> m_attrs; ///< those of the node by their names
};

} // namespace cannery::storage::detail
