// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace cannery::storage {

/// TensorFlow's summary histogram: exponential buckets (limits ±1e-12·1.1^k up to 1e20, 0, and the
/// largest double), and moments. Equal to what tf.summary.histogram of v1 writes for the same
/// values in the same order.
class Histogram
{
public:
    Histogram();

    /// NaN and infinities are counted separately and excluded from everything else.
    void add(double value);
    void add(std::span<const float> values);
    void clear();

    double min() const { return m_min; }
    double max() const { return m_max; }
    double count() const { return m_count; }
    double sum() const { return m_sum; }
    double sumSquares() const { return m_sumSquares; }
    std::uint64_t nonFiniteCount() const { return m_nonFiniteCount; }

    /// A bucket holds the values below its limit and not below the previous limit.
    struct Bucket
    {
        double limit = 0;
        double count = 0;

        bool operator==(const Bucket&) const = default;
    };
    /// All buckets, with runs of empty ones merged, as stored in a file; at least one.
    std::vector<Bucket> buckets() const;

private:
    double m_min;
    double m_max;
    double m_count = 0;
    double m_sum = 0;
    double m_sumSquares = 0;
    std::uint64_t m_nonFiniteCount = 0;
    std::vector<double> m_counts;
};

} // namespace cannery::storage
