// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/tf/graphs/graph_def_builder.h"

namespace cannery::layers {

/// Random numbers in training graphs, by TensorFlow's own operations: other ones than we drew.

/// Uniform in [0, 1) of a shape, an int32 vector.
storage::NodeRef emitUniform(storage::GraphDefBuilder& graph, const storage::NodeRef& shape,
                             const char* name = "dropout/random_uniform");
/// Of mean 0 and variance 1.
storage::NodeRef emitNormal(storage::GraphDefBuilder& graph, const storage::NodeRef& shape);

/// As tf.nn.dropout: drops with probability `rate`, below 1, and scales the others up; numbers for
/// which a draw of this shape is broadcast share their fate.
storage::NodeRef emitDropout(storage::GraphDefBuilder& graph, const storage::NodeRef& input,
                             float rate, const storage::NodeRef& shape);

} // namespace cannery::layers
