// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/layer.h"

#include <cstdint>
#include <span>

/// What several layers place on an accelerator.
namespace cannery::layers {

/// Steps that a product over all steps takes at once. However far the longest row of a batch is
/// rounded up, products have the same shape, so that a device computes them in the same way: what
/// is masked adds exact zeros, and no bit depends on the rest.
inline constexpr std::int64_t kStepsOfProduct = 8;

/// Memory of a layer's own gets a mirror for this program: after it, the program's at() knows it.
void placeOwn(kernels::AcceleratorProgram& program, std::span<float> memory);

/// Room for the gradient of at most `capacity` rows of a table.
kernels::DeviceSparse placedRows(kernels::AcceleratorProgram& program, std::int64_t capacity,
                                 std::int64_t cols, std::int64_t tableRows);

/// Room for the steps of a sequence, and for their gradient if it is wanted.
void placeSequence(const Placement& placement, ValueBuffer& sequence);

/// A product of matrices by time, on the accelerator; its precision is the placement's.
void placeStepProduct(const Placement& placement, const kernels::Product& product);
/// sums[c] = sum of column c of a matrix by time.
void placeStepSums(const Placement& placement, kernels::ConstMatrixView values, float* sums);

/// The gradient of a bias that was added to each row of `output`.
void placeBiasGradient(const Placement& placement, const ValueBuffer& output,
                       const GradientSegment& bias);

} // namespace cannery::layers
