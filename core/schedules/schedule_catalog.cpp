// SPDX-License-Identifier: Apache-2.0
#include "core/schedules/schedule_catalog.h"

#include "core/base/catalog.h"
#include "core/base/check.h"
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
#include "storage/tf/graphs/float_nodes.h"

#include <array>

namespace cannery::schedules {
namespace {

constexpr ErrorKind kNoSchedule{
    "schedule.none",
    "The learning_rate_schedule is empty. Name one of its kinds, such as exponential_decay."};

constexpr std::array kCatalog{
    ScheduleRow{spec::Schedule::kConstant, "constant", makeConstant, emitConstant},
    ScheduleRow{spec::Schedule::kExponentialDecay, "exponential_decay", makeExponentialDecay,
                emitExponentialDecay},
    ScheduleRow{spec::Schedule::kPolynomialDecay, "polynomial_decay", makePolynomialDecay,
                emitPolynomialDecay},
    ScheduleRow{spec::Schedule::kCosineDecay, "cosine_decay", makeCosineDecay, emitCosineDecay},
    ScheduleRow{spec::Schedule::kPiecewiseConstant, "piecewise_constant", makePiecewiseConstant,
                emitPiecewiseConstant},
    ScheduleRow{spec::Schedule::kInverseTimeDecay, "inverse_time_decay", makeInverseTimeDecay,
                emitInverseTimeDecay},
    ScheduleRow{spec::Schedule::kNaturalExpDecay, "natural_exp_decay", makeNaturalExpDecay,
                emitNaturalExpDecay},
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

bool canEmit(const spec::Schedule& message)
{
    const ScheduleRow* row = findRow(kCatalog, message.kind_case());
    return row != nullptr && row->emit != nullptr;
}

storage::NodeRef emitSchedule(const spec::Schedule& message, const storage::FloatNodes& nodes,
                              const storage::NodeRef& step)
{
    const ScheduleRow* row = findRow(kCatalog, message.kind_case());
    CANNERY_CHECK(row != nullptr && row->emit != nullptr);
    if (message.warmup_steps() <= 0) {
        return row->emit(message, nodes, step);
    }
    const storage::NodeRef length = nodes.number(static_cast<float>(message.warmup_steps()));
    const storage::NodeRef start = nodes.number(static_cast<float>(message.warmup_start()));
    const storage::NodeRef first = row->emit(message, nodes, nodes.number(0.0F));
    const storage::NodeRef rising =
        nodes.add(nodes.multiply(nodes.subtract(first, start), nodes.divide(step, length)), start);
    return nodes.select(nodes.holds("Greater", length, step), rising,
                        row->emit(message, nodes, nodes.subtract(step, length)));
}

} // namespace cannery::schedules
