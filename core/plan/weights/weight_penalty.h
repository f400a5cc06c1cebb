// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/shape.h"
#include "core/spec/weights.pb.h"
#include "kernels/device/thread_pool.h"

#include <cstdint>
#include <span>
#include <vector>

namespace cannery::plan {

/// The penalty of one weight, by the formulas of tf.keras.regularizers. compute() allocates
/// nothing, and gives the same bits for any number of threads.
class WeightPenalty
{
public:
    /// That graph::checkRegularizer() accepts for this shape.
    WeightPenalty(spec::Regularizer regularizer, const Shape& shape);

    /// The penalty of these values, row by row as the shape has them. `gradient`: of the same
    /// length, gets d penalty / d value added, or empty.
    double compute(kernels::ThreadPool& pool, std::span<const float> values,
                   std::span<float> gradient);

private:
    double sums(kernels::ThreadPool& pool, std::span<const float> values,
                std::span<float> gradient);
    double cosines(kernels::ThreadPool& pool, std::span<const float> values,
                   std::span<float> gradient);
    void scaleToUnits(std::span<const float> values);
    /// Of vector `index` with those after it; `slope` gets d penalty / d unit vector.
    double cosinesOf(std::size_t index, std::span<double> slope) const;
    void addSlope(std::size_t index, std::span<const double> slope,
                  std::span<float> gradient) const;
    std::span<const double> unit(std::size_t index) const
    {
        return std::span(m_units).subspan(index * m_length, m_length);
    }

    spec::Regularizer m_regularizer;
    std::vector<double> m_parts; ///< by block or vector: summed in order
    // Of "orthogonal", which compares vectors of a matrix:
    std::size_t m_vectors = 0;
    std::size_t m_length = 0;
    std::size_t m_vectorStride = 0; ///< from a vector to the next one, in the weight
    std::size_t m_elementStride = 0;
    std::vector<double> m_units;  ///< the vectors, scaled to length 1
    std::vector<double> m_scales; ///< by which they were
    std::vector<double> m_slopes; ///< like m_units
};

} // namespace cannery::plan
