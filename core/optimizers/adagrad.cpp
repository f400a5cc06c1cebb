// SPDX-License-Identifier: Apache-2.0
#include "core/optimizers/adagrad.h"

#include "core/optimizers/keras_epsilon.h"
#include "core/optimizers/optimizer_emission.h"
#include "core/spec/optimizers.pb.h"

namespace cannery::optimizers {
namespace {

class Adagrad : public Optimizer
{
public:
    Adagrad(const spec::AdagradOptimizer& message, OptimizerCommon common)
        : Optimizer("Adagrad", static_cast<float>(message.learning_rate()), std::move(common)),
          m_epsilon(orKerasEpsilon(message.epsilon()))
    {
        addSlot("accumulator", static_cast<float>(message.initial_accumulator_value()));
    }

private:
    kernels::OptimizerUpdate makeUpdate(float learningRate, std::int64_t) override
    {
        return kernels::AdagradUpdate{.learningRate = learningRate, .epsilon = m_epsilon};
    }

    float m_epsilon;
};

} // namespace

std::unique_ptr<Optimizer> makeAdagrad(const spec::Optimizer& message, OptimizerCommon common)
{
    return std::make_unique<Adagrad>(message.adagrad(), std::move(common));
}

storage::NodeRef emitAdagrad(const spec::Optimizer& message, UpdateEmitter& update)
{
    const std::vector<storage::NodeRef> inputs{
        update.rate(), update.number(kerasEpsilon(message.adagrad().epsilon())), update.grad()};
    return update.isSparse() ? update.sparse("ApplyAdagradV2", {"accumulator"}, inputs)
                             : update.dense("ApplyAdagradV2", {"accumulator"}, inputs);
}

} // namespace cannery::optimizers
