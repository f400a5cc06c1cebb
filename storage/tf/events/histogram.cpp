// SPDX-License-Identifier: Apache-2.0
#include "storage/tf/events/histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace cannery::storage {

namespace {

// The limits of TensorFlow's histogram.cc, so that buckets agree with those of its own runs.
constexpr double kSmallestLimit = 1e-12;
constexpr double kLargestLimit = 1e20;
constexpr double kGrowth = 1.1;
constexpr double kMax = std::numeric_limits<double>::max();

std::vector<double> makePositiveLimits()
{
    std::vector<double> positive;
    for (double limit = kSmallestLimit; limit < kLargestLimit; limit *= kGrowth) {
        positive.push_back(limit);
    }
    positive.push_back(kMax);
    return positive;
}

std::vector<double> makeLimits(const std::vector<double>& positive)
{
    std::vector<double> limits;
    limits.reserve(2 * positive.size() + 1);
    for (auto limit = positive.rbegin(); limit != positive.rend(); ++limit) {
        limits.push_back(-*limit);
    }
    limits.push_back(0);
    limits.insert(limits.end(), positive.begin(), positive.end());
    return limits;
}

/// The limits, and where to look for the one of a number: a summary has as many numbers as the
/// layers of a step have outputs.
class Limits
{
public:
    Limits() : m_positive(makePositiveLimits()), m_all(makeLimits(m_positive))
    {
        for (std::size_t key = 0; key <= keyOf(kMax); ++key) {
            const double least = std::bit_cast<double>(std::uint64_t{key} << kBitsOfKey);
            m_firstOfKey.push_back(static_cast<std::uint16_t>(
                std::ranges::lower_bound(m_positive, least) - m_positive.begin()));
        }
    }

    const std::vector<double>& all() const { return m_all; }

    /// The first limit above a finite number. The largest double is itself the last limit and
    /// belongs in the last bucket.
    std::size_t bucketOf(double value) const
    {
        const double size = std::abs(value);
        std::size_t at = m_firstOfKey[keyOf(size)];
        const std::size_t count = m_positive.size();
        if (value < 0) {
            at += m_positive[at] < size ? 1 : 0;
            return count - at;
        }
        at += m_positive[at] <= size ? 1 : 0;
        return count + 1 + std::min(at, count - 1);
    }

private:
    /// The sign, the exponent and four bits of the fraction: numbers of one key differ by less than
    /// the growth of the limits, so that at most one of these lies between them.
    static constexpr int kBitsOfKey = 48;
    static_assert(1.0 / 16 < kGrowth - 1);

    static std::size_t keyOf(double size)
    {
        return static_cast<std::size_t>(std::bit_cast<std::uint64_t>(size) >> kBitsOfKey);
    }

    std::vector<double> m_positive;
    std::vector<double> m_all;
    std::vector<std::uint16_t> m_firstOfKey; ///< the first positive limit not below its numbers
};

const Limits& limits()
{
    static const Limits kLimits;
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
    m_counts.assign(limits().all().size(), 0);
}

void Histogram::add(double value)
{
    // One of them would make every sum useless.
    if (!std::isfinite(value)) {
        ++m_nonFiniteCount;
        return;
    }
    m_counts[limits().bucketOf(value)] += 1;
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
            buckets.back().limit = limits().all()[i];
        } else {
            buckets.push_back({limits().all()[i], m_counts[i]});
        }
    }
    return buckets;
}

} // namespace cannery::storage
