// SPDX-License-Identifier: Apache-2.0
#include "core/optimizers/adamax.h"

#include "core/optimizers/keras_epsilon.h"
#include "core/optimizers/optimizer_emission.h"
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

storage::NodeRef emitAdamax(const spec::Optimizer& message, UpdateEmitter& update)
{
    const storage::FloatNodes& nodes = update.nodes();
    const storage::NodeRef epsilon = update.number(kerasEpsilon(message.adamax().epsilon()));
    if (!update.isSparse()) {
        return update.dense("ApplyAdaMax", {"m", "v"},
                            {update.power("beta_1"), update.rate(), update.scalar("beta_1"),
                             update.scalar("beta_2"), epsilon, update.grad()});
    }
    // Only the rows with a gradient move, as in Keras.
    const storage::NodeRef first =
        nodes.add(nodes.multiply(update.readRows(update.slot("m")), update.scalar("beta_1")),
                  nodes.multiply(update.grad(), update.rest("beta_1")));
    update.assignRows(update.slot("m"), first);
    const storage::NodeRef second =
        nodes.larger(nodes.multiply(update.readRows(update.slot("v")), update.scalar("beta_2")),
                     nodes.apply("Abs", {update.grad()}));
    update.assignRows(update.slot("v"), second);
    const storage::NodeRef correction = nodes.subtract(nodes.number(1.0F), update.power("beta_1"));
    const storage::NodeRef rate = nodes.divide(nodes.apply("Neg", {update.rate()}), correction);
    update.addRows(update.variable(),
                   nodes.multiply(rate, nodes.divide(first, nodes.add(second, epsilon))));
    return update.last();
}

} // namespace cannery::optimizers
