// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/export/gradient_rules.h"

namespace cannery::exporting {

// Rules of the table in gradient_rules.cpp: Einsum, Neg and Softmax, which attention and activation
// layers emit.
bool ofEinsum(GradientCall& call);
bool ofNegative(GradientCall& call);
bool ofSoftmax(GradientCall& call);

} // namespace cannery::exporting
