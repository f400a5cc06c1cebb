// SPDX-License-Identifier: Apache-2.0
#include "core/optimizers/keras_emission.h"

#include "core/optimizers/optimizer_emission.h"
#include "core/spec/optimizers.pb.h"

namespace cannery::optimizers {

namespace {

using storage::NodeRef;

/// The steps of all kinds, as kernels/math/keras_updates.h has them.
class KerasEmission
{
public:
    KerasEmission(const spec::Optimizer& message, UpdateEmitter& update)
        : m_message(message), m_update(update), m_nodes(update.nodes()), m_grad(update.allRows())
    {}

    /// What the weights become less by.
    NodeRef change();
    void decay();
    void follow();

private:
    NodeRef number(double value) const { return m_update.number(value); }
    NodeRef rest(double value) const { return number(1.0 - value); }
    NodeRef root(const NodeRef& x) const { return m_nodes.apply("Sqrt", {x}); }
    NodeRef square(const NodeRef& x) const { return m_nodes.apply("Square", {x}); }
    NodeRef times(const NodeRef& x, const NodeRef& y) const { return m_nodes.multiply(x, y); }
    NodeRef plus(const NodeRef& x, double y) const { return m_nodes.add(x, number(y)); }
    NodeRef power(double base, const NodeRef& exponent) const
    {
        return m_nodes.apply("Pow", {number(base), exponent});
    }
    NodeRef restOfPower(double base) const
    {
        return m_nodes.subtract(number(1.0), power(base, m_update.stepNumber()));
    }
    NodeRef read(const char* slot) { return m_update.read(m_update.slot(slot)); }
    NodeRef keep(const char* slot, const NodeRef& value)
    {
        m_update.assign(m_update.slot(slot), value);
        return value;
    }
    /// slot = share slot + (1 - share) value
    NodeRef mean(const char* slot, double share, const NodeRef& value)
    {
        return mean(slot, share, rest(share), value);
    }
    NodeRef mean(const char* slot, double share, const NodeRef& others, const NodeRef& value)
    {
        return keep(slot, m_nodes.add(times(read(slot), number(share)), times(value, others)));
    }
    /// 1 - share, computed in float.
    NodeRef floatRest(double share) const { return m_nodes.subtract(number(1.0), number(share)); }
    NodeRef ofSgd();
    NodeRef ofAdam(double beta1, double beta2, double epsilon);
    NodeRef ofAdamax(const spec::AdamaxOptimizer& rule);
    NodeRef ofNadam(const spec::NadamOptimizer& rule);
    NodeRef ofAdagrad(const spec::AdagradOptimizer& rule);
    NodeRef ofAdadelta(const spec::AdadeltaOptimizer& rule);
    NodeRef ofRmsprop(const spec::RmspropOptimizer& rule);
    NodeRef ofFtrl(const spec::FtrlOptimizer& rule);
    NodeRef ofLion(const spec::LionOptimizer& rule);

    const spec::Optimizer& m_message;
    UpdateEmitter& m_update;
    const storage::FloatNodes& m_nodes;
    NodeRef m_grad;
};

NodeRef KerasEmission::ofSgd()
{
    const spec::SgdOptimizer& rule = m_message.sgd();
    const NodeRef step = times(m_grad, m_update.rate());
    const NodeRef moved =
        keep("m", m_nodes.subtract(times(read("m"), number(rule.momentum())), step));
    return rule.nesterov() ? m_nodes.subtract(step, times(moved, number(rule.momentum())))
                           : m_nodes.apply("Neg", {moved});
}

NodeRef KerasEmission::ofAdam(double beta1, double beta2, double epsilon)
{
    const NodeRef first = mean("m", beta1, m_grad);
    NodeRef second = mean("v", beta2, square(m_grad));
    if (m_update.hasSlot("vhat")) {
        second = keep("vhat", m_nodes.larger(read("vhat"), second));
    }
    const NodeRef rate =
        m_nodes.divide(times(m_update.rate(), root(restOfPower(beta2))), restOfPower(beta1));
    return m_nodes.divide(times(first, rate), plus(root(second), epsilon));
}

NodeRef KerasEmission::ofAdamax(const spec::AdamaxOptimizer& rule)
{
    const NodeRef first = mean("m", rule.beta_1(), m_grad);
    const NodeRef size = m_nodes.larger(m_grad, m_nodes.apply("Neg", {m_grad}));
    const NodeRef largest =
        keep("u", m_nodes.larger(times(read("u"), number(rule.beta_2())), size));
    const NodeRef rate = m_nodes.divide(m_update.rate(), restOfPower(rule.beta_1()));
    return m_nodes.divide(times(rate, first), plus(largest, rule.epsilon()));
}

NodeRef KerasEmission::ofNadam(const spec::NadamOptimizer& rule)
{
    const auto momentum = [&](const NodeRef& step) {
        const NodeRef half = times(number(0.5), power(0.96, step));
        return times(number(rule.beta_1()), m_nodes.subtract(number(1.0), half));
    };
    const NodeRef now = momentum(m_update.stepNumber());
    const NodeRef next = momentum(plus(m_update.stepNumber(), 1.0));
    const NodeRef product = times(m_update.scalar("u_product"), now);
    // Every update of a step writes the same product.
    m_update.assign(m_update.scalarVariable("u_product").handle, product);
    const NodeRef first = mean("m", rule.beta_1(), floatRest(rule.beta_1()), m_grad);
    const NodeRef second = mean("v", rule.beta_2(), floatRest(rule.beta_2()), square(m_grad));
    const NodeRef one = number(1.0);
    const NodeRef ofMean =
        m_nodes.divide(times(next, first), m_nodes.subtract(one, times(product, next)));
    const NodeRef ofGradient =
        m_nodes.divide(times(m_nodes.subtract(one, now), m_grad), m_nodes.subtract(one, product));
    const NodeRef size =
        plus(root(m_nodes.divide(second, restOfPower(rule.beta_2()))), rule.epsilon());
    return m_nodes.divide(times(m_nodes.add(ofMean, ofGradient), m_update.rate()), size);
}

NodeRef KerasEmission::ofAdagrad(const spec::AdagradOptimizer& rule)
{
    const NodeRef sum = keep("accumulator", m_nodes.add(read("accumulator"), square(m_grad)));
    return m_nodes.divide(times(m_grad, m_update.rate()), root(plus(sum, rule.epsilon())));
}

NodeRef KerasEmission::ofAdadelta(const spec::AdadeltaOptimizer& rule)
{
    const NodeRef ofGradient = mean("accumulated_grad", rule.rho(), square(m_grad));
    const NodeRef before = root(plus(read("accumulated_delta_var"), rule.epsilon()));
    const NodeRef step =
        times(m_nodes.divide(before, root(plus(ofGradient, rule.epsilon()))), m_grad);
    mean("accumulated_delta_var", rule.rho(), square(step));
    return times(step, m_update.rate());
}

NodeRef KerasEmission::ofRmsprop(const spec::RmspropOptimizer& rule)
{
    NodeRef size = mean("velocity", rule.rho(), square(m_grad));
    if (rule.centered()) {
        size = m_nodes.subtract(size, square(mean("average_gradient", rule.rho(), m_grad)));
    }
    const NodeRef step =
        m_nodes.divide(times(m_grad, m_update.rate()), root(plus(size, rule.epsilon())));
    return rule.momentum() > 0
               ? keep("momentum",
                      m_nodes.add(times(read("momentum"), number(rule.momentum())), step))
               : step;
}

/// What is left is the whole new weight, so the change is the old one less that.
NodeRef KerasEmission::ofFtrl(const spec::FtrlOptimizer& rule)
{
    const NodeRef weights = m_update.read(m_update.variable());
    const NodeRef before = read("accumulator");
    const NodeRef sum = keep("accumulator", m_nodes.add(before, square(m_grad)));
    const auto powered = [&](const NodeRef& x) {
        return m_nodes.apply("Pow", {x, number(-rule.learning_rate_power())});
    };
    const NodeRef gradient = m_nodes.add(
        m_grad, times(number(2 * rule.l2_shrinkage_regularization_strength()), weights));
    const NodeRef grown =
        m_nodes.divide(m_nodes.subtract(powered(sum), powered(before)), m_update.rate());
    const NodeRef linear = keep(
        "linear", m_nodes.add(read("linear"), m_nodes.subtract(gradient, times(grown, weights))));
    const NodeRef l2 = m_nodes.add(number(2 * rule.l2_regularization_strength()),
                                   m_nodes.divide(number(rule.beta()), m_update.rate()));
    const NodeRef quadratic = m_nodes.add(m_nodes.divide(powered(sum), m_update.rate()), l2);
    const NodeRef l1 = number(rule.l1_regularization_strength());
    const NodeRef clipped = m_nodes.larger(m_nodes.smaller(linear, l1), m_nodes.apply("Neg", {l1}));
    return m_nodes.subtract(weights, m_nodes.divide(m_nodes.subtract(clipped, linear), quadratic));
}

NodeRef KerasEmission::ofLion(const spec::LionOptimizer& rule)
{
    const NodeRef towards =
        m_nodes.add(times(read("m"), number(rule.beta_1())), times(m_grad, rest(rule.beta_1())));
    mean("m", rule.beta_2(), m_grad);
    const NodeRef none = number(0.0);
    const NodeRef sign = m_nodes.subtract(m_nodes.truth("Greater", towards, none),
                                          m_nodes.truth("Less", towards, none));
    return times(sign, m_update.rate());
}

NodeRef KerasEmission::change()
{
    switch (m_message.kind_case()) {
    case spec::Optimizer::kAdam:
        return ofAdam(m_message.adam().beta_1(), m_message.adam().beta_2(),
                      m_message.adam().epsilon());
    case spec::Optimizer::kAdamw:
        return ofAdam(m_message.adamw().beta_1(), m_message.adamw().beta_2(),
                      m_message.adamw().epsilon());
    case spec::Optimizer::kAdamax:
        return ofAdamax(m_message.adamax());
    case spec::Optimizer::kNadam:
        return ofNadam(m_message.nadam());
    case spec::Optimizer::kAdagrad:
        return ofAdagrad(m_message.adagrad());
    case spec::Optimizer::kAdadelta:
        return ofAdadelta(m_message.adadelta());
    case spec::Optimizer::kRmsprop:
        return ofRmsprop(m_message.rmsprop());
    case spec::Optimizer::kFtrl:
        return ofFtrl(m_message.ftrl());
    case spec::Optimizer::kLion:
        return ofLion(m_message.lion());
    default:
        return ofSgd();
    }
}

/// w -= w weight_decay rate
void KerasEmission::decay()
{
    const double share = m_message.has_adamw() && !m_message.has_weight_decay()
                             ? m_message.adamw().weight_decay()
                             : m_message.weight_decay();
    const NodeRef weights = m_update.read(m_update.variable());
    m_update.subtract(m_update.variable(), times(times(weights, number(share)), m_update.rate()));
}

/// average = momentum average + (1 - momentum) w, which every few steps becomes w.
void KerasEmission::follow()
{
    const NodeRef weights = m_update.read(m_update.variable());
    const NodeRef average = mean("average", m_message.ema_momentum(), weights);
    if (!m_message.has_ema_overwrite_frequency()) {
        return;
    }
    const auto every = static_cast<double>(m_message.ema_overwrite_frequency());
    const NodeRef periods =
        m_nodes.apply("Ceil", {m_nodes.divide(m_update.stepNumber(), number(every))});
    const NodeRef isDue =
        m_nodes.holds("Equal", times(periods, number(every)), m_update.stepNumber());
    m_update.assign(m_update.variable(), m_nodes.select(isDue, average, weights));
}

} // namespace

bool canEmitKeras(const spec::Optimizer& message)
{
    return !message.has_adafactor();
}

storage::NodeRef emitKeras(const spec::Optimizer& message, bool decays, UpdateEmitter& update)
{
    KerasEmission emission(message, update);
    if (decays) {
        emission.decay();
    }
    update.subtract(update.variable(), emission.change());
    if (update.hasSlot("average")) {
        emission.follow();
    }
    return update.last();
}

} // namespace cannery::optimizers
