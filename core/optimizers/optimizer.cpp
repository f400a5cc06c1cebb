// SPDX-License-Identifier: Apache-2.0
#include "core/optimizers/optimizer.h"

#include "core/base/check.h"
#include "core/optimizers/keras_epsilon.h"

#include <fmt/format.h>

#include <algorithm>

namespace cannery::optimizers {

std::string SlotSpec::tensorName(std::string_view prefix, std::string_view variable) const
{
    return isBesideVariable ? fmt::format("{}/{}", variable, name)
                            : fmt::format("{}/{}/{}", prefix, variable, name);
}

Optimizer::Optimizer(std::string_view className, float learningRate, OptimizerCommon common,
                     Generation generation)
    : m_className(className), m_common(std::move(common)), m_generation(generation),
      m_constantRate(learningRate), m_learningRate(learningRate)
{
    if (keepsAverages()) {
        m_slots.push_back({.name = kAverageSlot, .isBesideVariable = true, .startsAsWeight = true});
    }
    if (generation == Generation::V1) {
        return;
    }
    addScalar("decay", m_common.decay);
    if (m_common.schedule == nullptr) {
        addScalar("learning_rate", learningRate);
    }
}

void Optimizer::beginStep(std::int64_t iterations)
{
    m_learningRate = m_common.schedule != nullptr     ? m_common.schedule->learningRate(iterations)
                     : m_generation == Generation::V1 ? m_constantRate
                                                      : scalar("learning_rate");
    if (m_common.decay > 0.0F) {
        m_learningRate /= 1.0F + m_common.decay * static_cast<float>(iterations);
    }
    m_update = makeUpdate(m_learningRate, iterations);
    if (m_kernels == nullptr) {
        m_kernels = &kernels::optimizerStepKernels({.update = m_update});
    }
}

float Optimizer::orKerasEpsilon(double epsilon)
{
    return static_cast<float>(kerasEpsilon(epsilon));
}

void Optimizer::addSlot(std::string_view name, float initialValue)
{
    CANNERY_CHECK(m_ruleSlots < 3);
    const SlotSpec slot{.name = name,
                        .initialValue = initialValue,
                        .isBesideVariable = m_generation == Generation::V1};
    m_slots.insert(m_slots.begin() + static_cast<std::ptrdiff_t>(m_ruleSlots++), slot);
}

kernels::OptimizerSlots Optimizer::placed(const kernels::OptimizerSlots& slots) const
{
    const auto own = [this](std::size_t place, std::span<float> slot) {
        return place < m_ruleSlots ? slot : std::span<float>();
    };
    if (m_hasSecondSlot) {
        return {.first = own(0, slots.first),
                .second = own(1, slots.second),
                .third = own(2, slots.third)};
    }
    return {.first = own(0, slots.first), .second = {}, .third = own(1, slots.second)};
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
