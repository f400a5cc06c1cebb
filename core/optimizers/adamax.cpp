// SPDX-License-Identifier: Apache-2.0
#include "core/optimizers/adamax.h"

#include "core/spec/optimizers.pb.h"

namespace cannery::optimizers {
namespace {

class Adamax : public Optimizer
{
public:
    Adamax(const spec::AdamaxOptimizer& message, OptimizerCommon common)
        : Optimizer("Adamax", static_cast<float>(message.learning_rate()), std::move(common)),
          m_epsilon(orKerasEpsilon(message.epsilon()))
    {
        addScalar("beta_1", static_cast<float>(message.beta_1()));
        addScalar("beta_2", static_cast<float>(message.beta_2()));
        addSlot("m");
        addSlot("v");
    }

private:
    kernels::OptimizerUpdate makeUpdate(float learningRate, std::int64_t iterations) override
    {
        kernels::AdamaxUpdate update{.learningRate = learningRate,
                                     .beta1 = scalar("beta_1"),
                                     .beta2 = scalar("beta_2"),
                                     .epsilon = m_epsilon};
        update.setIterations(iterations);
        return update;
    }

    float m_epsilon;
};

} // namespace

std::unique_ptr<Optimizer> makeAdamax(const spec::Optimizer& message, OptimizerCommon common)
{
    return std::make_unique<Adamax>(message.adamax(), std::move(common));
}

} // namespace cannery::optimizers
