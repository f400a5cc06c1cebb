// SPDX-License-Identifier: Apache-2.0
#include "core/optimizers/rmsprop.h"

#include "core/optimizers/keras_epsilon.h"
#include "core/optimizers/optimizer_emission.h"
#include "core/spec/optimizers.pb.h"

namespace cannery::optimizers {
namespace {

class Rmsprop : public Optimizer
{
public:
    Rmsprop(const spec::RmspropOptimizer& message, OptimizerCommon common)
        : Optimizer("RMSprop", static_cast<float>(message.learning_rate()), std::move(common)),
          m_epsilon(orKerasEpsilon(message.epsilon())), m_hasMomentum(message.momentum() > 0),
          m_centered(message.centered())
    {
        addScalar("momentum", static_cast<float>(message.momentum()));
        addScalar("rho", static_cast<float>(message.rho()));
        addSlot("rms");
        if (m_hasMomentum) {
            addSlot("momentum");
        } else {
            // The third slot keeps its place in the rule.
            skipSecondSlot();
        }
        if (m_centered) {
            addSlot("mg");
        }
    }

private:
    kernels::OptimizerUpdate makeUpdate(float learningRate, std::int64_t) override
    {
        return kernels::RmsPropUpdate{.learningRate = learningRate,
                                      .rho = scalar("rho"),
                                      .momentum = m_hasMomentum ? scalar("momentum") : 0.0F,
                                      .epsilon = m_epsilon,
                                      .centered = m_centered};
    }

    float m_epsilon;
    bool m_hasMomentum;
    bool m_centered;
};

/// Its operation for one with momentum; the slot of the gradients' means is for a centered one.
storage::NodeRef emitWithMomentum(UpdateEmitter& update, const storage::NodeRef& epsilon)
{
    const bool isCentered = update.hasSlot("mg");
    const std::vector<storage::NodeRef> inputs{update.rate(), update.scalar("rho"),
                                               update.scalar("momentum"), epsilon, update.grad()};
    const std::vector<const char*> slots = isCentered
                                               ? std::vector<const char*>{"mg", "rms", "momentum"}
                                               : std::vector<const char*>{"rms", "momentum"};
    const char* op = isCentered ? "ApplyCenteredRMSProp" : "ApplyRMSProp";
    return update.isSparse() ? update.sparse(op, slots, inputs) : update.dense(op, slots, inputs);
}

} // namespace

std::unique_ptr<Optimizer> makeRmsprop(const spec::Optimizer& message, OptimizerCommon common)
{
    return std::make_unique<Rmsprop>(message.rmsprop(), std::move(common));
}

storage::NodeRef emitRmsprop(const spec::Optimizer& message, UpdateEmitter& update)
{
    const storage::FloatNodes& nodes = update.nodes();
    const storage::NodeRef epsilon = update.number(kerasEpsilon(message.rmsprop().epsilon()));
    if (update.hasSlot("momentum")) {
        return emitWithMomentum(update, epsilon);
    }
    storage::NodeRef divisor = update.follow("rms", "rho", nodes.apply("Square", {update.grad()}));
    if (update.hasSlot("mg")) {
        divisor = nodes.subtract(
            divisor, nodes.apply("Square", {update.follow("mg", "rho", update.grad())}));
    }
    const storage::NodeRef change =
        nodes.divide(nodes.multiply(update.rate(), update.grad()),
                     nodes.add(nodes.apply("Sqrt", {divisor}), epsilon));
    if (update.isSparse()) {
        update.addRows(update.variable(), nodes.apply("Neg", {change}));
    } else {
        update.subtract(update.variable(), change);
    }
    return update.last();
}

} // namespace cannery::optimizers
