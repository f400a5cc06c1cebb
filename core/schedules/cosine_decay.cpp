// SPDX-License-Identifier: Apache-2.0
#include "core/schedules/cosine_decay.h"

#include "core/spec/optimizers.pb.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace cannery::schedules {
namespace {

class CosineDecay : public Schedule
{
public:
    explicit CosineDecay(const spec::CosineDecay& message)
        : m_learningRate(static_cast<float>(message.learning_rate())),
          m_decaySteps(static_cast<float>(message.decay_steps())),
          m_alpha(static_cast<float>(message.alpha())),
          m_oneMinusAlpha(static_cast<float>(1.0 - message.alpha()))
    {}

    float learningRate(std::int64_t step) const override
    {
        const float position = std::min(static_cast<float>(step), m_decaySteps);
        const float angle = std::numbers::pi_v<float> * (position / m_decaySteps);
        const float cosine = 0.5F * (1.0F + std::cos(angle));
        return m_learningRate * (m_oneMinusAlpha * cosine + m_alpha);
    }

private:
    float m_learningRate;
    float m_decaySteps;
    float m_alpha;
    float m_oneMinusAlpha;
};

} // namespace

Result<std::unique_ptr<Schedule>> makeCosineDecay(const spec::Schedule& message, std::uint64_t)
{
    return std::make_unique<CosineDecay>(message.cosine_decay());
}

} // namespace cannery::schedules
