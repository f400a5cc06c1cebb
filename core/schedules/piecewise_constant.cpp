// SPDX-License-Identifier: Apache-2.0
#include "core/schedules/piecewise_constant.h"

#include "core/spec/optimizers.pb.h"
#include "storage/tf/graphs/float_nodes.h"

#include <algorithm>
#include <vector>

namespace cannery::schedules {
namespace {

constexpr ErrorKind kWrongCount{
    "schedule.value_count",
    "The schedule piecewise_constant has {} boundaries and {} values. Give one value more than "
    "there are boundaries: one before the first, one after each."};
constexpr ErrorKind kNotAscending{
    "schedule.boundaries_not_ascending",
    "The boundaries of the schedule piecewise_constant have {} after {}. Give them in ascending "
    "order."};

class PiecewiseConstant : public Schedule
{
public:
    explicit PiecewiseConstant(const spec::PiecewiseConstant& message)
        : m_boundaries(message.boundaries().begin(), message.boundaries().end()),
          m_values(message.values().begin(), message.values().end())
    {}

    float learningRate(std::int64_t step) const override
    {
        const auto at = std::lower_bound(m_boundaries.begin(), m_boundaries.end(), step);
        return m_values[static_cast<std::size_t>(at - m_boundaries.begin())];
    }

private:
    std::vector<std::int64_t> m_boundaries;
    std::vector<float> m_values;
};

} // namespace

Result<std::unique_ptr<Schedule>> makePiecewiseConstant(const spec::Schedule& message,
                                                        std::uint64_t)
{
    const auto& boundaries = message.piecewise_constant().boundaries();
    const auto& values = message.piecewise_constant().values();
    if (boundaries.empty() || values.size() != boundaries.size() + 1) {
        return fail(ErrorCode::InvalidArgument, kWrongCount, boundaries.size(), values.size());
    }
    const auto down = std::adjacent_find(boundaries.begin(), boundaries.end(),
                                         [](auto a, auto b) { return b <= a; });
    if (down != boundaries.end()) {
        return fail(ErrorCode::InvalidArgument, kNotAscending, *(down + 1), *down);
    }
    return std::make_unique<PiecewiseConstant>(message.piecewise_constant());
}

/// Each boundary still belongs to the value before it. (Steps are whole in float32 up to 2^24.)
storage::NodeRef emitPiecewiseConstant(const spec::Schedule& message,
                                       const storage::FloatNodes& nodes,
                                       const storage::NodeRef& step)
{
    const spec::PiecewiseConstant& pieces = message.piecewise_constant();
    storage::NodeRef rate = nodes.number(static_cast<float>(pieces.values(0)));
    for (int piece = 0; piece < pieces.boundaries_size(); ++piece) {
        const storage::NodeRef isPast = nodes.holds(
            "Greater", step, nodes.number(static_cast<float>(pieces.boundaries(piece))));
        rate =
            nodes.select(isPast, nodes.number(static_cast<float>(pieces.values(piece + 1))), rate);
    }
    return rate;
}

} // namespace cannery::schedules
