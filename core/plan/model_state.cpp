// SPDX-License-Identifier: Apache-2.0
#include "core/plan/model_state.h"

#include "core/plan/device/device_step.h"
#include "core/plan/device/own_step.h"
#include "core/plan/learners/learner.h"
#include "core/plan/part_optimizer.h"

#include <algorithm>
#include <iterator>

namespace cannery::plan {

namespace {

template <typename T>
std::span<std::byte> bytesOf(T& value)
{
    return std::as_writable_bytes(std::span<T>(&value, 1));
}

void addOptimizerState(const graph::LayerGraph& graph, PartOptimizer& part,
                       std::vector<StateTensor>& state)
{
    const std::string& prefix = part.description().checkpointPrefix;
    const auto slots = part.optimizer().slots();
    for (std::size_t index = 0; index < part.variables().size(); ++index) {
        const graph::Variable& variable = graph.variable(part.variables()[index]);
        for (std::size_t slot = 0; slot < slots.size(); ++slot) {
            const std::optional<Shape> shape = part.slotShape(index, slot);
            if (!shape) {
                continue;
            }
            state.push_back(StateTensor::of(slots[slot].tensorName(prefix, variable.name), *shape,
                                            part.slot(index, slot)));
            state.back().optimizerState = true;
        }
    }
    for (optimizers::Scalar& scalar : part.optimizer().scalars()) {
        state.push_back({.name = part.optimizer().scalarName(prefix, scalar.name),
                         .bytes = bytesOf(scalar.value),
                         .optimizerState = true});
    }
    if (!part.description().ownsGlobalStep) {
        state.push_back({.name = part.optimizer().counterName(prefix),
                         .dtype = DType::Int64,
                         .bytes = bytesOf(part.iterations()),
                         .optimizerState = true});
    }
}

} // namespace

/// To a caller who may write weights and slots: the device takes them up again before its next
/// step.
void ModelState::lend()
{
    if (m_parts.device != nullptr) {
        static_cast<void>(m_parts.device->bringState()); // its error is kept for the next step
        m_parts.device->hostMayWrite();
    }
}

void ModelState::startAverages()
{
    lend();
    for (const auto& optimizer : m_parts.optimizers) {
        optimizer->startAverages();
    }
}

void ModelState::swapAverages()
{
    if (std::ranges::none_of(m_parts.optimizers, &PartOptimizer::infersWithAverages)) {
        return;
    }
    lend();
    for (const auto& optimizer : m_parts.optimizers) {
        optimizer->swapAverages();
    }
}

bool ModelState::takeAverages()
{
    if (std::ranges::none_of(m_parts.optimizers, &PartOptimizer::averagesBecomeWeights)) {
        return false;
    }
    lend();
    for (const auto& optimizer : m_parts.optimizers) {
        optimizer->takeAverages();
    }
    return true;
}

std::vector<StateTensor> ModelState::tensors()
{
    lend();
    std::vector<StateTensor> state;
    const graph::LayerGraph& graph = m_parts.lowered.graph;
    for (const auto& optimizer : m_parts.optimizers) {
        optimizer->forgetZeros();
    }
    for (std::size_t index = 0; index < graph.variables.size(); ++index) {
        const graph::Variable& variable = graph.variables[index];
        const auto id = static_cast<graph::VariableId>(index);
        state.push_back(StateTensor::of(
            m_parts.training ? variable.name : inferenceTensor(m_parts.lowered, variable),
            variable.shape, m_parts.variables.values(id)));
        state.back().trainable = variable.trainable;
    }
    for (const auto& optimizer : m_parts.optimizers) {
        addOptimizerState(graph, *optimizer, state);
    }
    if (m_parts.learner != nullptr) {
        std::ranges::move(m_parts.learner->state(), std::back_inserter(state));
    }
    if (m_parts.ownStep != nullptr) {
        m_parts.ownStep->addState(state, m_parts.variables);
    }
    std::sort(state.begin(), state.end(), [](const StateTensor& left, const StateTensor& right) {
        return left.name < right.name;
    });
    return state;
}

} // namespace cannery::plan
