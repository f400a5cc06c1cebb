// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/tf/graphs/graph_def_builder.h"

#include <string>
#include <vector>

namespace cannery::heads {

/// The inputs of a head in a graph for training or evaluation; floats laid out as in HeadBatch.
struct SupervisedInputs
{
    storage::NodeRef logits;  ///< [batch, logitsWidth]
    storage::NodeRef labels;  ///< [batch, labelWidth]
    storage::NodeRef weights; ///< [batch, weightWidth]; all 1 if it has no node
};

/// A metric as nodes: run `update` for each batch, then `value`.
struct MetricNodes
{
    std::string name;
    storage::NodeRef value;  ///< float32 scalar over all batches
    storage::NodeRef update; ///< an empty float32 tensor
};

/// What a head adds to a graph for training or evaluation.
struct SupervisedNodes
{
    storage::NodeRef loss;            ///< float32 scalar, of the batch
    storage::NodeRef logitsGrad;      ///< d loss / d logits, [batch, logitsWidth]
    std::vector<MetricNodes> metrics; ///< TensorFlow's, without `loss`; only if asked for
    std::vector<storage::GraphVariable> localVariables; ///< of the metrics
};

/// A head whose training and evaluation TensorFlow's own nodes can express.
class SupervisedHead
{
public:
    virtual ~SupervisedHead() = default;

    /// Adds the nodes below the open scope, which is the head's.
    virtual SupervisedNodes emitSupervised(storage::GraphDefBuilder& graph,
                                           const SupervisedInputs& inputs,
                                           bool withMetrics) const = 0;
};

} // namespace cannery::heads
