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

/// rate = values[i], i the number of boundaries below the step: at a boundary itself the earlier
/// value still applies (tf.compat.v1.train.piecewise_constant)
Result<std::unique_ptr<Schedule>> makePiecewiseConstant(const spec::Schedule& message,
                                                        std::uint64_t seed);
/// See ScheduleRow::emit.
storage::NodeRef emitPiecewiseConstant(const spec::Schedule& message,
                                       const storage::FloatNodes& nodes,
                                       const storage::NodeRef& step);

} // namespace cannery::schedules
