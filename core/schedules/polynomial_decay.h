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

/// rate = (learning_rate - end) * (1 - step / S)^power + end, S = decay_steps and step at most S;
/// cycle: S = decay_steps * max(1, ceil(step / decay_steps)) (tf.compat.v1.train.polynomial_decay)
Result<std::unique_ptr<Schedule>> makePolynomialDecay(const spec::Schedule& message,
                                                      std::uint64_t seed);
/// See ScheduleRow::emit.
storage::NodeRef emitPolynomialDecay(const spec::Schedule& message,
                                     const storage::FloatNodes& nodes,
                                     const storage::NodeRef& step);

} // namespace cannery::schedules
