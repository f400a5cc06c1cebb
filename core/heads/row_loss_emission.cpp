// SPDX-License-Identifier: Apache-2.0
#include "core/heads/row_loss_emission.h"

#include "storage/tf/graphs/float_nodes.h"

#include <numbers>

namespace cannery::heads {

using kernels::RowLoss;
using storage::FloatNodes;
using storage::NodeRef;

namespace {

constexpr auto kLeastChance = static_cast<float>(kernels::kLossEpsilon);
constexpr auto kMostChance = static_cast<float>(kernels::kLossCeiling);

/// Losses [batch, 1], slopes by the outputs [batch, width].
struct RowNodes
{
    NodeRef losses;
    NodeRef slopes;
};

/// The formulas of one batch: outputs p and labels y, [batch, width].
class RowLossGraph
{
public:
    RowLossGraph(storage::GraphDefBuilder& graph, const kernels::RowLossRule& rule,
                 std::int64_t width, const SupervisedInputs& inputs)
        : m_nodes(graph), m_rule(rule), m_width(width), m_p(inputs.logits),
          m_y(rule.labelsAreIds ? emitOneHot(m_nodes, inputs.labels, width) : inputs.labels)
    {}

    RowNodes emit() const;

private:
    NodeRef number(double value) const { return m_nodes.number(static_cast<float>(value)); }
    NodeRef times(double factor, const NodeRef& x) const
    {
        return m_nodes.multiply(number(factor), x);
    }
    NodeRef negative(const NodeRef& x) const { return m_nodes.apply("Neg", {x}); }
    NodeRef absolute(const NodeRef& x) const { return m_nodes.larger(x, negative(x)); }
    NodeRef sign(const NodeRef& x) const
    {
        return m_nodes.subtract(m_nodes.truth("Greater", x, number(0)),
                                m_nodes.truth("Greater", number(0), x));
    }
    NodeRef lessFromOne(const NodeRef& x) const { return m_nodes.subtract(number(1), x); }
    NodeRef logarithm(const NodeRef& x) const { return m_nodes.apply("Log", {x}); }
    NodeRef square(const NodeRef& x) const { return m_nodes.apply("Square", {x}); }
    NodeRef rowSum(const NodeRef& x) const { return m_nodes.sum(x, 1, true); }
    NodeRef clipped(const NodeRef& x, float least, float most) const
    {
        return m_nodes.smaller(m_nodes.larger(x, m_nodes.number(least)), m_nodes.number(most));
    }
    /// 1 where the clip leaves a number as it is.
    NodeRef isWithin(const NodeRef& x, float least, float most) const
    {
        return m_nodes.multiply(m_nodes.truth("GreaterEqual", x, m_nodes.number(least)),
                                m_nodes.truth("GreaterEqual", m_nodes.number(most), x));
    }
    NodeRef power(const NodeRef& x, double exponent) const;

    RowNodes mean(const NodeRef& losses, const NodeRef& slopes) const
    {
        const NodeRef count = number(static_cast<double>(m_width));
        return {.losses = m_nodes.divide(rowSum(losses), count),
                .slopes = m_nodes.divide(slopes, count)};
    }
    NodeRef smoothed(double share) const
    {
        const double smoothing = m_rule.constants.labelSmoothing;
        return smoothing == 0 ? m_y
                              : m_nodes.add(times(1 - smoothing, m_y), number(smoothing * share));
    }
    NodeRef signs() const;

    RowNodes distance() const;
    RowNodes percentDistance() const;
    RowNodes logarithmicDistance() const;
    RowNodes huber() const;
    RowNodes logCosh() const;
    RowNodes poisson() const;
    RowNodes klDivergence() const;
    RowNodes cosineSimilarity() const;
    RowNodes hinge() const;
    RowNodes categoricalHinge() const;
    /// By element, before the mean over a row.
    RowNodes binaryElements(const NodeRef& y) const;
    RowNodes binary() const;
    RowNodes binaryFocal() const;
    RowNodes softmaxOf(const NodeRef& logits, const NodeRef& y) const;
    RowNodes shares(const NodeRef& chances) const;
    RowNodes categorical() const;
    RowNodes sparse() const;

    FloatNodes m_nodes;
    const kernels::RowLossRule& m_rule;
    std::int64_t m_width;
    NodeRef m_p;
    NodeRef m_y;
};

/// Of numbers that are not negative; TensorFlow's Pow of few exponents is these operations too.
NodeRef RowLossGraph::power(const NodeRef& x, double exponent) const
{
    if (exponent == 0) {
        return m_nodes.apply("OnesLike", {x});
    }
    if (exponent == 1) {
        return x;
    }
    if (exponent == 2) {
        return square(x);
    }
    return m_nodes.apply("Exp", {times(exponent, logarithm(x))});
}

/// Labels of which all are 0 or 1 become -1 and 1.
NodeRef RowLossGraph::signs() const
{
    const NodeRef areBits =
        m_nodes.add(m_nodes.truth("Equal", m_y, number(0)), m_nodes.truth("Equal", m_y, number(1)));
    const NodeRef allAre =
        m_nodes.holds("GreaterEqual", m_nodes.total(areBits), m_nodes.count(m_y));
    return m_nodes.select(allAre, m_nodes.subtract(times(2, m_y), number(1)), m_y);
}

RowNodes RowLossGraph::distance() const
{
    const NodeRef error = m_nodes.subtract(m_p, m_y);
    return m_rule.loss == RowLoss::MeanSquaredError ? mean(square(error), times(2, error))
                                                    : mean(absolute(error), sign(error));
}

RowNodes RowLossGraph::percentDistance() const
{
    const NodeRef error = m_nodes.subtract(m_p, m_y);
    const NodeRef size = m_nodes.larger(absolute(m_y), m_nodes.number(kLeastChance));
    return mean(times(100, m_nodes.divide(absolute(error), size)),
                times(100, m_nodes.divide(sign(error), size)));
}

RowNodes RowLossGraph::logarithmicDistance() const
{
    const NodeRef least = m_nodes.number(kLeastChance);
    const NodeRef raised = m_nodes.add(m_nodes.larger(m_p, least), number(1));
    const NodeRef error = m_nodes.subtract(
        logarithm(raised), logarithm(m_nodes.add(m_nodes.larger(m_y, least), number(1))));
    const NodeRef slope = m_nodes.divide(times(2, error), raised);
    return mean(square(error), m_nodes.multiply(slope, m_nodes.truth("GreaterEqual", m_p, least)));
}

RowNodes RowLossGraph::huber() const
{
    const double delta = m_rule.constants.delta;
    const NodeRef error = m_nodes.subtract(m_p, m_y);
    const NodeRef size = absolute(error);
    const NodeRef isNear = m_nodes.holds("GreaterEqual", number(delta), size);
    const NodeRef line = m_nodes.subtract(times(delta, size), number(delta * delta / 2));
    return mean(m_nodes.select(isNear, times(0.5, square(error)), line),
                m_nodes.select(isNear, error, times(delta, sign(error))));
}

RowNodes RowLossGraph::logCosh() const
{
    const NodeRef error = m_nodes.subtract(m_p, m_y);
    const NodeRef tail = m_nodes.apply("Softplus", {times(-2, error)});
    return mean(m_nodes.subtract(m_nodes.add(error, tail), number(std::numbers::ln2)),
                m_nodes.apply("Tanh", {error}));
}

RowNodes RowLossGraph::poisson() const
{
    const NodeRef raised = m_nodes.add(m_p, m_nodes.number(kLeastChance));
    return mean(m_nodes.subtract(m_p, m_nodes.multiply(m_y, logarithm(raised))),
                lessFromOne(m_nodes.divide(m_y, raised)));
}

RowNodes RowLossGraph::klDivergence() const
{
    const NodeRef y = clipped(m_y, kLeastChance, 1.0F);
    const NodeRef p = clipped(m_p, kLeastChance, 1.0F);
    const NodeRef losses = m_nodes.multiply(y, logarithm(m_nodes.divide(y, p)));
    return {.losses = rowSum(losses),
            .slopes = m_nodes.multiply(negative(m_nodes.divide(y, p)),
                                       isWithin(m_p, kLeastChance, 1.0F))};
}

RowNodes RowLossGraph::cosineSimilarity() const
{
    const NodeRef least = number(1e-12);
    const auto unit = [&](const NodeRef& x, const NodeRef& squares) {
        return m_nodes.divide(x, m_nodes.apply("Sqrt", {m_nodes.larger(squares, least)}));
    };
    const NodeRef squares = rowSum(square(m_p));
    const NodeRef y = unit(m_y, rowSum(square(m_y)));
    const NodeRef p = unit(m_p, squares);
    const NodeRef cosine = rowSum(m_nodes.multiply(y, p));
    // A vector shorter than the least length has a fixed divisor.
    const NodeRef turned = m_nodes.multiply(m_nodes.multiply(p, cosine),
                                            m_nodes.truth("GreaterEqual", squares, least));
    return {.losses = negative(cosine), .slopes = unit(m_nodes.subtract(turned, y), squares)};
}

RowNodes RowLossGraph::hinge() const
{
    const NodeRef y = signs();
    const NodeRef margin = lessFromOne(m_nodes.multiply(y, m_p));
    const NodeRef beyond = m_nodes.larger(margin, number(0));
    if (m_rule.loss == RowLoss::SquaredHinge) {
        return mean(square(beyond), m_nodes.multiply(times(-2, y), beyond));
    }
    return mean(beyond,
                negative(m_nodes.multiply(y, m_nodes.truth("GreaterEqual", margin, number(0)))));
}

RowNodes RowLossGraph::categoricalHinge() const
{
    const NodeRef others = lessFromOne(m_y);
    const NodeRef wrong = m_nodes.multiply(others, m_p);
    // As pictures of one column, of which the check of an export knows the largest number.
    const NodeRef picture =
        m_nodes.reshape(wrong, FloatNodes::Ints{-1, static_cast<std::int32_t>(m_width), 1, 1});
    const NodeRef best =
        m_nodes.reshape(m_nodes.graph().add("Max", "Max", {picture, m_nodes.ints({1, 2})},
                                            {{"T", DType::Float32}, {"Tidx", DType::Int32}}),
                        FloatNodes::Ints{-1, 1});
    const NodeRef margin =
        m_nodes.add(m_nodes.subtract(best, rowSum(m_nodes.multiply(m_y, m_p))), number(1));
    // Equal maxima share the gradient.
    const NodeRef areBest = m_nodes.truth("Equal", wrong, best);
    const NodeRef share = m_nodes.divide(m_nodes.multiply(others, areBest), rowSum(areBest));
    return {.losses = m_nodes.larger(margin, number(0)),
            .slopes = m_nodes.multiply(m_nodes.truth("GreaterEqual", margin, number(0)),
                                       m_nodes.subtract(share, m_y))};
}

RowNodes RowLossGraph::binaryElements(const NodeRef& y) const
{
    if (m_rule.fromLogits) {
        const NodeRef size = absolute(m_p);
        const NodeRef tail = m_nodes.apply("Log1p", {m_nodes.apply("Exp", {negative(size)})});
        const NodeRef linear =
            m_nodes.subtract(m_nodes.apply("Relu", {m_p}), m_nodes.multiply(m_p, y));
        return {.losses = m_nodes.add(linear, tail),
                .slopes = m_nodes.subtract(m_nodes.apply("Sigmoid", {m_p}), y)};
    }
    const NodeRef epsilon = m_nodes.number(kLeastChance);
    const NodeRef q = clipped(m_p, kLeastChance, kMostChance);
    const NodeRef yes = m_nodes.add(q, epsilon);
    const NodeRef no = m_nodes.add(lessFromOne(q), epsilon);
    const NodeRef sum = m_nodes.add(m_nodes.multiply(y, logarithm(yes)),
                                    m_nodes.multiply(lessFromOne(y), logarithm(no)));
    const NodeRef slope =
        m_nodes.subtract(m_nodes.divide(lessFromOne(y), no), m_nodes.divide(y, yes));
    return {.losses = negative(sum),
            .slopes = m_nodes.multiply(slope, isWithin(m_p, kLeastChance, kMostChance))};
}

RowNodes RowLossGraph::binary() const
{
    const RowNodes elements = binaryElements(smoothed(0.5));
    return mean(elements.losses, elements.slopes);
}

RowNodes RowLossGraph::binaryFocal() const
{
    const NodeRef y = smoothed(0.5);
    const RowNodes entropy = binaryElements(y);
    const double gamma = m_rule.constants.gamma;
    const NodeRef chance = m_rule.fromLogits ? m_nodes.apply("Sigmoid", {m_p}) : m_p;
    // 1 - p_t, which is p where y is 0.
    const NodeRef missed = lessFromOne(m_nodes.add(
        m_nodes.multiply(y, chance), m_nodes.multiply(lessFromOne(y), lessFromOne(chance))));
    const NodeRef factor = power(missed, gamma);
    NodeRef losses = m_nodes.multiply(factor, entropy.losses);
    NodeRef slopes = m_nodes.multiply(factor, entropy.slopes);
    if (gamma != 0) {
        NodeRef change =
            m_nodes.multiply(lessFromOne(times(2, y)), times(gamma, power(missed, gamma - 1)));
        if (gamma < 1) {
            // Where nothing is missed it would be infinite.
            change = m_nodes.select(m_nodes.holds("Greater", missed, number(0)), change,
                                    m_nodes.apply("ZerosLike", {missed}));
        }
        if (m_rule.fromLogits) {
            change = m_nodes.multiply(change, m_nodes.multiply(chance, lessFromOne(chance)));
        }
        slopes = m_nodes.add(slopes, m_nodes.multiply(change, entropy.losses));
    }
    if (m_rule.constants.balancesClasses) {
        const double alpha = m_rule.constants.alpha;
        const NodeRef weight = m_nodes.add(times(alpha, y), times(1 - alpha, lessFromOne(y)));
        losses = m_nodes.multiply(losses, weight);
        slopes = m_nodes.multiply(slopes, weight);
    }
    return mean(losses, slopes);
}

RowNodes RowLossGraph::softmaxOf(const NodeRef& logits, const NodeRef& y) const
{
    // This operation gives the gradient by the logits as its second output.
    const NodeRef loss = m_nodes.apply("SoftmaxCrossEntropyWithLogits", {logits, y});
    return {.losses = m_nodes.reshape(loss, FloatNodes::Ints{-1, 1}), .slopes = loss.at(1)};
}

/// Cross entropy of clipped shares in the row's total, with the focal factor if there is one;
/// slopes by the chances.
RowNodes RowLossGraph::shares(const NodeRef& chances) const
{
    const NodeRef y = smoothed(1.0 / static_cast<double>(m_width));
    const NodeRef total = rowSum(chances);
    const NodeRef share = m_nodes.divide(chances, total);
    const NodeRef q = clipped(share, kLeastChance, kMostChance);
    NodeRef losses = negative(m_nodes.multiply(y, logarithm(q)));
    NodeRef slopes = negative(m_nodes.divide(y, q));
    if (m_rule.loss == RowLoss::CategoricalFocalCrossentropy) {
        const double gamma = m_rule.constants.gamma;
        const double alpha = m_rule.constants.alpha;
        const NodeRef rest = lessFromOne(q);
        const NodeRef factor = times(alpha, power(rest, gamma));
        slopes = m_nodes.multiply(factor, slopes);
        if (gamma != 0) {
            const NodeRef change = times(-alpha * gamma, power(rest, gamma - 1));
            slopes = m_nodes.add(slopes, m_nodes.multiply(change, losses));
        }
        losses = m_nodes.multiply(factor, losses);
    }
    slopes = m_nodes.multiply(slopes, isWithin(share, kLeastChance, kMostChance));
    const NodeRef common = rowSum(m_nodes.multiply(slopes, share));
    return {.losses = rowSum(losses),
            .slopes = m_nodes.divide(m_nodes.subtract(slopes, common), total)};
}

RowNodes RowLossGraph::categorical() const
{
    const bool isFocal = m_rule.loss == RowLoss::CategoricalFocalCrossentropy;
    if (!m_rule.fromLogits) {
        return shares(m_p);
    }
    if (!isFocal) {
        return softmaxOf(m_p, smoothed(1.0 / static_cast<double>(m_width)));
    }
    const NodeRef chances = m_nodes.apply("Softmax", {m_p});
    RowNodes rows = shares(chances);
    const NodeRef common = rowSum(m_nodes.multiply(rows.slopes, chances));
    rows.slopes = m_nodes.multiply(chances, m_nodes.subtract(rows.slopes, common));
    return rows;
}

RowNodes RowLossGraph::sparse() const
{
    if (m_rule.fromLogits) {
        return softmaxOf(m_p, m_y);
    }
    const NodeRef q = clipped(m_p, kLeastChance, kMostChance);
    RowNodes rows = softmaxOf(logarithm(q), m_y);
    rows.slopes =
        m_nodes.multiply(m_nodes.divide(rows.slopes, q), isWithin(m_p, kLeastChance, kMostChance));
    return rows;
}

RowNodes RowLossGraph::emit() const
{
    switch (m_rule.loss) {
    case RowLoss::MeanSquaredError:
    case RowLoss::MeanAbsoluteError:
        return distance();
    case RowLoss::MeanAbsolutePercentageError:
        return percentDistance();
    case RowLoss::MeanSquaredLogarithmicError:
        return logarithmicDistance();
    case RowLoss::Huber:
        return huber();
    case RowLoss::LogCosh:
        return logCosh();
    case RowLoss::Poisson:
        return poisson();
    case RowLoss::KlDivergence:
        return klDivergence();
    case RowLoss::CosineSimilarity:
        return cosineSimilarity();
    case RowLoss::Hinge:
    case RowLoss::SquaredHinge:
        return hinge();
    case RowLoss::CategoricalHinge:
        return categoricalHinge();
    case RowLoss::BinaryCrossentropy:
        return binary();
    case RowLoss::BinaryFocalCrossentropy:
        return binaryFocal();
    case RowLoss::CategoricalCrossentropy:
    case RowLoss::CategoricalFocalCrossentropy:
        return categorical();
    case RowLoss::SparseCategoricalCrossentropy:
        return sparse();
    }
    return {};
}

} // namespace

LossNodes emitRowLoss(storage::GraphDefBuilder& graph, const kernels::RowLossRule& rule,
                      std::int64_t width, losses::Reduction reduction,
                      const SupervisedInputs& inputs)
{
    const FloatNodes nodes(graph);
    const RowNodes rows = RowLossGraph(graph, rule, width, inputs).emit();
    NodeRef factor = inputs.weights;
    NodeRef count = nodes.count(rows.losses);
    NodeRef ofRows = rows.losses;
    if (rule.ignoredClass) {
        const NodeRef counts = nodes.subtract(
            nodes.number(1.0F), nodes.truth("Equal", inputs.labels,
                                            nodes.number(static_cast<float>(*rule.ignoredClass))));
        ofRows = nodes.multiply(ofRows, counts);
        factor = factor.node.empty() ? counts : nodes.multiply(factor, counts);
        count = nodes.total(counts);
    }
    const auto weighted = [&](const NodeRef& values) {
        return factor.node.empty() ? values : nodes.multiply(values, factor);
    };
    LossNodes result{.losses = ofRows,
                     .loss = nodes.total(weighted(ofRows)),
                     .logitsGrad = weighted(rows.slopes)};
    if (reduction == losses::Reduction::SumOverBatchSize) {
        // Weights are not in the divisor, as in Keras.
        result.loss = nodes.divideOrZero(result.loss, count);
        result.logitsGrad = nodes.divideOrZero(result.logitsGrad, count);
    }
    return result;
}

} // namespace cannery::heads
