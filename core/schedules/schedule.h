// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace cannery::schedules {

/// A learning rate as a function of the step: tf.compat.v1.train's decays, in their float32
/// arithmetic and order of evaluation. Immutable, thread-safe.
class Schedule
{
public:
    virtual ~Schedule() = default;

    /// The rate of the step that is preceded by `step` steps.
    virtual float learningRate(std::int64_t step) const = 0;
};

} // namespace cannery::schedules
