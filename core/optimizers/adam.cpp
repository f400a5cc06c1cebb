// SPDX-License-Identifier: Apache-2.0
#include "core/optimizers/adam.h"

#include "core/optimizers/keras_epsilon.h"
#include "core/optimizers/optimizer_emission.h"
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

/// Rows without a gradient move too: the moments of all decay.
storage::NodeRef emitSparseAdam(UpdateEmitter& update, const storage::NodeRef& epsilon)
{
    const storage::FloatNodes& nodes = update.nodes();
    update.follow("m", "beta_1", update.grad());
    update.follow("v", "beta_2", nodes.apply("Square", {update.grad()}));
    storage::NodeRef second = update.read(update.slot("v"));
    if (update.hasSlot("vhat")) {
        second = nodes.larger(update.read(update.slot("vhat")), second);
        update.assign(update.slot("vhat"), second);
    }
    const storage::NodeRef one = nodes.number(1.0F);
    const storage::NodeRef corrections =
        nodes.divide(nodes.apply("Sqrt", {nodes.subtract(one, update.power("beta_2"))}),
                     nodes.subtract(one, update.power("beta_1")));
    const storage::NodeRef rate = nodes.multiply(update.rate(), corrections);
    const storage::NodeRef root = nodes.add(nodes.apply("Sqrt", {second}), epsilon);
    update.subtract(update.variable(),
                    nodes.divide(nodes.multiply(rate, update.read(update.slot("m"))), root));
    return update.last();
}

} // namespace

std::unique_ptr<Optimizer> makeAdam(const spec::Optimizer& message, OptimizerCommon common)
{
    return std::make_unique<Adam>(message.adam(), std::move(common));
}

storage::NodeRef emitAdam(const spec::Optimizer& message, UpdateEmitter& update)
{
    const storage::NodeRef epsilon = update.number(kerasEpsilon(message.adam().epsilon()));
    // TensorFlow has no sparse kernel for it, so its parts are emitted.
    if (update.isSparse()) {
        return emitSparseAdam(update, epsilon);
    }
    const std::vector<storage::NodeRef> inputs{update.power("beta_1"),
                                               update.power("beta_2"),
                                               update.rate(),
                                               update.scalar("beta_1"),
                                               update.scalar("beta_2"),
                                               epsilon,
                                               update.grad()};
    return message.adam().amsgrad()
               ? update.dense("ApplyAdamWithAmsgrad", {"m", "v", "vhat"}, inputs)
               : update.dense("ApplyAdam", {"m", "v"}, inputs);
}

} // namespace cannery::optimizers
