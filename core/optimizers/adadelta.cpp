// SPDX-License-Identifier: Apache-2.0
#include "core/optimizers/adadelta.h"

#include "core/optimizers/keras_epsilon.h"
#include "core/optimizers/optimizer_emission.h"
#include "core/spec/optimizers.pb.h"

namespace cannery::optimizers {
namespace {

class Adadelta : public Optimizer
{
public:
    Adadelta(const spec::AdadeltaOptimizer& message, OptimizerCommon common)
        : Optimizer("Adadelta", static_cast<float>(message.learning_rate()), std::move(common)),
          m_epsilon(orKerasEpsilon(message.epsilon()))
    {
        addScalar("rho", static_cast<float>(message.rho()));
        addSlot("accum_grad");
        addSlot("accum_var");
    }

private:
    kernels::OptimizerUpdate makeUpdate(float learningRate, std::int64_t) override
    {
        return kernels::AdadeltaUpdate{
            .learningRate = learningRate, .rho = scalar("rho"), .epsilon = m_epsilon};
    }

    float m_epsilon;
};

} // namespace

std::unique_ptr<Optimizer> makeAdadelta(const spec::Optimizer& message, OptimizerCommon common)
{
    return std::make_unique<Adadelta>(message.adadelta(), std::move(common));
}

storage::NodeRef emitAdadelta(const spec::Optimizer& message, UpdateEmitter& update)
{
    const std::vector<storage::NodeRef> inputs{
        update.rate(), update.scalar("rho"),
        update.number(kerasEpsilon(message.adadelta().epsilon())), update.grad()};
    return update.isSparse() ? update.sparse("ApplyAdadelta", {"accum_grad", "accum_var"}, inputs)
                             : update.dense("ApplyAdadelta", {"accum_grad", "accum_var"}, inputs);
}

} // namespace cannery::optimizers
