// SPDX-License-Identifier: Apache-2.0
#include "storage/tf/histogram.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cannery::storage {

namespace {

constexpr double kSmallestLimit = 1e-12;
constexpr double kLargestLimit = 1e20;
constexpr double kGrowth = 1.1;
constexpr double kMax = std::numeric_limits<double>::max();

std::vector<double> makeLimits()
{
    std::vector<double> positive;
    for (double limit = kSmallestLimit; limit < kLargestLimit; limit *= kGrowth) {
        positive.push_back(limit);
    }
    positive.push_back(kMax);
    std::vector<double> limits;
    limits.reserve(2 * positive.size() + 1);
    for (auto limit = positive.rbegin(); limit != positive.rend(); ++limit) {
        limits.push_back(-*limit);
    }
    limits.push_back(0);
    limits.insert(limits.end(), positive.begin(), positive.end());
    return limits;
}

const std::vector<double>& limits()
{
    static const std::vector<double> kLimits = makeLimits();
    return kLimits;
}

} // namespace

Histogram::Histogram()
{
    clear();
}

void Histogram::clear()
{
    m_min = kMax;
    m_max = -kMax;
    m_count = 0;
    m_sum = 0;
    m_sumSquares = 0;
    m_nonFiniteCount = 0;
    m_counts.assign(limits().size(), 0);
}

void Histogram::add(double value)
{
    if (!std::isfinite(value)) {
        ++m_nonFiniteCount;
        return;
    }
    // The largest double is itself the last limit and belongs in the last bucket.
    const auto above = std::upper_bound(limits().begin(), limits().end() - 1, value);
    m_counts[static_cast<std::size_t>(above - limits().begin())] += 1;
    m_min = std::min(m_min, value);
    m_max = std::max(m_max, value);
    m_count += 1;
    m_sum += value;
    m_sumSquares += value * value;
}

void Histogram::add(std::span<const float> values)
{
    for (const float value : values) {
        add(static_cast<double>(value));
    }
}

std::vector<Histogram::Bucket> Histogram::buckets() const
{
    std::vector<Bucket> buckets;
    for (std::size_t i = 0; i < m_counts.size(); ++i) {
        if (!buckets.empty() && m_counts[i] <= 0 && buckets.back().count <= 0) {
            buckets.back().limit = limits()[i];
        } else {
            buckets.push_back({limits()[i], m_counts[i]});
        }
    }
    return buckets;
}

} // namespace cannery::storage
