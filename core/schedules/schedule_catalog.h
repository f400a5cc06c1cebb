// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/schedules/schedule.h"
#include "core/spec/optimizers.pb.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace cannery::schedules {

struct ScheduleRow
{
    spec::Schedule::KindCase key;
    std::string_view name; ///< of the field of spec::Schedule, and of TensorFlow's function
    /// Reads its own case of the message.
    Result<std::unique_ptr<Schedule>> (*make)(const spec::Schedule&, std::uint64_t seed);
};

/// Every schedule, in the order of the schema.
std::span<const ScheduleRow> scheduleCatalog();

/// The schedule that the message describes, after its warm-up; noise is drawn with the seed. An
/// error if none is set, or if its numbers are inconsistent.
Result<std::unique_ptr<Schedule>> makeSchedule(const spec::Schedule& message, std::uint64_t seed);

} // namespace cannery::schedules
