// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/schedules/schedule.h"

#include <cstdint>
#include <memory>

namespace cannery::schedules {

/// For `steps` > 0 steps, rate = start + (schedule(0) - start) * step / steps; then schedule(step -
/// steps), as the warm-up of tf.keras.optimizers.schedules.CosineDecay.
std::unique_ptr<Schedule> warmUp(std::unique_ptr<Schedule> schedule, std::int64_t steps,
                                 float start);

} // namespace cannery::schedules
