// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/base/shape.h"
#include "core/spec/types.pb.h"

#include <cstdint>

namespace cannery::graph {

spec::Initializer zeros();
spec::Initializer ones();
spec::Initializer glorotUniform();
/// Of a gain of 1: Keras's default for recurrent kernels.
spec::Initializer orthogonal();
/// Values beyond two standard deviations are redrawn.
spec::Initializer truncatedNormal(double stddev);

/// fan_in and fan_out as in Keras: for a matrix its rows and columns, for a vector its length for
/// both, for a scalar 1; higher ranks multiply the last two by the product of the others.
struct Fans
{
    double in = 1.0;
    double out = 1.0;
};
Fans fansOf(const Shape& shape);

/// Rejects an initializer that cannot fill this shape (a constant with the wrong number of values,
/// an empty range, a negative standard deviation, a diagonal of what is no matrix):
/// "graph.bad_initializer".
Result<void> checkInitializer(const spec::Initializer& initializer, const Shape& shape);

} // namespace cannery::graph
