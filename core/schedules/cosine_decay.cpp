// SPDX-License-Identifier: Apache-2.0
#include "core/schedules/cosine_decay.h"

#include "core/spec/optimizers.pb.h"
#include "storage/tf/graphs/float_nodes.h"

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

storage::NodeRef emitCosineDecay(const spec::Schedule& message, const storage::FloatNodes& nodes,
                                 const storage::NodeRef& step)
{
    const spec::CosineDecay& decay = message.cosine_decay();
    const storage::NodeRef steps = nodes.number(static_cast<float>(decay.decay_steps()));
    const storage::NodeRef angle = nodes.multiply(nodes.number(std::numbers::pi_v<float>),
                                                  nodes.divide(nodes.smaller(step, steps), steps));
    const storage::NodeRef cosine = nodes.multiply(
        nodes.number(0.5F), nodes.add(nodes.number(1.0F), nodes.apply("Cos", {angle})));
    const storage::NodeRef range = nodes.number(static_cast<float>(1.0 - decay.alpha()));
    const storage::NodeRef share =
        nodes.add(nodes.multiply(range, cosine), nodes.number(static_cast<float>(decay.alpha())));
    return nodes.multiply(nodes.number(static_cast<float>(decay.learning_rate())), share);
}

} // namespace cannery::schedules
