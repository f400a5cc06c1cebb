#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace cannery::data {

/// Order statistics of a stream of numbers in bounded memory. Exact up to `capacity` values; beyond
/// that full buffers are sorted and every other value is kept with twice the weight (Munro and
/// Paterson 1980; Manku, Rajagopalan and Lindsay 1998). The rank error stays below
/// log2(n / capacity) / (2 capacity) of n. No randomness: the same stream gives the same answer.
class QuantileSketch
{
public:
    explicit QuantileSketch(std::size_t capacity = 65536);

    void add(double value);
    std::uint64_t count() const { return m_count; }
    bool isExact() const { return m_levels.size() == 1; }

    /// Values with their weights, in order; the weights add up to about count().
    std::vector<std::pair<double, double>> samples() const;

    /// Values at parts - 1 + 2 evenly spaced ranks, the least and the largest first and last,
    /// linear between neighbours. Empty without values.
    std::vector<double> quantiles(std::size_t parts) const;

private:
    void compact(std::size_t level);

    std::size_t m_capacity;
    std::uint64_t m_count = 0;
    std::vector<std::vector<double>> m_levels; ///< values of level i weigh 2^i
    std::vector<bool> m_keepsOdd;              ///< alternates, so that errors cancel
};

} // namespace cannery::data
