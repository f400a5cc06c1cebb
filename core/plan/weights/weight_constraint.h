// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/shape.h"
#include "core/spec/weights.pb.h"

#include <cstdint>
#include <span>
#include <vector>

namespace cannery::plan {

/// What a weight is changed to after each step, by the formulas of tf.keras.constraints. apply()
/// allocates nothing. One controlling thread.
class WeightConstraint
{
public:
    /// That graph::checkConstraint() accepts for this shape.
    WeightConstraint(spec::Constraint constraint, const Shape& shape);

    /// Of the values of that weight, row by row.
    void apply(std::span<float> values);

private:
    /// work(element, vector) for all elements in order.
    template <typename Work>
    void forEachElement(const Work& work) const;
    float factorOf(float norm) const;
    void scaleVectors(std::span<float> values);
    void makeRings(std::span<float> values);

    spec::Constraint m_constraint;
    std::vector<std::int64_t> m_dims;
    std::vector<std::int64_t> m_vectorSteps; ///< by dimension: to the vector of the next element
    std::vector<double> m_squares;           ///< by vector
    std::vector<float> m_factors;            ///< by vector
    std::vector<float> m_rings;              ///< of "radial": what each ring becomes, by channels
};

} // namespace cannery::plan
