// SPDX-License-Identifier: Apache-2.0
#include "core/schedules/polynomial_decay.h"

#include "core/spec/optimizers.pb.h"
#include "storage/tf/graphs/float_nodes.h"

#include <algorithm>
#include <cmath>

namespace cannery::schedules {
namespace {

class PolynomialDecay : public Schedule
{
public:
    explicit PolynomialDecay(const spec::PolynomialDecay& message)
        : m_learningRate(static_cast<float>(message.learning_rate())),
          m_decaySteps(static_cast<float>(message.decay_steps())),
          m_endLearningRate(static_cast<float>(message.end_learning_rate())),
          m_power(static_cast<float>(message.power())), m_cycle(message.cycle())
    {}

    float learningRate(std::int64_t step) const override
    {
        float position = static_cast<float>(step);
        float length = m_decaySteps;
        if (m_cycle) {
            length *= step == 0 ? 1.0F : std::ceil(position / m_decaySteps);
        } else {
            position = std::min(position, length);
        }
        return (m_learningRate - m_endLearningRate) * std::pow(1.0F - position / length, m_power) +
               m_endLearningRate;
    }

private:
    float m_learningRate;
    float m_decaySteps;
    float m_endLearningRate;
    float m_power;
    bool m_cycle;
};

} // namespace

Result<std::unique_ptr<Schedule>> makePolynomialDecay(const spec::Schedule& message, std::uint64_t)
{
    return std::make_unique<PolynomialDecay>(message.polynomial_decay());
}

storage::NodeRef emitPolynomialDecay(const spec::Schedule& message,
                                     const storage::FloatNodes& nodes, const storage::NodeRef& step)
{
    const spec::PolynomialDecay& decay = message.polynomial_decay();
    const storage::NodeRef one = nodes.number(1.0F);
    const storage::NodeRef steps = nodes.number(static_cast<float>(decay.decay_steps()));
    const storage::NodeRef end = nodes.number(static_cast<float>(decay.end_learning_rate()));
    const storage::NodeRef begin = nodes.number(static_cast<float>(decay.learning_rate()));
    storage::NodeRef position = step;
    storage::NodeRef length = steps;
    if (decay.cycle()) {
        const storage::NodeRef cycles = nodes.apply("Ceil", {nodes.divide(step, steps)});
        length = nodes.multiply(steps, nodes.larger(cycles, one));
    } else {
        position = nodes.smaller(step, steps);
    }
    const storage::NodeRef left = nodes.subtract(one, nodes.divide(position, length));
    const storage::NodeRef curve =
        nodes.apply("Pow", {left, nodes.number(static_cast<float>(decay.power()))});
    return nodes.add(nodes.multiply(nodes.subtract(begin, end), curve), end);
}

} // namespace cannery::schedules
