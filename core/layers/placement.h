// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/layer.h"

#include <cstdint>
#include <span>

/// What several layers place on an accelerator.
namespace cannery::layers {

/// Memory of a layer's own gets a mirror for this program: after it, the program's at() knows it.
void placeOwn(kernels::AcceleratorProgram& program, std::span<float> memory);

/// Room for the gradient of at most `capacity` rows of a table.
kernels::DeviceSparse placedRows(kernels::AcceleratorProgram& program, std::int64_t capacity,
                                 std::int64_t cols, std::int64_t tableRows);

/// The gradient of a bias that was added to each row of `output`.
void placeBiasGradient(const Placement& placement, const ValueBuffer& output,
                       const GradientSegment& bias);

} // namespace cannery::layers
