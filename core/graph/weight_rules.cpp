// SPDX-License-Identifier: Apache-2.0
#include "core/graph/weight_rules.h"

#include <fmt/format.h>

#include <set>
#include <string>

namespace cannery::graph {

namespace {

constexpr ErrorKind kBadRegularizer{"graph.bad_regularizer", "The regularizer {}."};
constexpr ErrorKind kBadConstraint{"graph.bad_constraint", "The constraint {}."};

tl::unexpected<Error> refusePenalty(const std::string& why)
{
    return fail(ErrorCode::InvalidArgument, kBadRegularizer, why);
}

tl::unexpected<Error> refuseConstraint(const std::string& why)
{
    return fail(ErrorCode::InvalidArgument, kBadConstraint, why);
}

template <typename Message>
std::vector<std::int64_t> axesIn(const Message& message)
{
    return message.axis().empty()
               ? std::vector<std::int64_t>{0}
               : std::vector<std::int64_t>{message.axis().begin(), message.axis().end()};
}

Result<void> checkAxes(const std::vector<std::int64_t>& axes, const Shape& shape)
{
    std::set<std::int64_t> seen;
    for (const std::int64_t axis : axes) {
        if (axis < 0 || axis >= shape.rank()) {
            return refuseConstraint(
                fmt::format("has the axis {}, but a weight of shape {} has {} dimension(s), "
                            "counted from 0; choose among these",
                            axis, shape.toString(), shape.rank()));
        }
        if (!seen.insert(axis).second) {
            return refuseConstraint(fmt::format("has the axis {} twice; remove one", axis));
        }
    }
    return {};
}

} // namespace

Result<void> checkRegularizer(const spec::Regularizer& regularizer, const Shape& shape)
{
    switch (regularizer.kind_case()) {
    case spec::Regularizer::kL1L2:
        if (!(regularizer.l1_l2().l1() >= 0.0 && regularizer.l1_l2().l2() >= 0.0)) {
            return refusePenalty("l1_l2 has a factor below 0; give one that is not negative");
        }
        return {};
    case spec::Regularizer::kOrthogonal: {
        const spec::OrthogonalRegularizer& own = regularizer.orthogonal();
        if (!(own.factor() >= 0.0)) {
            return refusePenalty("orthogonal has a factor below 0; give one that is not negative");
        }
        if (shape.rank() != 2) {
            return refusePenalty(fmt::format(
                "orthogonal looks at a matrix, not at a shape of {}; remove it", shape.toString()));
        }
        // Keras divides by the number of pairs, which would be 0.
        const bool isByRows = own.mode() == spec::OrthogonalMode::rows;
        if (shape.dims[isByRows ? 0 : 1] < 2) {
            return refusePenalty(fmt::format("orthogonal compares {0}, but a shape of {1} has one; "
                                             "remove it, or choose the mode {2}",
                                             isByRows ? "rows" : "columns", shape.toString(),
                                             isByRows ? "columns" : "rows"));
        }
        return {};
    }
    case spec::Regularizer::KIND_NOT_SET:
        break;
    }
    return refusePenalty("is empty; name one, such as l1_l2 { l2: 0.01 }");
}

std::vector<std::int64_t> axesOf(const spec::Constraint& constraint)
{
    switch (constraint.kind_case()) {
    case spec::Constraint::kMaxNorm:
        return axesIn(constraint.max_norm());
    case spec::Constraint::kMinMaxNorm:
        return axesIn(constraint.min_max_norm());
    case spec::Constraint::kUnitNorm:
        return axesIn(constraint.unit_norm());
    case spec::Constraint::kNonNegative:
    case spec::Constraint::kRadial:
    case spec::Constraint::KIND_NOT_SET:
        break;
    }
    return {};
}

Result<void> checkConstraint(const spec::Constraint& constraint, const Shape& shape)
{
    if (constraint.kind_case() == spec::Constraint::KIND_NOT_SET) {
        return refuseConstraint("is empty; name one, such as max_norm {}");
    }
    if (constraint.has_min_max_norm() &&
        !(constraint.min_max_norm().min_value() <= constraint.min_max_norm().max_value())) {
        return refuseConstraint("min_max_norm has a min_value above its max_value; swap them");
    }
    // A single cell has no rings: in Keras it would be read before its beginning.
    if (constraint.has_radial() &&
        (shape.rank() != 4 || shape.dims[0] != shape.dims[1] || shape.dims[0] < 2)) {
        return refuseConstraint(
            fmt::format("radial needs a kernel of conv_2d with a height that equals its width, 2 "
                        "or more, not a shape of {}; remove it",
                        shape.toString()));
    }
    return checkAxes(axesOf(constraint), shape);
}

} // namespace cannery::graph
