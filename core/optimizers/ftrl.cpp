// SPDX-License-Identifier: Apache-2.0
#include "core/optimizers/ftrl.h"

#include "core/optimizers/optimizer_emission.h"
#include "core/spec/optimizers.pb.h"

namespace cannery::optimizers {
namespace {

class Ftrl : public Optimizer
{
public:
    Ftrl(const spec::FtrlOptimizer& message, OptimizerCommon common)
        : Optimizer("Ftrl", static_cast<float>(message.learning_rate()), std::move(common)),
          m_l2Shrinkage(static_cast<float>(message.l2_shrinkage_regularization_strength()))
    {
        addScalar("beta", static_cast<float>(message.beta()));
        addScalar("l1_regularization_strength",
                  static_cast<float>(message.l1_regularization_strength()));
        addScalar("l2_regularization_strength",
                  static_cast<float>(message.l2_regularization_strength()));
        addScalar("learning_rate_power", static_cast<float>(message.learning_rate_power()));
        addSlot("accumulator", static_cast<float>(message.initial_accumulator_value()));
        addSlot("linear");
    }

private:
    kernels::OptimizerUpdate makeUpdate(float learningRate, std::int64_t) override
    {
        return kernels::FtrlUpdate{.learningRate = learningRate,
                                   .learningRatePower = scalar("learning_rate_power"),
                                   .l1 = scalar("l1_regularization_strength"),
                                   .l2 = scalar("l2_regularization_strength"),
                                   .l2Shrinkage = m_l2Shrinkage,
                                   .beta = scalar("beta")};
    }

    float m_l2Shrinkage;
};

} // namespace

std::unique_ptr<Optimizer> makeFtrl(const spec::Optimizer& message, OptimizerCommon common)
{
    return std::make_unique<Ftrl>(message.ftrl(), std::move(common));
}

/// TensorFlow's operation knows no beta: it is part of l2.
storage::NodeRef emitFtrl(const spec::Optimizer& message, UpdateEmitter& update)
{
    const storage::FloatNodes& nodes = update.nodes();
    const double shrinkage = message.ftrl().l2_shrinkage_regularization_strength();
    const storage::NodeRef twice = nodes.multiply(nodes.number(2.0F), update.rate());
    const storage::NodeRef l2 = nodes.add(update.scalar("l2_regularization_strength"),
                                          nodes.divide(update.scalar("beta"), twice));
    std::vector<storage::NodeRef> rule{update.rate(), update.scalar("l1_regularization_strength"),
                                       l2};
    // The operation with shrinkage takes one number more.
    if (shrinkage > 0) {
        rule.push_back(update.number(shrinkage));
    }
    rule.push_back(update.scalar("learning_rate_power"));
    const char* op = shrinkage > 0 ? "ApplyFtrlV2" : "ApplyFtrl";
    if (update.isSparse()) {
        return update.sparse(op, {"accumulator", "linear"}, {update.grad()}, rule);
    }
    rule.insert(rule.begin(), update.grad());
    return update.dense(op, {"accumulator", "linear"}, rule);
}

} // namespace cannery::optimizers
