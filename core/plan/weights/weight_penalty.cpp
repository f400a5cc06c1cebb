// SPDX-License-Identifier: Apache-2.0
#include "core/plan/weights/weight_penalty.h"

#include "core/base/check.h"
#include "kernels/device/row_blocks.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace cannery::plan {

namespace {

/// Squares of a vector that tf.math.l2_normalize takes for at least this much.
constexpr double kFewestSquares = 1e-12;

/// TensorFlow's gradient of an absolute value: 0 at 0.
template <typename Number>
Number signOf(Number value)
{
    return value > Number{0} ? Number{1} : value < Number{0} ? Number{-1} : value;
}

} // namespace

WeightPenalty::WeightPenalty(spec::Regularizer regularizer, const Shape& shape)
    : m_regularizer(std::move(regularizer))
{
    if (!m_regularizer.has_orthogonal()) {
        const std::int64_t blocks =
            (shape.elementCount() + kernels::kBlockElements - 1) / kernels::kBlockElements;
        m_parts.resize(static_cast<std::size_t>(blocks));
        return;
    }
    CANNERY_CHECK(shape.rank() == 2);
    const auto rows = static_cast<std::size_t>(shape.dims[0]);
    const auto cols = static_cast<std::size_t>(shape.dims[1]);
    const bool isByRows = m_regularizer.orthogonal().mode() == spec::OrthogonalMode::rows;
    m_vectors = isByRows ? rows : cols;
    m_length = isByRows ? cols : rows;
    m_vectorStride = isByRows ? cols : 1;
    m_elementStride = isByRows ? 1 : cols;
    m_parts.resize(m_vectors);
    m_units.resize(rows * cols);
    m_scales.resize(m_vectors);
    m_slopes.resize(rows * cols);
}

double WeightPenalty::compute(kernels::ThreadPool& pool, std::span<const float> values,
                              std::span<float> gradient)
{
    CANNERY_CHECK(gradient.empty() || gradient.size() == values.size());
    return m_regularizer.has_orthogonal() ? cosines(pool, values, gradient)
                                          : sums(pool, values, gradient);
}

/// l1 * sum of absolute values + l2 * sum of squares, without a factor 1/2.
double WeightPenalty::sums(kernels::ThreadPool& pool, std::span<const float> values,
                           std::span<float> gradient)
{
    // Keras casts both to the type of the weight.
    const auto l1 = static_cast<float>(m_regularizer.l1_l2().l1());
    const auto l2 = static_cast<float>(m_regularizer.l1_l2().l2());
    const auto one = [&](kernels::BlockRange block, int) {
        const auto first = static_cast<std::size_t>(block.first);
        const auto count = static_cast<std::size_t>(block.count);
        double magnitudes = 0.0;
        double squares = 0.0;
        for (const float value : values.subspan(first, count)) {
            const auto wide = static_cast<double>(value);
            magnitudes += std::abs(wide);
            squares += wide * wide;
        }
        m_parts[first / static_cast<std::size_t>(kernels::kBlockElements)] =
            static_cast<double>(l1) * magnitudes + static_cast<double>(l2) * squares;
        for (std::size_t i = first; !gradient.empty() && i < first + count; ++i) {
            gradient[i] += l1 * signOf(values[i]) + 2.0F * l2 * values[i];
        }
    };
    kernels::forEachBlock(pool, static_cast<std::int64_t>(values.size()), kernels::kBlockElements,
                          one);
    return std::accumulate(m_parts.begin(), m_parts.end(), 0.0);
}

void WeightPenalty::scaleToUnits(std::span<const float> values)
{
    for (std::size_t vector = 0; vector < m_vectors; ++vector) {
        double* own = m_units.data() + vector * m_length;
        double squares = 0.0;
        for (std::size_t i = 0; i < m_length; ++i) {
            own[i] = static_cast<double>(values[vector * m_vectorStride + i * m_elementStride]);
            squares += own[i] * own[i];
        }
        m_scales[vector] = 1.0 / std::sqrt(std::max(squares, kFewestSquares));
        for (std::size_t i = 0; i < m_length; ++i) {
            own[i] *= m_scales[vector];
        }
    }
}

double WeightPenalty::cosinesOf(std::size_t index, std::span<double> slope) const
{
    std::ranges::fill(slope, 0.0);
    const std::span<const double> own = unit(index);
    double sum = 0.0;
    for (std::size_t other = 0; other < m_vectors; ++other) {
        if (other == index) {
            continue;
        }
        const std::span<const double> theirs = unit(other);
        const double cosine = std::inner_product(own.begin(), own.end(), theirs.begin(), 0.0);
        sum += other > index ? std::abs(cosine) : 0.0;
        const double sign = signOf(cosine);
        for (std::size_t i = 0; i < m_length; ++i) {
            slope[i] += sign * theirs[i];
        }
    }
    return sum;
}

/// Through the scaling: what of the slope is along the vector has no effect, unless the vector was
/// too short to be scaled to length 1.
void WeightPenalty::addSlope(std::size_t index, std::span<const double> slope,
                             std::span<float> gradient) const
{
    const std::span<const double> own = unit(index);
    const double along = std::inner_product(own.begin(), own.end(), slope.begin(), 0.0);
    const bool isShort = m_scales[index] >= 1.0 / std::sqrt(kFewestSquares);
    const double pairs = static_cast<double>(m_vectors * (m_vectors - 1)) / 2.0;
    const double factor = m_regularizer.orthogonal().factor() / pairs * m_scales[index];
    for (std::size_t i = 0; i < m_length; ++i) {
        const double across = slope[i] - (isShort ? 0.0 : along * own[i]);
        gradient[index * m_vectorStride + i * m_elementStride] +=
            static_cast<float>(factor * across);
    }
}

/// The mean absolute cosine of all pairs of vectors, times a factor.
double WeightPenalty::cosines(kernels::ThreadPool& pool, std::span<const float> values,
                              std::span<float> gradient)
{
    scaleToUnits(values);
    // A vector and its gradient belong to one thread.
    const auto one = [&](std::int64_t vector, int) {
        const auto index = static_cast<std::size_t>(vector);
        const std::span<double> slope = std::span(m_slopes).subspan(index * m_length, m_length);
        m_parts[index] = cosinesOf(index, slope);
        if (!gradient.empty()) {
            addSlope(index, slope, gradient);
        }
    };
    pool.parallelFor(static_cast<std::int64_t>(m_vectors), one);
    const double pairs = static_cast<double>(m_vectors * (m_vectors - 1)) / 2.0;
    return m_regularizer.orthogonal().factor() *
           std::accumulate(m_parts.begin(), m_parts.end(), 0.0) / pairs;
}

} // namespace cannery::plan
