// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/export/gradient_rules.h"

/// Gradient rules of operations that recurrent layers emit; rows of gradientRules().
namespace cannery::exporting {

/// By what is split: the gradients of the parts side by side.
bool gradientOfSplit(GradientCall& call);
/// By what is taken apart along a dimension.
bool gradientOfUnpack(GradientCall& call);
/// Of a choice between two tensors of one shape.
bool gradientOfSelect(GradientCall& call);

} // namespace cannery::exporting
