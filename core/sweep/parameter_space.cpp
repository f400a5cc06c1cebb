// SPDX-License-Identifier: Apache-2.0
#include "core/sweep/parameter_space.h"

#include "kernels/device/random.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>

namespace cannery::sweep {

namespace {

constexpr ErrorKind kEmptyParameter{
    "sweep.empty_parameter", "The parameter {} has no values: give a choice, or a range from a "
                             "smaller number to a greater one."};

constexpr double kHalf = 0.5;

ParameterAxis axisOf(const spec::SweepParameter& parameter)
{
    const spec::SweepRange& range = parameter.range();
    return {.field = parameter.field(),
            .choices = {parameter.choice().value().begin(), parameter.choice().value().end()},
            .min = range.integer() ? std::ceil(range.min()) : range.min(),
            .max = range.integer() ? std::floor(range.max()) : range.max(),
            .isLogarithmic = range.log(),
            .isInteger = range.integer(),
            .points = range.points()};
}

bool hasNumbers(const ParameterAxis& range)
{
    return std::isfinite(range.min) && std::isfinite(range.max) && range.min <= range.max &&
           (!range.isLogarithmic || range.min > 0);
}

/// With six significant digits: people read these numbers.
double shortened(double value)
{
    const std::string text = fmt::format("{:.6g}", value);
    double number = value;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

} // namespace

double ParameterAxis::lowest() const
{
    return isChoice() ? 0 : coordinateOf(isInteger ? min - kHalf : min);
}

double ParameterAxis::highest() const
{
    return isChoice() ? static_cast<double>(choices.size())
                      : coordinateOf(isInteger ? max + kHalf : max);
}

double ParameterAxis::coordinateOf(double value) const
{
    return isLogarithmic ? std::log(value) : value;
}

double ParameterAxis::valueAt(double coordinate) const
{
    if (isChoice()) {
        return std::clamp(std::floor(coordinate), 0.0, static_cast<double>(choices.size() - 1));
    }
    const double value = isLogarithmic ? std::exp(coordinate) : coordinate;
    return std::clamp(isInteger ? std::round(value) : shortened(value), min, max);
}

std::string ParameterAxis::textOf(double value) const
{
    if (isChoice()) {
        return choices[static_cast<std::size_t>(value)];
    }
    return isInteger ? fmt::format("{:.0f}", value) : fmt::format("{}", value);
}

std::vector<double> ParameterAxis::gridValues() const
{
    std::vector<double> values;
    if (isChoice()) {
        for (std::size_t i = 0; i < choices.size(); ++i) {
            values.push_back(static_cast<double>(i));
        }
        return values;
    }
    const double from = coordinateOf(min);
    const double to = coordinateOf(max);
    for (std::int64_t i = 0; i < points; ++i) {
        const double share = static_cast<double>(i) / static_cast<double>(points - 1);
        values.push_back(valueAt(from + share * (to - from)));
    }
    // A logarithm there and back need not arrive where it began.
    values.front() = min;
    values.back() = max;
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
}

Result<ParameterSpace> ParameterSpace::create(const spec::Sweep& sweep)
{
    ParameterSpace space;
    for (const spec::SweepParameter& parameter : sweep.parameter()) {
        ParameterAxis axis = axisOf(parameter);
        const bool isUsable = parameter.has_range() && axis.points >= 2 && hasNumbers(axis);
        if (!axis.isChoice() && !isUsable) {
            return fail(ErrorCode::InvalidArgument, kEmptyParameter, axis.field);
        }
        space.m_grid.push_back(axis.gridValues());
        space.m_axes.push_back(std::move(axis));
    }
    return space;
}

std::int64_t ParameterSpace::gridSize() const
{
    std::int64_t size = 1;
    for (const std::vector<double>& values : m_grid) {
        size = std::min(size * std::min(std::ssize(values), kMostRuns + 1), kMostRuns + 1);
    }
    return size;
}

Point ParameterSpace::gridPoint(std::int64_t index) const
{
    Point point(m_grid.size());
    for (std::size_t axis = m_grid.size(); axis-- > 0;) {
        const auto count = std::ssize(m_grid[axis]);
        point[axis] = m_grid[axis][static_cast<std::size_t>(index % count)];
        index /= count;
    }
    return point;
}

Point ParameterSpace::drawnPoint(std::uint64_t seed, std::int64_t number) const
{
    kernels::RandomStream random(seed, static_cast<std::uint64_t>(number));
    Point point;
    for (const ParameterAxis& axis : m_axes) {
        // 53 bits: a float's 24 would show in a logarithmic range of many decades.
        const double share = static_cast<double>(random.nextBits64() >> 11U) * 0x1p-53;
        point.push_back(axis.valueAt(axis.lowest() + share * (axis.highest() - axis.lowest())));
    }
    return point;
}

std::vector<std::string> ParameterSpace::overrides(const Point& point) const
{
    std::vector<std::string> assignments;
    for (std::size_t axis = 0; axis < m_axes.size(); ++axis) {
        assignments.push_back(m_axes[axis].field + "=" + m_axes[axis].textOf(point[axis]));
    }
    return assignments;
}

} // namespace cannery::sweep
