// SPDX-License-Identifier: Apache-2.0
#include "core/optimizers/adamw.h"

#include "core/spec/optimizers.pb.h"

namespace cannery::optimizers {
namespace {

class AdamW : public Optimizer
{
public:
    AdamW(const spec::AdamWOptimizer& message, OptimizerCommon common)
        : Optimizer("AdamW", static_cast<float>(message.learning_rate()), std::move(common)),
          m_beta1(message.beta_1()), m_beta2(message.beta_2()),
          m_epsilon(static_cast<float>(message.epsilon()))
    {
        addScalar("beta_1", static_cast<float>(message.beta_1()));
        addScalar("beta_2", static_cast<float>(message.beta_2()));
        addScalar("weight_decay", static_cast<float>(message.weight_decay()));
        addSlot("m");
        addSlot("v");
    }

private:
    kernels::OptimizerUpdate makeUpdate(float learningRate, std::int64_t iterations) override
    {
        kernels::AdamWUpdate update{.adam = {.learningRate = learningRate,
                                             .beta1 = scalar("beta_1"),
                                             .beta2 = scalar("beta_2"),
                                             .epsilon = m_epsilon},
                                    .weightDecay = scalar("weight_decay")};
        update.adam.setIterations(iterations);
        update.adam.take1 = complement(m_beta1, update.adam.beta1);
        update.adam.take2 = complement(m_beta2, update.adam.beta2);
        return update;
    }

    /// 1 - beta in double, as in Keras, whose legacy optimizers compute it in float: of 0.999 that
    /// differs by 5e-5. Unless a checkpoint has brought another beta.
    static float complement(double given, float used)
    {
        return static_cast<float>(given) == used ? static_cast<float>(1.0 - given) : 1.0F - used;
    }

    double m_beta1;
    double m_beta2;
    float m_epsilon;
};

} // namespace

std::unique_ptr<Optimizer> makeAdamW(const spec::Optimizer& message, OptimizerCommon common)
{
    return std::make_unique<AdamW>(message.adamw(), std::move(common));
}

} // namespace cannery::optimizers
