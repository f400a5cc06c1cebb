// SPDX-License-Identifier: Apache-2.0
#include "core/sweep/parzen_density.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>

namespace cannery::sweep {

namespace {

/// A range is at most so many times as long as a bump is wide, or chance alone would decide
/// between values that were tried; fewer while there are few.
constexpr double kMostBumpsAcross = 100;

double uniform(kernels::RandomStream& random)
{
    return static_cast<double>(random.nextBits64() >> 11U) * 0x1p-53;
}

/// Of the standard normal distribution.
double cumulative(double deviations)
{
    return 0.5 * std::erfc(-deviations / std::numbers::sqrt2);
}

} // namespace

ParzenDensity::ParzenDensity(const ParameterAxis& axis, const std::vector<double>& values)
    : m_axis(&axis)
{
    if (axis.isChoice()) {
        m_shares.assign(axis.choices.size(), 1);
        for (const double value : values) {
            ++m_shares[static_cast<std::size_t>(value)];
        }
        for (double& share : m_shares) {
            share /= static_cast<double>(axis.choices.size() + values.size());
        }
        return;
    }
    std::vector<double> places;
    for (const double value : values) {
        places.push_back(axis.coordinateOf(value));
    }
    std::sort(places.begin(), places.end());
    const auto count = static_cast<double>(places.size());
    for (std::size_t i = 0; i < places.size(); ++i) {
        const double left = i == 0 ? axis.lowest() : places[i - 1];
        const double right = i + 1 == places.size() ? axis.highest() : places[i + 1];
        const double width = std::max(places[i] - left, right - places[i]);
        Bump bump{
            .mean = places[i],
            .width = std::clamp(width, length() / std::min(kMostBumpsAcross, 1 + count), length())};
        bump.inside = cumulative((axis.highest() - bump.mean) / bump.width) -
                      cumulative((axis.lowest() - bump.mean) / bump.width);
        m_bumps.push_back(bump);
    }
}

double ParzenDensity::draw(kernels::RandomStream& random) const
{
    if (m_axis->isChoice()) {
        double rest = uniform(random);
        std::size_t choice = 0;
        while (choice + 1 < m_shares.size() && rest >= m_shares[choice]) {
            rest -= m_shares[choice++];
        }
        return static_cast<double>(choice);
    }
    const std::uint64_t component = random.nextBelow(m_bumps.size() + 1);
    if (component == m_bumps.size()) {
        return m_axis->valueAt(m_axis->lowest() + uniform(random) * length());
    }
    const Bump& bump = m_bumps[component];
    double place = 0;
    do { // the mean is within, and the range at least as long as the bump is wide
        place = bump.mean + bump.width * random.nextNormal();
    } while (place < m_axis->lowest() || place > m_axis->highest());
    return m_axis->valueAt(place);
}

double ParzenDensity::logDensity(double value) const
{
    if (m_axis->isChoice()) {
        return std::log(m_shares[static_cast<std::size_t>(value)]);
    }
    const double place = m_axis->coordinateOf(value);
    double sum = 1 / length();
    for (const Bump& bump : m_bumps) {
        const double deviations = (place - bump.mean) / bump.width;
        sum += std::exp(-0.5 * deviations * deviations) /
               (bump.inside * bump.width * std::sqrt(2 * std::numbers::pi));
    }
    return std::log(sum / static_cast<double>(m_bumps.size() + 1));
}

} // namespace cannery::sweep
