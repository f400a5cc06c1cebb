// SPDX-License-Identifier: Apache-2.0
#include "core/data/quantile_sketch.h"

#include "core/data/rows/keyed_permutation.h"

#include <algorithm>
#include <cmath>

namespace cannery::data {

/// Of fewer values no quantiles could be told apart.
QuantileSketch::QuantileSketch(std::size_t capacity)
    : m_capacity(std::max<std::size_t>(capacity, 16))
{}

void QuantileSketch::addAll(std::span<const double> values)
{
    while (!values.empty()) {
        const std::size_t room = m_capacity - m_values.size();
        // As long as there is room, every value is kept, and the quantiles are exact.
        if (m_weight == 1 && room > 0) {
            const std::size_t some = std::min(room, values.size());
            m_values.insert(m_values.end(), values.begin(),
                            values.begin() + static_cast<std::ptrdiff_t>(some));
            m_groups += some;
            values = values.subspan(some);
            continue;
        }
        // Of each group of `weight` values, one stands for all of them.
        const std::uint64_t ahead = m_left - m_taken; // wraps when the group's one is taken
        if (m_left >= m_taken && ahead < values.size()) {
            take(values[ahead]);
        }
        // The group goes on with the values of the next call.
        if (values.size() <= m_left) {
            m_left -= values.size();
            return;
        }
        values = values.subspan(m_left + 1);
        beginGroup();
    }
}

void QuantileSketch::take(double value)
{
    if (m_values.size() == m_capacity) {
        const std::size_t pairs = m_values.size() / 2;
        // One of each pair, by chance but always the same: the first would favour sorted input.
        for (std::size_t pair = 0; pair < pairs; ++pair) {
            m_values[pair] = m_values[2 * pair + (mixBits(pair ^ m_weight << 32U) & 1U)];
        }
        m_values.resize(pairs);
        m_weight *= 2;
    }
    m_values.push_back(value);
}

void QuantileSketch::beginGroup()
{
    // The weight is a power of two; the group ends when m_left has counted down from weight - 1.
    m_left = m_weight - 1;
    // By the number of the group, so that the same values give the same sketch.
    m_taken = mixBits(m_groups++) & (m_weight - 1);
}

std::vector<double> QuantileSketch::quantiles(std::size_t parts) const
{
    std::vector<double> found;
    std::vector<double> sorted = m_values;
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t part = 0; part <= parts && !sorted.empty(); ++part) {
        const double rank = static_cast<double>(sorted.size() - 1) * static_cast<double>(part) /
                            static_cast<double>(parts);
        const auto below = static_cast<std::size_t>(rank);
        // Between two values, in proportion.
        const double low = sorted[below];
        const double high = sorted[std::min(below + 1, sorted.size() - 1)];
        found.push_back(low + (high - low) * (rank - std::floor(rank)));
    }
    return found;
}

double QuantileSketch::lowerMedian() const
{
    if (m_values.empty()) {
        return 0;
    }
    std::vector<double> values = m_values;
    // The lower one is a value of the column, unlike the mean of two.
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

} // namespace cannery::data
