// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cannery::data {

/// Order statistics of a stream of numbers in bounded memory. Exact up to `capacity` values; beyond
/// that a sample of at least half as many: whenever the buffer is full, one of each pair stays with
/// twice the weight w, and from then on one of every w consecutive values is taken. Which one is a
/// fixed function of its index, so the same stream always gives the same answer. The rank error of
/// the sample is about 1 / sqrt(2 capacity) of the values (0.4 % for 32768).
class QuantileSketch
{
public:
    explicit QuantileSketch(std::size_t capacity = 65536);

    void add(double value) { addAll({&value, 1}); }
    /// Adds several values: same result as one by one, but faster.
    void addAll(std::span<const double> values);

    bool isExact() const { return m_weight == 1; }

    /// The values kept, unordered; each represents weight() values. Valid until the next add().
    std::span<const double> samples() const { return m_values; }
    double weight() const { return static_cast<double>(m_weight); }

    /// Values at parts + 1 evenly spaced ranks, from the minimum to the maximum, interpolated
    /// linearly. Empty without values.
    std::vector<double> quantiles(std::size_t parts) const;
    /// The median of the values kept (the lower one of an even number). 0 without values.
    double lowerMedian() const;

private:
    void take(double value);
    void beginGroup();

    std::size_t m_capacity;
    std::uint64_t m_weight = 1;
    std::uint64_t m_groups = 0;
    std::uint64_t m_left = 0;  ///< values remaining in this group
    std::uint64_t m_taken = 0; ///< index of the one to take
    std::vector<double> m_values;
};

} // namespace cannery::data
