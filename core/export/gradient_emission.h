// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/tf/graphs/float_nodes.h"
#include "storage/tf/graphs/graph_def_builder.h"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace cannery::exporting {

/// The gradient of a variable as nodes: of all elements, or of the rows that were looked up.
struct EmittedGradient
{
    storage::NodeRef values; ///< float32
    storage::NodeRef ids;    ///< int64 [n], repeated by lookups; of all elements if it has no node
};

/// Adds up the rows of the same id, as TensorFlow's optimizers do with IndexedSlices; a gradient of
/// all elements stays as it is.
EmittedGradient withoutDuplicates(const storage::FloatNodes& nodes,
                                  const EmittedGradient& gradient);

/// Where gradients come from.
struct GradientRoot
{
    storage::NodeRef output; ///< a float tensor of the graph
    storage::NodeRef grad;   ///< of the scalar that is differentiated, by it
};

/// Adds the nodes that compute the gradients of a scalar by variables, below the open scope: the
/// sum over its `roots`, one of which may depend on another. The rule of each operation is that of
/// TensorFlow's registry of gradients. The result has every variable that a root depends on, by
/// name. "export.no_gradient" for an operation without a rule here, such as the loop of a recurrent
/// network.
Result<std::map<std::string, EmittedGradient>> emitGradients(storage::GraphDefBuilder& graph,
                                                             std::span<const GradientRoot> roots);

} // namespace cannery::exporting
