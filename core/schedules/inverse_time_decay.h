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

/// rate = learning_rate / (1 + decay_rate * step / decay_steps); staircase: floor(step /
/// decay_steps) (tf.compat.v1.train.inverse_time_decay)
Result<std::unique_ptr<Schedule>> makeInverseTimeDecay(const spec::Schedule& message,
                                                       std::uint64_t seed);
/// See ScheduleRow::emit.
storage::NodeRef emitInverseTimeDecay(const spec::Schedule& message,
                                      const storage::FloatNodes& nodes,
                                      const storage::NodeRef& step);

} // namespace cannery::schedules
