// SPDX-License-Identifier: Apache-2.0
#include "core/plan/model_parts.h"

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
    for (const layers::GradientSegment& segment : gradient.segments()) {
        if (segment.sparse) {
            sum += sumOfSquares(segment.rows.values);
        } else {
            const auto count = static_cast<std::size_t>(segment.rowCount * segment.dense.cols);
            sum += sumOfSquares({segment.dense.data, count});
        }
    }
    return sum;
}

} // namespace

std::vector<float> Model::gradient(const std::string& variable) const
{
    if (m_parts->device != nullptr) {
        static_cast<void>(m_parts->device->bringGradients()); // its error is kept
    }
    const auto& variables = m_parts->lowered.graph.variables;
    for (std::size_t index = 0; index < variables.size(); ++index) {
        VariableGradient* gradient =
            m_parts->network().gradient(static_cast<graph::VariableId>(index));
        if (variables[index].name == variable && gradient != nullptr) {
            std::vector<float> dense(
                static_cast<std::size_t>(variables[index].shape.elementCount()), 0.0F);
            gradient->addTo(dense);
            return dense;
        }
    }
    return {};
}

void Model::wantGradientNorm(bool wanted)
{
    m_parts->wantsGradientNorm = wanted;
}

std::optional<double> Model::gradientNorm() const
{
    return m_parts->gradientNorm;
}

void Model::Parts::measureGradient()
{
    double sum = 0;
    for (std::size_t index = 0; index < lowered.graph.variables.size(); ++index) {
        VariableGradient* gradient = network().gradient(static_cast<graph::VariableId>(index));
        if (gradient != nullptr) {
            sum += sumOfSquares(*gradient);
        }
    }
    gradientNorm = std::sqrt(sum);
}

GradientSizes Model::gradientSizes() const
{
    Network& network = m_parts->network();
    GradientSizes sizes{.dense = static_cast<std::int64_t>(network.denseParts().size())};
    for (const SparsePart& part : network.sparseParts()) {
        sizes.sparse.push_back({.rows = part.gradient->rowCount(),
                                .cols = part.gradient->cols,
                                .tableRows = part.tableRows});
    }
    if (m_parts->options.sharding.isAcross) {
        for (const std::size_t node : network.nodesAcrossShards()) {
            const std::int64_t passes = network.goesBackThrough(node) ? 2 : 1;
            sizes.gathers += passes;
            sizes.gathered += passes * network.acrossShards(node).sumCount();
        }
    }
    return sizes;
}

} // namespace cannery::plan
