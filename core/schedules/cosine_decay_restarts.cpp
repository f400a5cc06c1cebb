// SPDX-License-Identifier: Apache-2.0
#include "core/schedules/cosine_decay_restarts.h"

#include "core/spec/optimizers.pb.h"

#include <cmath>
#include <numbers>

namespace cannery::schedules {
namespace {

class CosineDecayRestarts : public Schedule
{
public:
    explicit CosineDecayRestarts(const spec::CosineDecayRestarts& message)
        : m_learningRate(static_cast<float>(message.learning_rate())),
          m_firstDecaySteps(static_cast<float>(message.first_decay_steps())),
          m_tMul(static_cast<float>(message.t_mul())), m_mMul(static_cast<float>(message.m_mul())),
          m_alpha(static_cast<float>(message.alpha()))
    {}

    float learningRate(std::int64_t step) const override
    {
        float fraction = static_cast<float>(step) / m_firstDecaySteps;
        float period = 0.0F;
        if (m_tMul == 1.0F) {
            period = std::floor(fraction);
            fraction -= period;
        } else {
            period = std::floor(std::log(1.0F - fraction * (1.0F - m_tMul)) / std::log(m_tMul));
            const float length = std::pow(m_tMul, period);
            const float before = (1.0F - length) / (1.0F - m_tMul);
            fraction = (fraction - before) / length;
        }
        const float height = std::pow(m_mMul, period);
        const float cosine =
            0.5F * height * (1.0F + std::cos(std::numbers::pi_v<float> * fraction));
        return m_learningRate * ((1.0F - m_alpha) * cosine + m_alpha);
    }

private:
    float m_learningRate;
    float m_firstDecaySteps;
    float m_tMul;
    float m_mMul;
    float m_alpha;
};

} // namespace

Result<std::unique_ptr<Schedule>> makeCosineDecayRestarts(const spec::Schedule& message,
                                                          std::uint64_t)
{
    return std::make_unique<CosineDecayRestarts>(message.cosine_decay_restarts());
}

} // namespace cannery::schedules
