// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/schedules/schedule.h"
#include "storage/tf/graphs/node_ref.h"

#include <memory>

namespace cannery::spec {
class Schedule;
}

namespace cannery::storage {
class FloatNodes;
} // namespace cannery::storage

namespace cannery::schedules {

/// rate = learning_rate
Result<std::unique_ptr<Schedule>> makeConstant(const spec::Schedule& message, std::uint64_t seed);
/// See ScheduleRow::emit.
storage::NodeRef emitConstant(const spec::Schedule& message, const storage::FloatNodes& nodes,
                              const storage::NodeRef& step);

} // namespace cannery::schedules
