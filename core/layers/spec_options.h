// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/spec/types.pb.h"
#include "kernels/math/activations.h"
#include "kernels/ops/sparse_combine.h"

#include <string_view>

namespace cannery::layers {

/// The kernels' constants for those of the schema.
kernels::Activation activationOf(spec::Activation::Function function);
kernels::Combiner combinerOf(spec::Combiner::Kind kind);

} // namespace cannery::layers
