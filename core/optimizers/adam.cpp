// SPDX-License-Identifier: Apache-2.0
#include "core/optimizers/adam.h"

#include "core/spec/optimizers.pb.h"

namespace cannery::optimizers {
namespace {

class Adam : public Optimizer
{
public:
    Adam(const spec::AdamOptimizer& message, OptimizerCommon common)
        : Optimizer("Adam", static_cast<float>(message.learning_rate()), std::move(common)),
          m_epsilon(orKerasEpsilon(message.epsilon())), m_amsgrad(message.amsgrad())
    {
        addScalar("beta_1", static_cast<float>(message.beta_1()));
        addScalar("beta_2", static_cast<float>(message.beta_2()));
        addSlot("m");
        addSlot("v");
        if (m_amsgrad) {
            addSlot("vhat");
        }
    }

private:
    kernels::OptimizerUpdate makeUpdate(float learningRate, std::int64_t iterations) override
    {
        kernels::AdamUpdate update{.learningRate = learningRate,
                                   .beta1 = scalar("beta_1"),
                                   .beta2 = scalar("beta_2"),
                                   .epsilon = m_epsilon,
                                   .amsgrad = m_amsgrad};
        update.setIterations(iterations);
        return update;
    }

    float m_epsilon;
    bool m_amsgrad;
};

} // namespace

std::unique_ptr<Optimizer> makeAdam(const spec::Optimizer& message, OptimizerCommon common)
{
    return std::make_unique<Adam>(message.adam(), std::move(common));
}

} // namespace cannery::optimizers
