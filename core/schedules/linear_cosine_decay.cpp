// SPDX-License-Identifier: Apache-2.0
#include "core/schedules/linear_cosine_decay.h"

#include "core/spec/optimizers.pb.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace cannery::schedules {
namespace {

class LinearCosineDecay : public Schedule
{
public:
    explicit LinearCosineDecay(const spec::LinearCosineDecay& message)
        : m_learningRate(static_cast<float>(message.learning_rate())),
          m_decaySteps(static_cast<float>(message.decay_steps())),
          m_periods(static_cast<float>(message.num_periods())),
          m_alpha(static_cast<float>(message.alpha())), m_beta(static_cast<float>(message.beta()))
    {}

    float learningRate(std::int64_t step) const override
    {
        const float position = std::min(static_cast<float>(step), m_decaySteps);
        const float line = (m_decaySteps - position) / m_decaySteps;
        const float turns = 2.0F * m_periods * (position / m_decaySteps);
        const float cosine = 0.5F * (1.0F + std::cos(std::numbers::pi_v<float> * turns));
        return m_learningRate * ((m_alpha + line) * cosine + m_beta);
    }

private:
    float m_learningRate;
    float m_decaySteps;
    float m_periods;
    float m_alpha;
    float m_beta;
};

} // namespace

Result<std::unique_ptr<Schedule>> makeLinearCosineDecay(const spec::Schedule& message,
                                                        std::uint64_t)
{
    return std::make_unique<LinearCosineDecay>(message.linear_cosine_decay());
}

} // namespace cannery::schedules
