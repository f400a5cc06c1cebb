// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/features/encoded_rows.h"
#include "core/plan/model.h"

#include <cstdint>

namespace cannery {

/// The loss of one step.
Result<double> trainOnce(plan::Model& model, const features::EncodedRows& rows, std::int64_t step);

/// Copies all state through StateTensor, as a checkpoint does; fails the test if it cannot.
void copyState(plan::Model& from, plan::Model& to);

} // namespace cannery
