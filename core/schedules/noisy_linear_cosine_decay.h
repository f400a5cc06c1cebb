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

/// rate = learning_rate * ((alpha + 1 - f + e) / 2 * (1 + cos(2 * pi * num_periods * f)) + beta),
/// with s = min(step, decay_steps), f = s / decay_steps and e normal noise of variance
/// initial_variance / (1 + s)^variance_decay (tf.compat.v1.train.noisy_linear_cosine_decay; Bello
/// et al. 2017). The noise is a function of seed and step, ours and not TensorFlow's.
Result<std::unique_ptr<Schedule>> makeNoisyLinearCosineDecay(const spec::Schedule& message,
                                                             std::uint64_t seed);

} // namespace cannery::schedules
