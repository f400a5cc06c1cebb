#include "core/data/quantile_sketch.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace cannery::data {

QuantileSketch::QuantileSketch(std::size_t capacity)
    : m_capacity(std::max<std::size_t>(capacity, 16)), m_levels(1), m_keepsOdd(1, false)
{}

void QuantileSketch::add(double value)
{
    if (m_levels.front().size() == m_capacity) {
        compact(0);
    }
    m_levels.front().push_back(value);
    ++m_count;
}

void QuantileSketch::compact(std::size_t level)
{
    if (level + 1 == m_levels.size()) {
        m_levels.emplace_back();
        m_keepsOdd.push_back(false);
    }
    if (m_levels[level + 1].size() + m_capacity / 2 > m_capacity) {
        compact(level + 1);
    }
    std::vector<double>& full = m_levels[level];
    std::sort(full.begin(), full.end());
    for (std::size_t i = m_keepsOdd[level] ? 1 : 0; i < full.size(); i += 2) {
        m_levels[level + 1].push_back(full[i]);
    }
    m_keepsOdd[level] = !m_keepsOdd[level];
    full.clear();
}

std::vector<std::pair<double, double>> QuantileSketch::samples() const
{
    std::vector<std::pair<double, double>> all;
    double weight = 1;
    for (const std::vector<double>& level : m_levels) {
        for (const double value : level) {
            all.emplace_back(value, weight);
        }
        weight *= 2;
    }
    std::sort(all.begin(), all.end());
    return all;
}

std::vector<double> QuantileSketch::quantiles(std::size_t parts) const
{
    std::vector<double> found;
    const std::vector<std::pair<double, double>> all = samples();
    if (all.empty()) {
        return found;
    }
    double total = 0;
    for (const auto& sample : all) {
        total += sample.second;
    }
    std::size_t index = 0;
    double below = 0; // weight before all[index]
    const auto valueAt = [&](double rank) {
        std::size_t i = index;
        double before = below;
        while (i + 1 < all.size() && before + all[i].second <= rank) {
            before += all[i].second;
            ++i;
        }
        return std::pair(i, before);
    };
    for (std::size_t part = 0; part <= parts; ++part) {
        const double rank = (total - 1) * static_cast<double>(part) / static_cast<double>(parts);
        const double whole = std::floor(rank);
        std::tie(index, below) = valueAt(whole);
        const double low = all[index].first;
        const double high = all[valueAt(std::min(whole + 1, total - 1)).first].first;
        found.push_back(low + (high - low) * (rank - whole));
    }
    return found;
}

} // namespace cannery::data
