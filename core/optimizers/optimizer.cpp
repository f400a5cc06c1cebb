// SPDX-License-Identifier: Apache-2.0
#include "core/optimizers/optimizer.h"

#include "core/base/check.h"
#include "core/optimizers/keras_epsilon.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace cannery::optimizers {

std::string SlotSpec::tensorName(std::string_view prefix, std::string_view variable) const
{
    switch (place) {
    case SlotPlace::BesideVariable:
        return fmt::format("{}/{}", variable, name);
    case SlotPlace::BeforeVariable:
        return fmt::format("{}/{}/{}", prefix, name, variable);
    case SlotPlace::BelowVariable:
        break;
    }
    return fmt::format("{}/{}/{}", prefix, variable, name);
}

std::optional<Shape> SlotSpec::shapeFor(const Shape& variable) const
{
    if (shape == SlotShape::OfVariable) {
        return variable;
    }
    if (variable.rank() < 2) {
        return std::nullopt;
    }
    std::vector<std::int64_t> dims = variable.dims;
    dims.erase(dims.end() - (shape == SlotShape::OfRows ? 1 : 2));
    return Shape(std::move(dims));
}

Optimizer::Optimizer(std::string_view className, float learningRate, OptimizerCommon common,
                     Generation generation)
    : m_className(className), m_common(std::move(common)), m_generation(generation),
      m_constantRate(learningRate), m_learningRate(learningRate)
{
    // The average is a slot of every variable.
    if (m_common.averages) {
        m_slots.push_back(
            {.name = kKerasAverageSlot, .place = slotPlace(), .startsAsWeight = true});
    } else if (m_common.movingAverageDecay) {
        m_slots.push_back(
            {.name = kAverageSlot, .place = SlotPlace::BesideVariable, .startsAsWeight = true});
    }
    if (generation == Generation::V1) {
        return;
    }
    if (generation == Generation::Legacy) {
        addScalar("decay", m_common.decay);
    }
    // With a schedule, the rate is a function of the step, and no variable of the checkpoint.
    if (m_common.schedule == nullptr) {
        addScalar("learning_rate", learningRate);
    }
}

SlotPlace Optimizer::slotPlace() const
{
    return m_generation == Generation::V1       ? SlotPlace::BesideVariable
           : m_generation == Generation::Legacy ? SlotPlace::BelowVariable
                                                : SlotPlace::BeforeVariable;
}

std::string Optimizer::scalarName(std::string_view prefix, std::string_view name) const
{
    const bool isAlone = m_generation == Generation::Keras && prefix == m_className &&
                         (name == "iteration" || name == "learning_rate");
    return isAlone ? std::string(name) : fmt::format("{}/{}", prefix, name);
}

std::string Optimizer::counterName(std::string_view prefix) const
{
    return scalarName(prefix, m_generation == Generation::Keras ? "iteration" : "iter");
}

Result<bool> Optimizer::decays(std::string_view variable) const
{
    if (!decaysWeights()) {
        return false;
    }
    for (const Pattern& pattern : m_common.withoutDecay) {
        CANNERY_TRY_ASSIGN(const bool isFound, pattern.isFoundIn(variable));
        if (isFound) {
            return false;
        }
    }
    return true;
}

/// Only of members that need whole variables, and have a step of their own.
void Optimizer::applyWhole(kernels::ThreadPool&, const WholeVariable&) const
{
    CANNERY_CHECK(!"the optimizer takes rows");
}

void Optimizer::average(kernels::ThreadPool& pool, std::span<float> weights,
                        std::span<float> averages) const
{
    m_kernels->average(pool, weights, averages, averageRate());
    if (m_overwrites) {
        std::ranges::copy(averages, weights.begin());
    }
}

void Optimizer::beginStep(std::int64_t iterations)
{
    m_learningRate = m_common.schedule != nullptr     ? m_common.schedule->learningRate(iterations)
                     : m_generation == Generation::V1 ? m_constantRate
                                                      : scalar("learning_rate");
    // Keras's legacy decay: rate / (1 + decay * iterations).
    if (m_common.decay > 0.0F) {
        m_learningRate /= 1.0F + m_common.decay * static_cast<float>(iterations);
    }
    m_update = makeUpdate(m_learningRate, iterations);
    m_overwrites = m_common.averages && m_common.averages->overwriteEvery > 0 &&
                   (iterations + 1) % m_common.averages->overwriteEvery == 0;
    // Once: the kind of rule never changes.
    if (m_kernels == nullptr) {
        m_kernels = &kernels::optimizerStepKernels({.update = m_update});
    }
}

float Optimizer::orKerasEpsilon(double epsilon)
{
    return static_cast<float>(kerasEpsilon(epsilon));
}

void Optimizer::addSlot(std::string_view name, float initialValue, SlotShape shape)
{
    CANNERY_CHECK(m_ruleSlots < 3);
    const SlotSpec slot{
        .name = name, .initialValue = initialValue, .place = slotPlace(), .shape = shape};
    // Slots of the rule come first; the average, added by the constructor, stays behind them.
    m_slots.insert(m_slots.begin() + static_cast<std::ptrdiff_t>(m_ruleSlots++), slot);
}

kernels::OptimizerSlots Optimizer::placed(const kernels::OptimizerSlots& slots) const
{
    const auto [first, second, third] =
        inRuleOrder(std::array{slots.first, slots.second, slots.third});
    return {.first = first, .second = second, .third = third};
}

const char* Optimizer::onlyOnCpu(bool hasSparseGradients)
{
    if (needsWholeVariables()) {
        return "an optimizer of whole matrices (adafactor)";
    }
    if (decaysWeights()) {
        return "an optimizer with weight decay and rules: keras";
    }
    if (m_common.averages && m_common.averages->overwriteEvery > 0) {
        return "an optimizer with ema_overwrite_frequency";
    }
    const std::vector<Scalar> state = m_scalars; // no step is taken
    const bool fills = kernels::fillsWithZeros(makeUpdate(m_learningRate, 0));
    m_scalars = state;
    return fills && hasSparseGradients ? "embeddings or sparse weights with rules: keras" : nullptr;
}

void Optimizer::placeStep(kernels::AcceleratorProgram& program,
                          std::span<const PlacedVariable> variables,
                          std::function<std::int64_t(std::int64_t step)> iterations)
{
    std::vector<kernels::GradientValues> gradients;
    for (const PlacedVariable& variable : variables) {
        gradients.push_back(variable.gradient);
    }
    clipping().place(program, gradients);
    const std::vector<Scalar> state = m_scalars; // no step is taken yet
    const kernels::OptimizerUpdate rule = makeUpdate(m_learningRate, 0);
    m_scalars = state;
    const auto bytes = std::visit(
        [](const auto& update) { return static_cast<std::int64_t>(sizeof(update)); }, rule);
    // The numbers of the rule change by step, so the program asks for them when it runs.
    const kernels::StepData update = program.perStep(
        bytes, [this, ofStep = std::move(iterations)](std::int64_t step, std::byte* destination) {
            if (ofStep) {
                beginStep(ofStep(step));
            }
            std::visit(
                [&](const auto& numbers) { std::memcpy(destination, &numbers, sizeof(numbers)); },
                m_update);
        });
    for (const PlacedVariable& variable : variables) {
        placeUpdate(program, variable, rule.index(), update);
    }
}

void Optimizer::placeUpdate(kernels::AcceleratorProgram& program, const PlacedVariable& variable,
                            std::size_t rule, const kernels::StepData& update) const
{
    const auto [first, second, third] = inRuleOrder(variable.slots);
    if (variable.gradient.sparse.rows != nullptr) {
        program.add(kernels::SparseUpdate{.rule = rule,
                                          .update = update,
                                          .weights = variable.weights,
                                          .first = first,
                                          .second = second,
                                          .third = third,
                                          .grad = variable.gradient.sparse},
                    m_className);
    } else {
        program.add(kernels::DenseUpdate{.rule = rule,
                                         .update = update,
                                         .weights = variable.weights,
                                         .first = first,
                                         .second = second,
                                         .third = third,
                                         .grad = variable.gradient.dense},
                    m_className);
    }
    // After the update, of the new weights.
    if (keepsAverages()) {
        program.add(kernels::AverageWeights{.weights = variable.weights,
                                            .averages = variable.averages,
                                            .rate = averageRate()},
                    m_className);
    }
}

void Optimizer::addScalar(std::string_view name, float value)
{
    const auto at = std::find_if(m_scalars.begin(), m_scalars.end(),
                                 [&](const Scalar& scalar) { return scalar.name >= name; });
    m_scalars.insert(at, {.name = name, .value = value});
}

float Optimizer::scalar(std::string_view name) const
{
    const auto at = std::find_if(m_scalars.begin(), m_scalars.end(),
                                 [&](const Scalar& scalar) { return scalar.name == name; });
    CANNERY_CHECK(at != m_scalars.end());
    return at->value;
}

void Optimizer::setScalar(std::string_view name, float value)
{
    const auto at = std::find_if(m_scalars.begin(), m_scalars.end(),
                                 [&](const Scalar& scalar) { return scalar.name == name; });
    CANNERY_CHECK(at != m_scalars.end());
    at->value = value;
}

} // namespace cannery::optimizers
