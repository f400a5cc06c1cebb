#include "core/data/quantile_sketch.h"

#include "core/data/keyed_permutation.h"

#include <algorithm>
#include <cmath>

namespace cannery::data {

QuantileSketch::QuantileSketch(std::size_t capacity)
    : m_capacity(std::max<std::size_t>(capacity, 16))
{}

void QuantileSketch::take(double value)
{
    if (m_values.size() == m_capacity) {
        const std::size_t pairs = m_values.size() / 2;
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
    m_taken = mixBits(m_groups++) & (m_weight - 1);
}

std::vector<double> QuantileSketch::samples() const
{
    std::vector<double> sorted = m_values;
    std::sort(sorted.begin(), sorted.end());
    return sorted;
}

std::vector<double> QuantileSketch::quantiles(std::size_t parts) const
{
    std::vector<double> found;
    const std::vector<double> sorted = samples();
    for (std::size_t part = 0; part <= parts && !sorted.empty(); ++part) {
        const double rank = static_cast<double>(sorted.size() - 1) * static_cast<double>(part) /
                            static_cast<double>(parts);
        const auto below = static_cast<std::size_t>(rank);
        const double low = sorted[below];
        const double high = sorted[std::min(below + 1, sorted.size() - 1)];
        found.push_back(low + (high - low) * (rank - std::floor(rank)));
    }
    return found;
}

} // namespace cannery::data
