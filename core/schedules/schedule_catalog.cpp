// SPDX-License-Identifier: Apache-2.0
#include "core/schedules/schedule_catalog.h"

#include "core/base/catalog.h"
#include "core/schedules/constant.h"
#include "core/schedules/cosine_decay.h"
#include "core/schedules/cosine_decay_restarts.h"
#include "core/schedules/exponential_decay.h"
#include "core/schedules/inverse_time_decay.h"
#include "core/schedules/linear_cosine_decay.h"
#include "core/schedules/natural_exp_decay.h"
#include "core/schedules/noisy_linear_cosine_decay.h"
#include "core/schedules/piecewise_constant.h"
#include "core/schedules/polynomial_decay.h"
#include "core/schedules/warm_up.h"

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
    ScheduleRow{spec::Schedule::kNaturalExpDecay, "natural_exp_decay", makeNaturalExpDecay},
    ScheduleRow{spec::Schedule::kCosineDecayRestarts, "cosine_decay_restarts",
                makeCosineDecayRestarts},
    ScheduleRow{spec::Schedule::kLinearCosineDecay, "linear_cosine_decay", makeLinearCosineDecay},
    ScheduleRow{spec::Schedule::kNoisyLinearCosineDecay, "noisy_linear_cosine_decay",
                makeNoisyLinearCosineDecay},
};

} // namespace

std::span<const ScheduleRow> scheduleCatalog()
{
    return kCatalog;
}

Result<std::unique_ptr<Schedule>> makeSchedule(const spec::Schedule& message, std::uint64_t seed)
{
    const ScheduleRow* row = findRow(kCatalog, message.kind_case());
    if (row == nullptr) {
        return fail(ErrorCode::InvalidArgument, kNoSchedule);
    }
    CANNERY_TRY_ASSIGN(std::unique_ptr<Schedule> schedule, row->make(message, seed));
    if (message.warmup_steps() > 0) {
        return warmUp(std::move(schedule), message.warmup_steps(),
                      static_cast<float>(message.warmup_start()));
    }
    return schedule;
}

} // namespace cannery::schedules
