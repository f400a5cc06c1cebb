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

/// Periods i = 0, 1, ... of first_decay_steps * t_mul^i steps; with f the fraction of a period that
/// has passed, rate = learning_rate * ((1 - alpha) * m_mul^i / 2 * (1 + cos(pi * f)) + alpha)
/// (tf.compat.v1.train.cosine_decay_restarts; Loshchilov and Hutter 2017)
Result<std::unique_ptr<Schedule>> makeCosineDecayRestarts(const spec::Schedule& message,
                                                          std::uint64_t seed);

} // namespace cannery::schedules
