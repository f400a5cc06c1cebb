// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace cannery::trees {

/// Approximate quantiles of weighted numbers in little memory, by TensorFlow's
/// WeightedQuantilesStream (tensorflow/core/lib/quantiles, after Zhang and Wang, "A Fast Algorithm
/// for Approximate Quantiles in High Speed Data Streams"), in its float32 and its order, so that
/// the boundaries are TensorFlow's.
class QuantileSketch
{
public:
    /// Ranks of at most `mostValues` numbers are off by at most `epsilon` of the total weight.
    QuantileSketch(float epsilon, std::int64_t mostValues);

    /// NaN and numbers that weigh nothing are left out.
    void add(float value, float weight);
    /// Everything that another sketch, finished, has seen.
    void add(const QuantileSketch& finished);
    /// After the last number.
    void finish();
    /// At most `count` numbers that cut what was added into parts of about equal weight; ascending,
    /// the last one is the largest number seen. Only of a finished sketch.
    std::vector<float> boundaries(std::int64_t count) const;

private:
    /// A number that was seen, with bounds of its rank.
    struct Entry
    {
        float value = 0.0F;
        float weight = 0.0F;
        float minRank = 0.0F;
        float maxRank = 0.0F;

        float previousMax() const { return maxRank - weight; }
        float nextMin() const { return minRank + weight; }
    };
    using Summary = std::vector<Entry>;

    static void merge(Summary& summary, const Summary& other);
    static void compress(Summary& summary, std::int64_t size, double epsilon);
    static double errorOf(const Summary& summary);
    void flush();
    void push(Summary summary);

    double m_epsilon; ///< of a float32, as TensorFlow's operations have it
    std::int64_t m_blockSize = 2;
    std::size_t m_capacity = 0;
    std::vector<Entry> m_buffer; ///< in order of arrival, without ranks
    std::vector<Summary> m_levels;
    Summary m_whole; ///< once finished
};

/// The bucket of a number: the first boundary that is not below it, or the last one.
std::int32_t quantileBucket(float value, std::span<const float> boundaries);

} // namespace cannery::trees
