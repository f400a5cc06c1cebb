// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/schedules/schedule.h"

#include <memory>

namespace cannery::spec {
class Schedule;
}

namespace cannery::schedules {

/// rate = learning_rate
Result<std::unique_ptr<Schedule>> makeConstant(const spec::Schedule& message, std::uint64_t seed);

} // namespace cannery::schedules
