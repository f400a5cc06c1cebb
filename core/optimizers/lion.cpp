// SPDX-License-Identifier: Apache-2.0
#include "core/optimizers/lion.h"

#include "core/spec/optimizers.pb.h"

namespace cannery::optimizers {
namespace {

class Lion : public Optimizer
{
public:
    Lion(const spec::LionOptimizer& message, OptimizerCommon common)
        : Optimizer("Lion", static_cast<float>(message.learning_rate()), std::move(common),
                    Generation::Keras),
          m_rule{.beta1 = static_cast<float>(message.beta_1()),
                 .take1 = static_cast<float>(1.0 - message.beta_1()),
                 .beta2 = static_cast<float>(message.beta_2()),
                 .take2 = static_cast<float>(1.0 - message.beta_2())}
    {
        addSlot("m");
    }

private:
    kernels::OptimizerUpdate makeUpdate(float learningRate, std::int64_t) override
    {
        kernels::LionUpdate update = m_rule;
        update.learningRate = learningRate;
        return update;
    }

    kernels::LionUpdate m_rule;
};

} // namespace

std::unique_ptr<Optimizer> makeLion(const spec::Optimizer& message, OptimizerCommon common)
{
    return std::make_unique<Lion>(message.lion(), std::move(common));
}

} // namespace cannery::optimizers
