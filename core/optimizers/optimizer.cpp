// SPDX-License-Identifier: Apache-2.0
#include "core/optimizers/optimizer.h"

#include "core/base/check.h"

#include <algorithm>

namespace cannery::optimizers {

Optimizer::Optimizer(std::string_view className, float learningRate, OptimizerCommon common)
    : m_className(className), m_common(std::move(common)), m_learningRate(learningRate)
{
    addScalar("decay", m_common.decay);
    if (m_common.schedule == nullptr) {
        addScalar("learning_rate", learningRate);
    }
}

void Optimizer::beginStep(std::int64_t iterations)
{
    m_learningRate = m_common.schedule != nullptr ? m_common.schedule->learningRate(iterations)
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
    return epsilon == 0.0 ? 1e-7F : static_cast<float>(epsilon);
}

void Optimizer::addSlot(std::string_view name, float initialValue)
{
    CANNERY_CHECK(m_slots.size() < 3);
    m_slots.push_back({.name = name, .initialValue = initialValue});
}

kernels::OptimizerSlots Optimizer::placed(const kernels::OptimizerSlots& slots) const
{
    if (m_hasSecondSlot) {
        return slots;
    }
    return {.first = slots.first, .second = {}, .third = slots.second};
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
