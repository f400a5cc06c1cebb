// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/base/shape.h"
#include "core/spec/weights.pb.h"

#include <cstdint>
#include <vector>

namespace cannery::graph {

/// Rejects a penalty that a weight of this shape cannot have: "graph.bad_regularizer".
Result<void> checkRegularizer(const spec::Regularizer& regularizer, const Shape& shape);

/// Rejects a constraint that a weight of this shape cannot be held to: "graph.bad_constraint".
Result<void> checkConstraint(const spec::Constraint& constraint, const Shape& shape);

/// The dimensions that the vectors of a constraint run along; {0} if it names none, as in Keras.
/// Empty for a constraint that looks at no vectors.
std::vector<std::int64_t> axesOf(const spec::Constraint& constraint);

} // namespace cannery::graph
