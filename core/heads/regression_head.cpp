// SPDX-License-Identifier: Apache-2.0
#include "core/heads/regression_head.h"

#include "core/heads/class_names.h"
#include "core/heads/head_emission.h"
#include "core/heads/head_loss.h"
#include "kernels/math/elementary.h"
#include "storage/tf/graphs/float_nodes.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace cannery::heads {
namespace {

using kernels::ConstMatrixView;
using metrics::MetricKind;

constexpr ErrorKind kNoLabels{"head.label_dimension", "The label_dimension is {}. Give 1 or more."};

constexpr ErrorKind kBadLink{"head.inverse_link",
                             "The inverse_link_fn has the scale {} and the offset {}. Give a scale "
                             "above 0, and keep both within the range of float32."};

enum Series
{
    kLosses,
    kPredictions,
    kSeriesCount,
};

class LinkedRegressionHead : public Head, public SupervisedHead
{
public:
    explicit LinkedRegressionHead(RegressionOptions options)
        : m_options(std::move(options)),
          m_loss(m_options.loss, m_options.labelDimension, m_options.common.reduction)
    {}

    const std::string& name() const override { return m_options.common.name; }
    std::int64_t logitsWidth() const override { return m_options.labelDimension; }
    std::int64_t labelWidth() const override { return m_options.labelDimension; }
    std::int64_t weightWidth() const override { return m_options.common.weighted ? 1 : 0; }
    void reserve(std::int64_t rows) override
    {
        m_loss.reserve(rows);
        if (isScaled()) {
            m_scaledLabels.reserve(static_cast<std::size_t>(rows * m_options.labelDimension));
        }
    }

    double loss(kernels::ThreadPool& pool, const HeadBatch& batch, kernels::MatrixView logitsGrad,
                float factor) override
    {
        return m_loss.run(pool, scaled(batch), logitsGrad, factor);
    }
    Result<void> placeLoss(kernels::AcceleratorProgram& program,
                           const PlacedHeadBatch& batch) const override
    {
        m_loss.place(program, batch, labelOffset(), labelScale());
        return {};
    }
    void takeLosses(std::span<const double> losses) override { m_loss.take(losses); }
    void secondDerivatives(kernels::ThreadPool& pool, const HeadBatch& batch,
                           kernels::MatrixView second) const override
    {
        m_loss.secondDerivatives(pool, batch, second);
    }
    bool lossIsMean() const override { return m_loss.isMean(); }
    std::vector<metrics::MetricValue> lossSummaries() const override
    {
        return m_loss.summaries(name());
    }

    void predict(kernels::ThreadPool&, ConstMatrixView logits, std::int64_t rows,
                 std::vector<Prediction>& predictions) const override;
    std::vector<Signature> emit(storage::GraphDefBuilder& graph,
                                const storage::NodeRef& logits) const override;
    SupervisedNodes emitSupervised(storage::GraphDefBuilder& graph, const SupervisedInputs& inputs,
                                   bool withMetrics) const override;

    int seriesCount() const override { return kSeriesCount; }
    void addMetrics(metrics::MetricSet& metrics, int firstSeries) const override
    {
        addHeadMetrics(ownMetrics(), metrics, firstSeries);
    }
    void addBaselines(metrics::MetricSet& metrics, int firstSeries) const override;
    std::optional<MeasuredSeries> measured(const std::string& head, int firstSeries) const override;
    double updateMetrics(kernels::ThreadPool& pool, const HeadBatch& batch,
                         metrics::MetricSet& metrics, int firstSeries) override;

private:
    bool hasLink() const { return m_options.inverseLink != InverseLink::Identity; }
    bool isScaled() const { return m_options.inverseLink == InverseLink::Affine; }
    float labelOffset() const { return isScaled() ? m_options.offset : 0.0F; }
    float labelScale() const { return isScaled() ? m_options.scale : 1.0F; }
    std::vector<HeadMetric> ownMetrics() const;
    /// The batch with its labels in logit space.
    HeadBatch scaled(const HeadBatch& batch);
    void fillPredictions(ConstMatrixView logits, std::vector<float>& values) const;
    storage::NodeRef emitPrediction(storage::GraphDefBuilder& graph,
                                    const storage::NodeRef& logits) const;
    /// Of the last batch, in the label's own units.
    std::span<const float> ownLosses();

    RegressionOptions m_options;
    HeadLoss m_loss;
    std::vector<float> m_predictions;
    std::vector<float> m_labels;
    std::vector<float> m_weights;
    std::vector<float> m_scaledLabels;
    std::vector<float> m_ownLosses;
};

HeadBatch LinkedRegressionHead::scaled(const HeadBatch& batch)
{
    if (!isScaled()) {
        return batch;
    }
    const std::span<const float> labels = flatten(batch.labels, m_labels);
    // Labels are put into logit space: the loss of a step and its gradients are those of (label -
    // offset) / scale.
    m_scaledLabels.resize(labels.size());
    std::transform(labels.begin(), labels.end(), m_scaledLabels.begin(),
                   [this](float label) { return (label - m_options.offset) / m_options.scale; });
    HeadBatch result = batch;
    result.labels = kernels::matrixView(std::span<const float>(m_scaledLabels), batch.labels.rows,
                                        batch.labels.cols);
    return result;
}

std::span<const float> LinkedRegressionHead::ownLosses()
{
    const std::span<const float> losses = m_loss.losses();
    if (!isScaled()) {
        return losses;
    }
    m_ownLosses.resize(losses.size());
    // The loss is squared, so its unit is the label's squared: (scale * x)^2 = scale^2 * x^2.
    const float square = m_options.scale * m_options.scale;
    std::transform(losses.begin(), losses.end(), m_ownLosses.begin(),
                   [square](float loss) { return loss * square; });
    return m_ownLosses;
}

void LinkedRegressionHead::fillPredictions(ConstMatrixView logits, std::vector<float>& values) const
{
    copyRows(logits, values);
    if (m_options.inverseLink == InverseLink::Exponential) {
        for (float& value : values) {
            value = kernels::exponential(value);
        }
    } else if (m_options.inverseLink == InverseLink::Logistic) {
        for (float& value : values) {
            value = kernels::logistic(value);
        }
    } else if (isScaled()) {
        for (float& value : values) {
            value = value * m_options.scale + m_options.offset;
        }
    }
}

void LinkedRegressionHead::predict(kernels::ThreadPool&, ConstMatrixView logits, std::int64_t rows,
                                   std::vector<Prediction>& predictions) const
{
    const std::array shapes{
        PredictionShape{"predictions", DType::Float32, m_options.labelDimension},
        PredictionShape{"logits", DType::Float32, m_options.labelDimension},
    };
    // As in TensorFlow, logits are an output only if predictions are something else.
    shapePredictions(std::span(shapes).first(hasLink() ? 2 : 1), logits.rows, rows, predictions);
    fillPredictions(logits, predictions[0].floats);
    if (hasLink()) {
        copyRows(logits, predictions[1].floats);
    }
}

storage::NodeRef LinkedRegressionHead::emitPrediction(storage::GraphDefBuilder& graph,
                                                      const storage::NodeRef& logits) const
{
    const storage::Attrs floats{{"T", DType::Float32}};
    if (isScaled()) {
        const auto product =
            graph.add("Mul", "mul", {logits, graph.constant("mul/y", m_options.scale)}, floats);
        return graph.add("AddV2", "add", {product, graph.constant("add/y", m_options.offset)},
                         floats);
    }
    const char* op = m_options.inverseLink == InverseLink::Exponential ? "Exp" : "Sigmoid";
    return graph.add(op, op, {logits}, floats);
}

std::vector<Signature> LinkedRegressionHead::emit(storage::GraphDefBuilder& graph,
                                                  const storage::NodeRef& logits) const
{
    const auto scope = graph.enterScope(m_options.common.scope());
    const std::int64_t n = m_options.labelDimension;
    storage::NodeRef value = logits;
    std::vector<SignatureOutput> outputs;
    if (hasLink()) {
        const auto predictionScope = graph.enterScope("predictions");
        value = emitPrediction(graph, logits);
        outputs.push_back(signatureOutput("logits", logits, DType::Float32, n));
    }
    outputs.push_back(signatureOutput("predictions", value, DType::Float32, n));
    // Two names for one signature: TensorFlow's head has a default output, and the same one by
    // name.
    return {regressionSignature("serving_default", value, n),
            regressionSignature("regression", value, n), predictSignature(std::move(outputs))};
}

SupervisedNodes LinkedRegressionHead::emitSupervised(storage::GraphDefBuilder& graph,
                                                     const SupervisedInputs& inputs,
                                                     bool withMetrics) const
{
    SupervisedStart start(graph, m_options.common, m_loss, inputs, labelOffset(), labelScale());
    if (withMetrics) {
        const storage::FloatNodes values(graph);
        std::array<SeriesNodes, kSeriesCount> series;
        series[kLosses] = start.losses;
        if (isScaled()) {
            series[kLosses].predictions = values.multiply(
                start.losses.predictions, values.number(m_options.scale * m_options.scale));
        }
        series[kPredictions] = {.predictions = hasLink() ? emitPrediction(graph, inputs.logits)
                                                         : inputs.logits,
                                .labels = inputs.labels,
                                .weights = inputs.weights};
        emitHeadMetrics(graph, ownMetrics(), series, start.nodes);
    }
    return std::move(start.nodes);
}

std::vector<HeadMetric> LinkedRegressionHead::ownMetrics() const
{
    const HeadOptions& common = m_options.common;
    return {
        {.name = common.metricName("average_loss"), .kind = MetricKind::Mean, .series = kLosses},
        {.name = common.metricName("prediction/mean"),
         .kind = MetricKind::Mean,
         .series = kPredictions},
        {.name = common.metricName("label/mean"),
         .kind = MetricKind::LabelMean,
         .series = kPredictions}};
}

void LinkedRegressionHead::addBaselines(metrics::MetricSet& metrics, int firstSeries) const
{
    const auto add = [&](const char* key, MetricKind kind) {
        metrics.add(m_options.common.metricName(key), metrics::makeMetric(kind),
                    firstSeries + kPredictions);
    };
    add("cannery/mae", MetricKind::MeanAbsoluteError);
    add("cannery/r2", MetricKind::RSquared);
    add("cannery/rmse", MetricKind::RootMeanSquaredError);
    add("cannery/rmse_baseline", MetricKind::RootMeanSquaredErrorBaseline);
}

std::optional<MeasuredSeries> LinkedRegressionHead::measured(const std::string& /*head*/,
                                                             int firstSeries) const
{
    MeasuredSeries series{.subject = {.width = m_options.labelDimension},
                          .series = firstSeries + kPredictions};
    // A logistic regression predicts probabilities, so metrics of two classes fit it.
    if (m_options.inverseLink == InverseLink::Logistic) {
        series.subject.labels = spec::LabelKind::Probability;
        series.subject.classes = classNames({}, 2);
    }
    return series;
}

double LinkedRegressionHead::updateMetrics(kernels::ThreadPool& pool, const HeadBatch& batch,
                                           metrics::MetricSet& metrics, int firstSeries)
{
    // The loss of an evaluation is in logit space like that of a step, so both can be compared.
    const double loss = m_loss.run(pool, scaled(batch), {});
    m_predictions.resize(static_cast<std::size_t>(batch.logits.rows * m_options.labelDimension));
    fillPredictions(batch.logits, m_predictions);
    const auto weights = flattenWeights(batch.weights, m_options.labelDimension, m_weights);
    metrics.update(firstSeries + kLosses, {ownLosses(), {}, weights});
    metrics.update(firstSeries + kPredictions,
                   {m_predictions, flatten(batch.labels, m_labels), weights});
    return loss;
}

} // namespace

Result<std::unique_ptr<Head>> makeLinkedRegressionHead(RegressionOptions options)
{
    if (options.labelDimension < 1) {
        return fail(ErrorCode::InvalidArgument, kNoLabels, options.labelDimension);
    }
    return std::make_unique<LinkedRegressionHead>(std::move(options));
}

Result<std::unique_ptr<Head>> makeRegressionHead(const spec::Head& message)
{
    const spec::RegressionHead& head = message.regression_head();
    CANNERY_TRY_ASSIGN(HeadOptions common, readHeadOptions(head));
    const bool isScaled = head.has_inverse_link_fn();
    const auto scale = static_cast<float>(head.inverse_link_fn().scale());
    const auto offset = static_cast<float>(head.inverse_link_fn().offset());
    // Checked as float32, as which they are used: a scale may become 0 or infinite there.
    if (isScaled && (!std::isnormal(scale) || scale < 0 || !std::isfinite(offset))) {
        return fail(ErrorCode::InvalidArgument, kBadLink, head.inverse_link_fn().scale(),
                    head.inverse_link_fn().offset());
    }
    return makeLinkedRegressionHead(
        {.common = std::move(common),
         .labelDimension = head.label_dimension(),
         .inverseLink = isScaled ? InverseLink::Affine : InverseLink::Identity,
         .scale = scale,
         .offset = offset});
}

} // namespace cannery::heads
