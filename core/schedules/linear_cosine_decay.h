// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/schedules/schedule.h"

#include <cstdint>
#include <memory>

namespace cannery::spec {
class Schedule;
}

namespace cannery::schedules {

/// rate = learning_rate * ((alpha + 1 - f) / 2 * (1 + cos(2 * pi * num_periods * f)) + beta), with
/// f = min(step, decay_steps) / decay_steps (tf.compat.v1.train.linear_cosine_decay; Bello et al.
/// 2017)
Result<std::unique_ptr<Schedule>> makeLinearCosineDecay(const spec::Schedule& message,
                                                        std::uint64_t seed);

} // namespace cannery::schedules
