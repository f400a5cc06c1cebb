// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/export/gradient_rules.h"

/// Gradient rules of operations that move numbers or resize images; rows of gradientRules().
namespace cannery::exporting {

bool gradientOfTranspose(GradientCall& call);
bool gradientOfPad(GradientCall& call);
bool gradientOfTile(GradientCall& call);
bool gradientOfStridedSlice(GradientCall& call);
bool gradientOfSpaceToBatch(GradientCall& call);
bool gradientOfBatchToSpace(GradientCall& call);
bool gradientOfResizeNearestNeighbor(GradientCall& call);
bool gradientOfResizeBilinear(GradientCall& call);
bool gradientOfResizeBicubic(GradientCall& call);
bool gradientOfTransform(GradientCall& call);
/// By the kernel and by what TensorFlow calls out_backprop: the input of a transposed convolution.
bool gradientOfConvolutionBack(GradientCall& call);

} // namespace cannery::exporting
