// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cannery::data {

/// Order statistics of a stream of numbers in bounded memory. Exact up to `capacity` values; beyond
/// that a sample of at least half as many: whenever the buffer is full, one of each pair stays with
/// twice the weight w, and of w consecutive values one is taken from then on. Which one is a fixed
/// function of its number, so the same stream always gives the same answer. The rank error of the
/// sample is about 1 / sqrt(2 capacity) of the values (0.4 % for 32768).
class QuantileSketch
{
public:
    explicit QuantileSketch(std::size_t capacity = 65536);

    void add(double value) { addAll({&value, 1}); }
    /// Values in a row: the same as each after the other, in less time.
    void addAll(std::span<const double> values);

    bool isExact() const { return m_weight == 1; }

    /// The values kept, in no order; each stands for weight() values. Valid until the next add().
    std::span<const double> samples() const { return m_values; }
    double weight() const { return static_cast<double>(m_weight); }

    /// Values at parts + 1 evenly spaced ranks, the least and the largest first and last, linear
    /// between neighbours. Empty without values.
    std::vector<double> quantiles(std::size_t parts) const;
    /// The middle one of the values kept, of an even number the lower one. 0 without values.
    double lowerMedian() const;

private:
    void take(double value);
    void beginGroup();

    std::size_t m_capacity;
    std::uint64_t m_weight = 1;
    std::uint64_t m_groups = 0;
    std::uint64_t m_left = 0;  ///< values that follow in this group
    std::uint64_t m_taken = 0; ///< the one of them that is taken
    std::vector<double> m_values;
};

} // namespace cannery::data
