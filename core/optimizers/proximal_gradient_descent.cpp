// SPDX-License-Identifier: Apache-2.0
#include "core/optimizers/proximal_gradient_descent.h"

#include "core/optimizers/optimizer_emission.h"
#include "core/spec/optimizers.pb.h"

namespace cannery::optimizers {
namespace {

class ProximalGradientDescent : public Optimizer
{
public:
    ProximalGradientDescent(const spec::ProximalGradientDescentOptimizer& message,
                            OptimizerCommon common)
        : Optimizer("ProximalGradientDescent", static_cast<float>(message.learning_rate()),
                    std::move(common), Generation::V1),
          m_l1(static_cast<float>(message.l1_regularization_strength())),
          m_l2(static_cast<float>(message.l2_regularization_strength()))
    {}

private:
    kernels::OptimizerUpdate makeUpdate(float learningRate, std::int64_t) override
    {
        return kernels::ProximalGradientDescentUpdate{
            .learningRate = learningRate, .l1 = m_l1, .l2 = m_l2};
    }

    float m_l1;
    float m_l2;
};

} // namespace

std::unique_ptr<Optimizer> makeProximalGradientDescent(const spec::Optimizer& message,
                                                       OptimizerCommon common)
{
    return std::make_unique<ProximalGradientDescent>(message.proximal_gradient_descent(),
                                                     std::move(common));
}

storage::NodeRef emitProximalGradientDescent(const spec::Optimizer& message, UpdateEmitter& update)
{
    const spec::ProximalGradientDescentOptimizer& own = message.proximal_gradient_descent();
    const std::vector<storage::NodeRef> inputs{
        update.rate(), update.number(own.l1_regularization_strength()),
        update.number(own.l2_regularization_strength()), update.grad()};
    return update.isSparse() ? update.sparse("ApplyProximalGradientDescent", {}, inputs)
                             : update.dense("ApplyProximalGradientDescent", {}, inputs);
}

} // namespace cannery::optimizers
