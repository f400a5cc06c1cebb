// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace cannery::data {

/// Count, extremes and moments of finite numbers, computed in groups: sums within a group run in
/// four lanes, and groups are merged by the formula of Chan, Golub and LeVeque (1979).
struct NumberSummary
{
    std::uint64_t count = 0;
    std::uint64_t zeros = 0;
    double mean = 0;
    double squares = 0; ///< sum of (x - mean)²
    double min = std::numeric_limits<double>::infinity();
    double max = -std::numeric_limits<double>::infinity();

    /// One group. The result depends on where groups end, so callers end them by count alone.
    void addGroup(std::span<const double> values);
};

/// Cuts a stream of numbers into groups of equal size, however the stream arrives, and skips
/// non-finite numbers.
class FiniteGroups
{
public:
    static constexpr std::size_t kSize = 1024;

    /// Takes values until the group is full; returns the number of values taken.
    template <typename T>
    std::size_t take(std::span<const T> values)
    {
        const std::size_t taken = values.size() < kSize - m_size ? values.size() : kSize - m_size;
        if (m_values.size() < m_size + taken) {
            m_values.resize(m_size + taken); // a short table of many columns pays only for its rows
        }
        std::size_t size = m_size;
        for (std::size_t i = 0; i < taken; ++i) {
            const auto value = static_cast<double>(values[i]);
            const bool isNan = value != value;
            const bool isFinite = value - value == 0;
            m_values[size] = value;
            size += isFinite ? 1 : 0;
            m_nan += isNan ? 1 : 0;
        }
        m_odd += taken - (size - m_size);
        m_size = size;
        return taken;
    }

    bool isFull() const { return m_size == kSize; }
    std::span<const double> values() const { return {m_values.data(), m_size}; }
    void clear() { m_size = 0; }

    std::uint64_t nan() const { return m_nan; }
    std::uint64_t infinite() const { return m_odd - m_nan; }

private:
    std::vector<double> m_values;
    std::size_t m_size = 0;
    std::uint64_t m_nan = 0;
    std::uint64_t m_odd = 0; ///< NaN and infinite values
};

} // namespace cannery::data
