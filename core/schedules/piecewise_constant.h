// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/schedules/schedule.h"

#include <memory>

namespace cannery::spec {
class Schedule;
}

namespace cannery::schedules {

/// rate = values[i], i the number of boundaries below the step: a boundary itself still has the
/// lower value (tf.compat.v1.train.piecewise_constant)
Result<std::unique_ptr<Schedule>> makePiecewiseConstant(const spec::Schedule& message);

} // namespace cannery::schedules
