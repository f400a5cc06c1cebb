// SPDX-License-Identifier: Apache-2.0
#include "core/optimizers/rmsprop.h"

#include "core/spec/optimizers.pb.h"

namespace cannery::optimizers {
namespace {

class Rmsprop : public Optimizer
{
public:
    Rmsprop(const spec::RmspropOptimizer& message, OptimizerCommon common)
        : Optimizer("RMSprop", static_cast<float>(message.learning_rate()), std::move(common)),
          m_epsilon(orKerasEpsilon(message.epsilon())), m_hasMomentum(message.momentum() > 0),
          m_centered(message.centered())
    {
        addScalar("momentum", static_cast<float>(message.momentum()));
        addScalar("rho", static_cast<float>(message.rho()));
        addSlot("rms");
        if (m_hasMomentum) {
            addSlot("momentum");
        } else {
            skipSecondSlot();
        }
        if (m_centered) {
            addSlot("mg");
        }
    }

private:
    kernels::OptimizerUpdate makeUpdate(float learningRate, std::int64_t) override
    {
        return kernels::RmsPropUpdate{.learningRate = learningRate,
                                      .rho = scalar("rho"),
                                      .momentum = m_hasMomentum ? scalar("momentum") : 0.0F,
                                      .epsilon = m_epsilon,
                                      .centered = m_centered};
    }

    float m_epsilon;
    bool m_hasMomentum;
    bool m_centered;
};

} // namespace

std::unique_ptr<Optimizer> makeRmsprop(const spec::Optimizer& message, OptimizerCommon common)
{
    return std::make_unique<Rmsprop>(message.rmsprop(), std::move(common));
}

} // namespace cannery::optimizers
