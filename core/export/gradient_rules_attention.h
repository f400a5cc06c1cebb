// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/export/gradient_rules.h"

namespace cannery::exporting {

// Rules of the table in gradient_rules.cpp: operations of attention and softmax, and of activation
// layers with parameters.
bool ofBatchMatMul(GradientCall& call);
bool ofEinsum(GradientCall& call);
bool ofNegative(GradientCall& call);
bool ofSoftmax(GradientCall& call);

} // namespace cannery::exporting
