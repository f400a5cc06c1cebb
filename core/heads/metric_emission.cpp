// SPDX-License-Identifier: Apache-2.0
#include "core/heads/metric_emission.h"

#include "core/base/check.h"
#include "core/spec/tensorflow_names.h"
#include "storage/tf/graphs/float_nodes.h"
#include "storage/tf/graphs/saved_model.h"

namespace cannery::heads {

using metrics::MetricKind;
using storage::FloatNodes;
using storage::GraphDefBuilder;
using storage::NodeRef;

namespace {

constexpr std::int32_t kThresholds = 200;

/// The nodes of one metric, in a scope of its own.
class MetricGraph
{
public:
    MetricGraph(GraphDefBuilder& graph, const SeriesNodes& series, SupervisedNodes& out)
        : m_nodes(graph), m_out(out), m_predictions(m_nodes.flat(series.predictions))
    {
        if (!series.labels.node.empty()) {
            m_labels = m_nodes.flat(series.labels);
        }
        // Multiplied by ones of the predictions' shape: a weight of a row becomes one of each
        // value.
        const NodeRef ones = m_nodes.apply("OnesLike", {series.predictions});
        m_weights = m_nodes.flat(
            series.weights.node.empty() ? ones : m_nodes.multiply(ones, series.weights));
    }

    MetricNodes emit(const HeadMetric& metric)
    {
        const NodeRef value = valueOf(metric);
        GraphDefBuilder& graph = m_nodes.graph();
        // A constant without elements whose control inputs are the updates: running it runs them.
        const storage::HostTensor nothing = storage::HostTensor::zeros(DType::Float32, Shape{0});
        const NodeRef update = graph.add(
            "Const", "update_op", {}, {{"dtype", DType::Float32}, {"value", nothing}}, m_updates);
        return {.name = metric.name, .value = value, .update = update};
    }

private:
    NodeRef valueOf(const HeadMetric& metric);

    /// A variable that gains `amount` with each update; its value.
    NodeRef accumulate(const char* name, const NodeRef& amount, const Shape& shape = {})
    {
        GraphDefBuilder& graph = m_nodes.graph();
        m_out.localVariables.push_back(storage::addLocalVariable(graph, name, shape));
        const storage::GraphVariable& variable = m_out.localVariables.back();
        const storage::Attrs dtype{{"dtype", DType::Float32}};
        // Every update is an operation of its own; emit() gathers them behind one.
        m_updates.push_back(graph.add("AssignAddVariableOp", "AssignAddVariableOp",
                                      {variable.handle, amount}, dtype));
        return graph.add("ReadVariableOp", "value/ReadVariableOp", {variable.handle}, dtype);
    }
    NodeRef weighted(const NodeRef& values) { return m_nodes.multiply(values, m_weights); }

    /// sum(weight value) / sum(weight)
    NodeRef mean(const NodeRef& values)
    {
        const NodeRef sum = accumulate("total", m_nodes.total(weighted(values)));
        m_count = accumulate("count", m_nodes.total(m_weights));
        return m_nodes.divideOrZero(sum, m_count);
    }
    /// max(m, 1 - m) of the labels' mean m; 0 of nothing.
    NodeRef baseline()
    {
        const NodeRef share = mean(m_labels);
        const NodeRef larger = m_nodes.larger(share, m_nodes.subtract(m_nodes.number(1.0F), share));
        // Without any weight the mean is 0, and 1 - 0 would be a baseline of 1.
        return m_nodes.multiply(larger, m_nodes.truth("NotEqual", m_count, m_nodes.number(0.0F)));
    }
    NodeRef isAbove(float threshold)
    {
        return m_nodes.truth("Greater", m_predictions, m_nodes.number(threshold));
    }
    NodeRef isTrue() { return m_nodes.truth("NotEqual", m_labels, m_nodes.number(0.0F)); }
    /// The weight of both / the weight of `all`.
    /// Precision divides by what was predicted, recall by what is true.
    NodeRef shareOf(const NodeRef& all, const NodeRef& other)
    {
        const NodeRef both = m_nodes.total(weighted(m_nodes.multiply(all, other)));
        const NodeRef hits = accumulate("true_positives", both);
        return m_nodes.divideOrZero(hits, accumulate("count", m_nodes.total(weighted(all))));
    }

    /// Weights above each threshold, [kThresholds]; every score lies above the first.
    struct Counts
    {
        NodeRef truePositives;
        NodeRef falsePositives;
    };
    Counts counts();
    NodeRef allButLast(const NodeRef& x) { return m_nodes.slice(x, {0}, {kThresholds - 1}); }
    NodeRef allButFirst(const NodeRef& x) { return m_nodes.slice(x, {1}, {kThresholds - 1}); }
    NodeRef first(const NodeRef& x) { return m_nodes.slice(x, {0}, {1}); }
    /// What is lost from each threshold to the next.
    NodeRef steps(const NodeRef& x) { return m_nodes.subtract(allButLast(x), allButFirst(x)); }
    NodeRef trapezoids(const NodeRef& x, const NodeRef& y)
    {
        // The thresholds ascend, so the counts descend: steps() are positive.
        const NodeRef heights = m_nodes.add(allButLast(y), allButFirst(y));
        const NodeRef twice = m_nodes.multiply(steps(x), heights);
        return m_nodes.divide(m_nodes.total(twice), m_nodes.number(2.0F));
    }
    NodeRef rocArea();
    NodeRef precisionRecallArea();
    NodeRef precisionRecallTrapezoids();

    FloatNodes m_nodes;
    SupervisedNodes& m_out;
    NodeRef m_predictions;
    NodeRef m_labels;
    NodeRef m_weights;
    NodeRef m_count; ///< of mean()
    std::vector<NodeRef> m_updates;
};

/// As metrics::ThresholdCounts: ceil(199 score) thresholds lie below a score, but at least one.
MetricGraph::Counts MetricGraph::counts()
{
    const NodeRef clipped =
        m_nodes.smaller(m_nodes.larger(m_predictions, m_nodes.number(0.0F)), m_nodes.number(1.0F));
    const NodeRef scaled =
        m_nodes.multiply(clipped, m_nodes.number(static_cast<float>(kThresholds - 1)));
    const NodeRef below = m_nodes.larger(m_nodes.apply("Ceil", {scaled}), m_nodes.number(1.0F));
    std::vector<float> places;
    for (std::int32_t place = 1; place <= kThresholds; ++place) {
        places.push_back(static_cast<float>(place));
    }
    // above[t, i]: whether value i lies above threshold t.
    const NodeRef above =
        m_nodes.truth("GreaterEqual", m_nodes.reshape(below, FloatNodes::Ints{1, -1}),
                      m_nodes.graph().constant("places", places, {kThresholds, 1}));
    // All thresholds in one product, [thresholds, values] with a column of weights.
    const auto sums = [&](const char* name, const NodeRef& rows) {
        const NodeRef column = m_nodes.reshape(weighted(rows), FloatNodes::Ints{-1, 1});
        return accumulate(name, m_nodes.flat(m_nodes.product(above, column)), Shape{kThresholds});
    };
    const NodeRef yes = isTrue();
    return {.truePositives = sums("true_positives", yes),
            .falsePositives = sums("false_positives", m_nodes.subtract(m_nodes.number(1.0F), yes))};
}

NodeRef MetricGraph::rocArea()
{
    const Counts all = counts();
    return trapezoids(m_nodes.divideOrZero(all.falsePositives, first(all.falsePositives)),
                      m_nodes.divideOrZero(all.truePositives, first(all.truePositives)));
}

/// See metrics::makeAucPrecisionRecall().
NodeRef MetricGraph::precisionRecallArea()
{
    const Counts all = counts();
    const NodeRef positives = m_nodes.add(all.truePositives, all.falsePositives);
    const NodeRef here = allButLast(positives);
    const NodeRef next = allButFirst(positives);
    const NodeRef gained = steps(all.truePositives);
    const NodeRef zero = m_nodes.number(0.0F);
    const NodeRef slope =
        m_nodes.divideOrZero(gained, m_nodes.larger(m_nodes.subtract(here, next), zero));
    const NodeRef intercept =
        m_nodes.subtract(allButFirst(all.truePositives), m_nodes.multiply(slope, next));
    const NodeRef areAny = m_nodes.graph().add(
        "LogicalAnd", "LogicalAnd",
        {m_nodes.holds("Greater", here, zero), m_nodes.holds("Greater", next, zero)});
    const NodeRef ratio =
        m_nodes.select(areAny, m_nodes.divideOrZero(here, next), m_nodes.apply("OnesLike", {next}));
    // The area between two thresholds under the interpolated curve of Davis and Goadrich (2006),
    // which is not a straight line.
    const NodeRef bent = m_nodes.multiply(intercept, m_nodes.apply("Log", {ratio}));
    const NodeRef areas = m_nodes.multiply(slope, m_nodes.add(gained, bent));
    return m_nodes.total(m_nodes.divideOrZero(areas, first(all.truePositives)));
}

/// See metrics::makeAucPrecisionRecallTrapezoids(), and the addend there.
NodeRef MetricGraph::precisionRecallTrapezoids()
{
    const Counts all = counts();
    const NodeRef small = m_nodes.number(1e-6F);
    const NodeRef hits = m_nodes.add(all.truePositives, small);
    const NodeRef precision = m_nodes.divide(hits, m_nodes.add(all.falsePositives, hits));
    const NodeRef recall =
        m_nodes.divide(all.truePositives, m_nodes.add(first(all.truePositives), small));
    return trapezoids(recall, precision);
}

NodeRef MetricGraph::valueOf(const HeadMetric& metric)
{
    switch (metric.kind) {
    case MetricKind::Mean:
        return mean(m_predictions);
    case MetricKind::LabelMean:
        return mean(m_labels);
    case MetricKind::Accuracy:
        return mean(m_nodes.truth("Equal", m_predictions, m_labels));
    case MetricKind::AccuracyBaseline:
        return baseline();
    case MetricKind::ThresholdedAccuracy:
        return mean(m_nodes.truth("Equal", isAbove(metric.threshold), m_labels));
    case MetricKind::Precision:
        return shareOf(isAbove(metric.threshold), isTrue());
    case MetricKind::Recall:
        return shareOf(isTrue(), isAbove(metric.threshold));
    case MetricKind::Auc:
        return rocArea();
    case MetricKind::AucPrecisionRecall:
        return precisionRecallArea();
    case MetricKind::AucPrecisionRecallTrapezoids:
        return precisionRecallTrapezoids();
    default:
        CANNERY_CHECK(!"a metric that TensorFlow's heads have");
        return {};
    }
}

} // namespace

void addHeadMetrics(std::span<const HeadMetric> chosen, metrics::MetricSet& set, int firstSeries)
{
    for (const HeadMetric& metric : chosen) {
        set.add(metric.name, metrics::makeMetric(metric.kind, metric.threshold),
                firstSeries + metric.series);
    }
}

void emitHeadMetrics(GraphDefBuilder& graph, std::span<const HeadMetric> chosen,
                     std::span<const SeriesNodes> series, SupervisedNodes& out)
{
    for (const HeadMetric& metric : chosen) {
        const auto scope = graph.enterScope("metrics/" + spec::scopeSafe(metric.name));
        MetricGraph nodes(graph, series[static_cast<std::size_t>(metric.series)], out);
        out.metrics.push_back(nodes.emit(metric));
    }
}

} // namespace cannery::heads
