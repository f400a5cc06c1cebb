// SPDX-License-Identifier: Apache-2.0
#include "core/schedules/inverse_time_decay.h"

#include "core/spec/optimizers.pb.h"
#include "storage/tf/graphs/float_nodes.h"

#include <cmath>

namespace cannery::schedules {
namespace {

class InverseTimeDecay : public Schedule
{
public:
    explicit InverseTimeDecay(const spec::InverseTimeDecay& message)
        : m_learningRate(static_cast<float>(message.learning_rate())),
          m_decaySteps(static_cast<float>(message.decay_steps())),
          m_decayRate(static_cast<float>(message.decay_rate())), m_staircase(message.staircase())
    {}

    float learningRate(std::int64_t step) const override
    {
        const float periods = static_cast<float>(step) / m_decaySteps;
        return m_learningRate /
               (1.0F + m_decayRate * (m_staircase ? std::floor(periods) : periods));
    }

private:
    float m_learningRate;
    float m_decaySteps;
    float m_decayRate;
    bool m_staircase;
};

} // namespace

Result<std::unique_ptr<Schedule>> makeInverseTimeDecay(const spec::Schedule& message, std::uint64_t)
{
    return std::make_unique<InverseTimeDecay>(message.inverse_time_decay());
}

storage::NodeRef emitInverseTimeDecay(const spec::Schedule& message,
                                      const storage::FloatNodes& nodes,
                                      const storage::NodeRef& step)
{
    const spec::InverseTimeDecay& decay = message.inverse_time_decay();
    const storage::NodeRef periods =
        nodes.divide(step, nodes.number(static_cast<float>(decay.decay_steps())));
    const storage::NodeRef growth =
        nodes.multiply(nodes.number(static_cast<float>(decay.decay_rate())),
                       decay.staircase() ? nodes.apply("Floor", {periods}) : periods);
    return nodes.divide(nodes.number(static_cast<float>(decay.learning_rate())),
                        nodes.add(nodes.number(1.0F), growth));
}

} // namespace cannery::schedules
