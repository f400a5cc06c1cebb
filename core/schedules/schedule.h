// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace cannery::schedules {

/// A learning rate as a function of the step: tf.compat.v1.train's decays, in their float32
/// arithmetic and order of evaluation. Immutable, so any thread may ask.
class Schedule
{
public:
    virtual ~Schedule() = default;

    /// The rate of the step that `step` steps came before.
    virtual float learningRate(std::int64_t step) const = 0;
};

} // namespace cannery::schedules
