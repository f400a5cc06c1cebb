// SPDX-License-Identifier: Apache-2.0
#include "core/optimizers/proximal_adagrad.h"

#include "core/optimizers/optimizer_emission.h"
#include "core/spec/optimizers.pb.h"

namespace cannery::optimizers {
namespace {

class ProximalAdagrad : public Optimizer
{
public:
    ProximalAdagrad(const spec::ProximalAdagradOptimizer& message, OptimizerCommon common)
        : Optimizer("ProximalAdagrad", static_cast<float>(message.learning_rate()),
                    std::move(common), Generation::V1),
          m_l1(static_cast<float>(message.l1_regularization_strength())),
          m_l2(static_cast<float>(message.l2_regularization_strength()))
    {
        addSlot("ProximalAdagrad", static_cast<float>(message.initial_accumulator_value()));
    }

private:
    kernels::OptimizerUpdate makeUpdate(float learningRate, std::int64_t) override
    {
        return kernels::ProximalAdagradUpdate{.learningRate = learningRate, .l1 = m_l1, .l2 = m_l2};
    }

    float m_l1;
    float m_l2;
};

} // namespace

std::unique_ptr<Optimizer> makeProximalAdagrad(const spec::Optimizer& message,
                                               OptimizerCommon common)
{
    return std::make_unique<ProximalAdagrad>(message.proximal_adagrad(), std::move(common));
}

storage::NodeRef emitProximalAdagrad(const spec::Optimizer& message, UpdateEmitter& update)
{
    const spec::ProximalAdagradOptimizer& own = message.proximal_adagrad();
    const std::vector<storage::NodeRef> inputs{
        update.rate(), update.number(own.l1_regularization_strength()),
        update.number(own.l2_regularization_strength()), update.grad()};
    return update.isSparse() ? update.sparse("ApplyProximalAdagrad", {"ProximalAdagrad"}, inputs)
                             : update.dense("ApplyProximalAdagrad", {"ProximalAdagrad"}, inputs);
}

} // namespace cannery::optimizers
