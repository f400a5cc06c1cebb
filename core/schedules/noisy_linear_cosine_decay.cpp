// SPDX-License-Identifier: Apache-2.0
#include "core/schedules/noisy_linear_cosine_decay.h"

#include "core/spec/optimizers.pb.h"
#include "kernels/device/random.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace cannery::schedules {
namespace {

/// Keeps this noise apart from everything else that is drawn with the seed of a training.
constexpr std::uint64_t kNoiseKey = 0x6C1E27D3A5F84B91ULL;

class NoisyLinearCosineDecay : public Schedule
{
public:
    NoisyLinearCosineDecay(const spec::NoisyLinearCosineDecay& message, std::uint64_t seed)
        : m_seed(seed ^ kNoiseKey), m_learningRate(static_cast<float>(message.learning_rate())),
          m_decaySteps(static_cast<float>(message.decay_steps())),
          m_variance(static_cast<float>(message.initial_variance())),
          m_varianceDecay(static_cast<float>(message.variance_decay())),
          m_periods(static_cast<float>(message.num_periods())),
          m_alpha(static_cast<float>(message.alpha())), m_beta(static_cast<float>(message.beta()))
    {}

    float learningRate(std::int64_t step) const override
    {
        const float position = std::min(static_cast<float>(step), m_decaySteps);
        const float line = (m_decaySteps - position) / m_decaySteps;
        const float deviation = std::sqrt(m_variance / std::pow(1.0F + position, m_varianceDecay));
        kernels::RandomStream stream(m_seed, static_cast<std::uint64_t>(step));
        const float noise = deviation * static_cast<float>(stream.nextNormal());
        const float turns = 2.0F * m_periods * (position / m_decaySteps);
        const float cosine = 0.5F * (1.0F + std::cos(std::numbers::pi_v<float> * turns));
        return m_learningRate * ((m_alpha + line + noise) * cosine + m_beta);
    }

private:
    std::uint64_t m_seed;
    float m_learningRate;
    float m_decaySteps;
    float m_variance;
    float m_varianceDecay;
    float m_periods;
    float m_alpha;
    float m_beta;
};

} // namespace

Result<std::unique_ptr<Schedule>> makeNoisyLinearCosineDecay(const spec::Schedule& message,
                                                             std::uint64_t seed)
{
    return std::make_unique<NoisyLinearCosineDecay>(message.noisy_linear_cosine_decay(), seed);
}

} // namespace cannery::schedules
