// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/spec/sweep.pb.h"

#include <cstdint>
#include <string>
#include <vector>

namespace cannery::sweep {

/// The most runs that a sweep may have.
inline constexpr std::int64_t kMostRuns = 100'000;

/// One parameter of a sweep: a choice among texts, or a range of numbers. A value of it is a
/// number: the index of a choice, or the number itself.
struct ParameterAxis
{
    std::string field;                ///< the path, as --set takes it
    std::vector<std::string> choices; ///< empty for a range
    double min = 0;
    double max = 0;
    bool isLogarithmic = false;
    bool isInteger = false;
    std::int64_t points = 0; ///< how many of a range a grid takes

    bool isChoice() const { return !choices.empty(); }
    /// The coordinate in which all values are equally likely: of a range the number, or its
    /// logarithm; whole numbers own half a unit to either side.
    double lowest() const;
    double highest() const;
    double coordinateOf(double value) const;
    /// The value at a coordinate, moved into the range, of six significant digits.
    double valueAt(double coordinate) const;
    /// As --set takes it.
    std::string textOf(double value) const;
    /// The values that a grid takes, in ascending order; rounded ones only once.
    std::vector<double> gridValues() const;
};

/// A value for each parameter, in the sweep's order.
using Point = std::vector<double>;

/// The parameters of a sweep and all combinations of their values. Immutable.
class ParameterSpace
{
public:
    /// "sweep.empty_parameter" for a parameter without values, or with a range that has none; a
    /// checked experiment has neither.
    static Result<ParameterSpace> create(const spec::Sweep& sweep);

    const std::vector<ParameterAxis>& axes() const { return m_axes; }

    /// The number of combinations of a grid, 1 without parameters; kMostRuns + 1 if there are more
    /// than kMostRuns.
    std::int64_t gridSize() const;
    /// One of them: the last parameter varies fastest. `index` in [0, gridSize()).
    Point gridPoint(std::int64_t index) const;
    /// A combination drawn at random: a pure function of seed and number.
    Point drawnPoint(std::uint64_t seed, std::int64_t number) const;
    /// "PATH=VALUE" for each parameter.
    std::vector<std::string> overrides(const Point& point) const;

private:
    std::vector<ParameterAxis> m_axes;
    std::vector<std::vector<double>> m_grid; ///< gridValues() of each
};

} // namespace cannery::sweep
