// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/export/gradient_rules.h"

namespace cannery::exporting {

// Rules of the table in gradient_rules.cpp: products of several dimensions, softmax and negation.
bool gradientOfBatchMatMul(GradientCall& call);
bool gradientOfEinsum(GradientCall& call);
bool gradientOfNegation(GradientCall& call);
bool gradientOfSoftmax(GradientCall& call);

} // namespace cannery::exporting
