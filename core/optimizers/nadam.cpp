// SPDX-License-Identifier: Apache-2.0
#include "core/optimizers/nadam.h"

#include "core/spec/optimizers.pb.h"

namespace cannery::optimizers {
namespace {

constexpr float kScheduleDecay = 0.004F;

OptimizerCommon withoutDecay(OptimizerCommon common)
{
    common.decay = 0.0F;
    return common;
}

class Nadam : public Optimizer
{
public:
    Nadam(const spec::NadamOptimizer& message, OptimizerCommon common)
        : Optimizer("Nadam", static_cast<float>(message.learning_rate()),
                    withoutDecay(std::move(common))),
          m_epsilon(orKerasEpsilon(message.epsilon()))
    {
        addScalar("beta_1", static_cast<float>(message.beta_1()));
        addScalar("beta_2", static_cast<float>(message.beta_2()));
        setScalar("decay", kScheduleDecay);
        addScalar("momentum_cache", 1.0F);
        addSlot("m");
        addSlot("v");
    }

private:
    kernels::OptimizerUpdate makeUpdate(float learningRate, std::int64_t iterations) override
    {
        kernels::NadamUpdate update{.learningRate = learningRate,
                                    .beta1 = scalar("beta_1"),
                                    .beta2 = scalar("beta_2"),
                                    .epsilon = m_epsilon,
                                    .scheduleDecay = kScheduleDecay};
        update.setIterations(iterations, scalar("momentum_cache"));
        setScalar("momentum_cache", update.product);
        return update;
    }

    float m_epsilon;
};

} // namespace

std::unique_ptr<Optimizer> makeNadam(const spec::Optimizer& message, OptimizerCommon common)
{
    return std::make_unique<Nadam>(message.nadam(), std::move(common));
}

} // namespace cannery::optimizers
