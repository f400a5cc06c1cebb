// SPDX-License-Identifier: Apache-2.0
#include "core/plan/gradient_norm.h"

#include "core/plan/network.h"
#include "core/plan/step_record.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace cannery::plan {

namespace {

double sumOfSquares(std::span<const float> values)
{
    return std::transform_reduce(values.begin(), values.end(), 0.0, std::plus<>(), [](float value) {
        const double wide = static_cast<double>(value);
        return wide * wide;
    });
}

double sumOfSquares(VariableGradient& gradient)
{
    double sum = 0;
    for (const layers::GradientSegment& segment : gradient.applied()) {
        if (segment.sparse) {
            sum += sumOfSquares(segment.rows.values);
        } else {
            const auto count = static_cast<std::size_t>(segment.rowCount * segment.dense.cols);
            sum += sumOfSquares({segment.dense.data, count});
        }
    }
    return sum;
}

double gradientNormOf(Network& network, std::size_t variables)
{
    double sum = 0;
    for (std::size_t index = 0; index < variables; ++index) {
        VariableGradient* gradient = network.gradients().of(static_cast<graph::VariableId>(index));
        if (gradient != nullptr) {
            sum += sumOfSquares(*gradient);
        }
    }
    return std::sqrt(sum);
}

} // namespace

void recordGradientNorm(Network& network, std::size_t variables, StepRecord& record)
{
    record.gradientNorm.reset();
    if (record.wantsGradientNorm) {
        record.gradientNorm = gradientNormOf(network, variables);
    }
}

} // namespace cannery::plan
