// SPDX-License-Identifier: Apache-2.0
#include "core/plan/weights/penalties.h"

namespace cannery::plan {

bool isPenalized(const graph::Variable& variable)
{
    return variable.regularizer.kind_case() != spec::Regularizer::KIND_NOT_SET;
}

bool hasRules(const graph::Variable& variable)
{
    return isPenalized(variable) ||
           variable.constraint.kind_case() != spec::Constraint::KIND_NOT_SET;
}

Penalties::Penalties(const graph::LayerGraph& graph)
{
    for (std::size_t index = 0; index < graph.variables.size(); ++index) {
        const graph::Variable& variable = graph.variables[index];
        if (isPenalized(variable)) {
            m_weights.push_back({.id = static_cast<graph::VariableId>(index),
                                 .penalty = WeightPenalty(variable.regularizer, variable.shape)});
        }
    }
}

void Penalties::bind(Variables& variables, NetworkGradients& gradients)
{
    for (Weight& weight : m_weights) {
        weight.values = variables.span(weight.id);
        weight.gradient = gradients.of(weight.id);
        if (weight.gradient != nullptr) {
            weight.gradient->keepWhole();
        }
    }
}

double Penalties::total(kernels::ThreadPool& pool)
{
    double sum = 0.0;
    for (Weight& weight : m_weights) {
        sum += weight.penalty.compute(pool, weight.values, {});
    }
    return sum;
}

double Penalties::addGradients(kernels::ThreadPool& pool)
{
    double sum = 0.0;
    for (Weight& weight : m_weights) {
        const std::span<float> gradient =
            weight.gradient == nullptr ? std::span<float>() : weight.gradient->makeWhole();
        sum += weight.penalty.compute(pool, weight.values, gradient);
    }
    return sum;
}

} // namespace cannery::plan
