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
/// What the message names, Keras's default for kernels if it names nothing.
spec::Initializer orGlorotUniform(const spec::Initializer& initializer);
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
/// an empty range, a negative standard deviation): "graph.bad_initializer".
Result<void> checkInitializer(const spec::Initializer& initializer, const Shape& shape);

} // namespace cannery::graph
