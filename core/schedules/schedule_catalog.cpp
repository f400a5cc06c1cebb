// SPDX-License-Identifier: Apache-2.0
#include "core/schedules/schedule_catalog.h"

#include "core/base/catalog.h"
#include "core/schedules/constant.h"
#include "core/schedules/cosine_decay.h"
#include "core/schedules/exponential_decay.h"
#include "core/schedules/inverse_time_decay.h"
#include "core/schedules/piecewise_constant.h"
#include "core/schedules/polynomial_decay.h"

#include <array>

namespace cannery::schedules {
namespace {

constexpr ErrorKind kNoSchedule{
    "schedule.none",
    "The learning_rate_schedule is empty. Name one of its kinds, such as exponential_decay."};

constexpr std::array kCatalog{
    ScheduleRow{spec::Schedule::kConstant, "constant", makeConstant},
    ScheduleRow{spec::Schedule::kExponentialDecay, "exponential_decay", makeExponentialDecay},
    ScheduleRow{spec::Schedule::kPolynomialDecay, "polynomial_decay", makePolynomialDecay},
    ScheduleRow{spec::Schedule::kCosineDecay, "cosine_decay", makeCosineDecay},
    ScheduleRow{spec::Schedule::kPiecewiseConstant, "piecewise_constant", makePiecewiseConstant},
    ScheduleRow{spec::Schedule::kInverseTimeDecay, "inverse_time_decay", makeInverseTimeDecay},
};

} // namespace

std::span<const ScheduleRow> scheduleCatalog()
{
    return kCatalog;
}

Result<std::unique_ptr<Schedule>> makeSchedule(const spec::Schedule& message)
{
    const ScheduleRow* row = findRow(kCatalog, message.kind_case());
    if (row == nullptr) {
        return fail(ErrorCode::InvalidArgument, kNoSchedule);
    }
    return row->make(message);
}

} // namespace cannery::schedules
