// SPDX-License-Identifier: Apache-2.0
#include "core/optimizers/nadam.h"

#include "core/optimizers/keras_epsilon.h"
#include "core/optimizers/optimizer_emission.h"
#include "core/spec/optimizers.pb.h"

namespace cannery::optimizers {
namespace {

constexpr float kScheduleDecay = 0.004F;

OptimizerCommon withoutDecay(OptimizerCommon common)
{
    // The decay is part of Nadam's own schedule.
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
        // The product goes on from step to step, and into checkpoints.
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

/// As kernels::NadamUpdate. Every update of a step writes the same product.
storage::NodeRef emitNadam(const spec::Optimizer& message, UpdateEmitter& update)
{
    const storage::FloatNodes& nodes = update.nodes();
    const storage::NodeRef one = nodes.number(1.0F);
    const auto momentum = [&](const storage::NodeRef& step) {
        const storage::NodeRef exponent = nodes.multiply(nodes.number(kScheduleDecay), step);
        const storage::NodeRef power = nodes.apply("Pow", {nodes.number(0.96F), exponent});
        const storage::NodeRef half = nodes.multiply(nodes.number(0.5F), power);
        return nodes.multiply(update.scalar("beta_1"), nodes.subtract(one, half));
    };
    const storage::NodeRef mu = momentum(update.stepNumber());
    const storage::NodeRef nextMu = momentum(nodes.add(update.stepNumber(), one));
    const storage::NodeRef product = nodes.multiply(update.scalar("momentum_cache"), mu);
    const storage::NodeRef nextProduct = nodes.multiply(product, nextMu);
    update.assign(update.scalarVariable("momentum_cache").handle, product);
    const storage::NodeRef first = update.follow("m", "beta_1", update.grad());
    const storage::NodeRef second =
        update.follow("v", "beta_2", nodes.apply("Square", {update.grad()}));
    const storage::NodeRef now = nodes.multiply(
        nodes.subtract(one, mu), nodes.divide(update.grad(), nodes.subtract(one, product)));
    const storage::NodeRef ahead =
        nodes.multiply(nextMu, nodes.divide(first, nodes.subtract(one, nextProduct)));
    const storage::NodeRef corrected =
        nodes.divide(second, nodes.subtract(one, update.power("beta_2")));
    const storage::NodeRef root = nodes.add(nodes.apply("Sqrt", {corrected}),
                                            update.number(kerasEpsilon(message.nadam().epsilon())));
    const storage::NodeRef change =
        nodes.divide(nodes.multiply(update.rate(), nodes.add(now, ahead)), root);
    if (update.isSparse()) {
        update.addRows(update.variable(), nodes.apply("Neg", {change}));
    } else {
        update.subtract(update.variable(), change);
    }
    return update.last();
}

} // namespace cannery::optimizers
