// SPDX-License-Identifier: Apache-2.0
#include "core/optimizers/sgd.h"

#include "core/optimizers/optimizer_emission.h"
#include "core/spec/optimizers.pb.h"

namespace cannery::optimizers {
namespace {

class Sgd : public Optimizer
{
public:
    Sgd(const spec::SgdOptimizer& message, OptimizerCommon common)
        : Optimizer("SGD", static_cast<float>(message.learning_rate()), std::move(common)),
          m_nesterov(message.nesterov())
    {
        addScalar("momentum", static_cast<float>(message.momentum()));
        if (message.momentum() > 0) {
            addSlot("momentum");
        }
    }

private:
    kernels::OptimizerUpdate makeUpdate(float learningRate, std::int64_t) override
    {
        return kernels::SgdUpdate{.learningRate = learningRate,
                                  .momentum = slots().empty() ? 0.0F : scalar("momentum"),
                                  .nesterov = m_nesterov};
    }

    bool m_nesterov;
};

} // namespace

std::unique_ptr<Optimizer> makeSgd(const spec::Optimizer& message, OptimizerCommon common)
{
    return std::make_unique<Sgd>(message.sgd(), std::move(common));
}

storage::NodeRef emitSgd(const spec::Optimizer& message, UpdateEmitter& update)
{
    const storage::FloatNodes& nodes = update.nodes();
    if (update.hasSlot("momentum")) {
        const storage::Attrs nesterov{{"use_nesterov", message.sgd().nesterov()}};
        return update.isSparse()
                   ? update.sparse("ApplyKerasMomentum", {"momentum"},
                                   {update.rate(), update.grad()}, {update.scalar("momentum")},
                                   nesterov)
                   : update.dense("ApplyKerasMomentum", {"momentum"},
                                  {update.rate(), update.grad(), update.scalar("momentum")},
                                  nesterov);
    }
    if (!update.isSparse()) {
        return update.dense("ApplyGradientDescent", {}, {update.rate(), update.grad()});
    }
    // TensorFlow has no sparse operation for it.
    const storage::NodeRef step = nodes.multiply(update.grad(), update.rate());
    update.addRows(update.variable(), nodes.apply("Neg", {step}));
    return update.last();
}

} // namespace cannery::optimizers
