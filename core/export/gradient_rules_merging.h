// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/export/gradient_rules.h"

namespace cannery::exporting {

// Rows of gradientRules(): the operations of a dot layer, and of a batch normalization without
// beta.
bool gradientOfBatchMatMul(GradientCall& call);

} // namespace cannery::exporting
