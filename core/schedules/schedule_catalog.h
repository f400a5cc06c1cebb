// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/schedules/schedule.h"
#include "core/spec/optimizers.pb.h"
#include "storage/tf/graphs/node_ref.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace cannery::storage {
class FloatNodes;
} // namespace cannery::storage

namespace cannery::schedules {

struct ScheduleRow
{
    spec::Schedule::KindCase key;
    std::string_view name; ///< of the field of spec::Schedule, and of TensorFlow's function
    /// Reads its own case of the message.
    Result<std::unique_ptr<Schedule>> (*make)(const spec::Schedule&, std::uint64_t seed);
    /// Adds the nodes of the rate of a step (a float32 scalar, from 0). Null: it has none.
    storage::NodeRef (*emit)(const spec::Schedule&, const storage::FloatNodes&,
                             const storage::NodeRef& step) = nullptr;
};

/// Every schedule, in the order of the schema.
std::span<const ScheduleRow> scheduleCatalog();

/// The schedule that the message describes, after its warm-up; noise is drawn with the seed. An
/// error if none is set, or if its numbers are inconsistent.
Result<std::unique_ptr<Schedule>> makeSchedule(const spec::Schedule& message, std::uint64_t seed);

/// Whether emitSchedule() knows the schedule.
bool canEmit(const spec::Schedule& message);
/// The rate of the step, after the warm-up, as nodes; see ScheduleRow::emit.
storage::NodeRef emitSchedule(const spec::Schedule& message, const storage::FloatNodes& nodes,
                              const storage::NodeRef& step);

} // namespace cannery::schedules
