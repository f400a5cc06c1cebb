// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/tf/graphs/graph_def_builder.h"

#include <map>
#include <string>
#include <vector>

namespace cannery::exporting {

/// The gradient of a variable as nodes: of all elements, or of the rows that were looked up.
struct EmittedGradient
{
    storage::NodeRef values; ///< float32
    storage::NodeRef ids;    ///< int64 [n], each once; of all elements if it has no node
};

/// Adds the nodes that compute the gradients of a scalar by variables, below the open scope.
/// `output` is a float tensor of the graph and `outputGrad` the scalar's gradient by it. The rule
/// of each operation is that of TensorFlow's registry of gradients. The result has every variable
/// that the output depends on, by name. "export.no_gradient" for an operation without a rule here,
/// such as the loop of a recurrent network.
Result<std::map<std::string, EmittedGradient>> emitGradients(storage::GraphDefBuilder& graph,
                                                             const storage::NodeRef& output,
                                                             const storage::NodeRef& outputGrad);

} // namespace cannery::exporting
