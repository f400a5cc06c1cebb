// SPDX-License-Identifier: Apache-2.0
#include "core/heads/binary_class_head.h"

#include "core/heads/class_names.h"
#include "core/heads/head_emission.h"
#include "core/heads/head_loss.h"
#include "core/heads/head_options.h"
#include "kernels/math/elementary.h"
#include "storage/tf/graphs/float_nodes.h"

#include <array>
#include <cmath>

namespace cannery::heads {
namespace {

using kernels::ConstMatrixView;
using metrics::MetricKind;

/// Rows that are predicted together.
constexpr std::size_t kLanes = 16;

enum Series
{
    kLosses,
    kClassIds,
    kLogistic,
    kSeriesCount,
};

class BinaryClassHead : public Head, public SupervisedHead
{
public:
    BinaryClassHead(HeadOptions options, MetricKind precisionRecall)
        : m_precisionRecall(precisionRecall), m_options(std::move(options)),
          m_names(classNames(m_options.vocabulary, 2)),
          m_loss(losses::LossKind::SigmoidCrossEntropy, 1, m_options.reduction)
    {}

    const std::string& name() const override { return m_options.name; }
    std::int64_t logitsWidth() const override { return 1; }
    std::int64_t labelWidth() const override { return 1; }
    std::int64_t weightWidth() const override { return m_options.weighted ? 1 : 0; }
    void reserve(std::int64_t rows) override { m_loss.reserve(rows); }

    double loss(kernels::ThreadPool& pool, const HeadBatch& batch, kernels::MatrixView logitsGrad,
                float factor) override
    {
        return m_loss.run(pool, batch, logitsGrad, factor);
    }
    Result<void> placeLoss(kernels::AcceleratorProgram& program,
                           const PlacedHeadBatch& batch) const override
    {
        m_loss.place(program, batch);
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
    std::optional<MeasuredSeries> measured(const std::string& /*head*/,
                                           int firstSeries) const override
    {
        return MeasuredSeries{
            .subject = {.labels = spec::LabelKind::Probability, .classes = m_names},
            .series = firstSeries + kLogistic};
    }
    double updateMetrics(kernels::ThreadPool& pool, const HeadBatch& batch,
                         metrics::MetricSet& metrics, int firstSeries) override;

private:
    std::vector<HeadMetric> ownMetrics() const;

    MetricKind m_precisionRecall;
    HeadOptions m_options;
    std::vector<std::string> m_names;
    HeadLoss m_loss;
    std::vector<float> m_classIds;
    std::vector<float> m_logistic;
    std::vector<float> m_labels;
    std::vector<float> m_weights;
};

/// Several logits side by side, for vectorization: logistic(z), and softmax(0, z) with the larger
/// one at exp(0).
template <std::size_t kCount>
void predictLanes(const float* z, float* logistic, float* probabilities)
{
    // The exponentials have a loop of their own, without the choices below, for vectorization.
    std::array<float, kCount> smaller;
    for (std::size_t i = 0; i < kCount; ++i) {
        smaller[i] = kernels::exponential(-std::fabs(z[i]));
        logistic[i] = kernels::logistic(z[i]);
    }
    for (std::size_t i = 0; i < kCount; ++i) {
        // exp() is taken of -|z| only, which cannot overflow.
        const float zero = z[i] > 0.0F ? smaller[i] : 1.0F;
        const float one = z[i] > 0.0F ? 1.0F : smaller[i];
        probabilities[2 * i] = zero / (zero + one);
        probabilities[2 * i + 1] = one / (zero + one);
    }
}

void BinaryClassHead::predict(kernels::ThreadPool&, ConstMatrixView logits, std::int64_t rows,
                              std::vector<Prediction>& predictions) const
{
    constexpr std::array kShapes{
        PredictionShape{"logits"},
        PredictionShape{"logistic"},
        PredictionShape{"probabilities", DType::Float32, 2},
        PredictionShape{"class_ids", DType::Int64},
        PredictionShape{"classes", DType::String},
        PredictionShape{"all_class_ids", DType::Int32, 2, true},
        PredictionShape{"all_classes", DType::String, 2, true},
    };
    shapePredictions(kShapes, logits.rows, rows, predictions);
    copyRows(logits, predictions[0].floats);
    const std::span<const float> z = predictions[0].floats;
    std::size_t row = 0;
    // The rest goes through the same function one by one, so a row's bits do not depend on its
    // place.
    for (; row + kLanes <= z.size(); row += kLanes) {
        predictLanes<kLanes>(&z[row], &predictions[1].floats[row], &predictions[2].floats[2 * row]);
    }
    for (; row < z.size(); ++row) {
        predictLanes<1>(&z[row], &predictions[1].floats[row], &predictions[2].floats[2 * row]);
    }
    for (row = 0; row < z.size(); ++row) {
        predictions[3].integers[row] = z[row] > 0.0F ? 1 : 0;
        predictions[4].strings.push_back(m_names[z[row] > 0.0F ? 1 : 0]);
    }
    fillAllClassIds(predictions[5]);
    fillAllClasses(m_names, rows, predictions[6]);
}

std::vector<Signature> BinaryClassHead::emit(storage::GraphDefBuilder& graph,
                                             const storage::NodeRef& logits) const
{
    const auto scope = graph.enterScope(m_options.scope());
    std::vector<SignatureOutput> outputs{signatureOutput("logits", logits, DType::Float32, 1)};
    storage::NodeRef logistic;
    storage::NodeRef probabilities;
    {
        const auto predictionScope = graph.enterScope("predictions");
        logistic = graph.add("Sigmoid", "logistic", {logits}, {{"T", DType::Float32}});
        // TensorFlow's two logits: 0 for class 0, the logit for class 1.
        const auto zeros = graph.add("ZerosLike", "zeros_like", {logits}, {{"T", DType::Float32}});
        const auto axis = graph.constant("two_class_logits/axis", std::int32_t{-1});
        const auto twoLogits = graph.add("ConcatV2", "two_class_logits", {zeros, logits, axis},
                                         {{"N", 2}, {"T", DType::Float32}, {"Tidx", DType::Int32}});
        probabilities = graph.add("Softmax", "probabilities", {twoLogits}, {{"T", DType::Float32}});
        const auto ids = emitClassIds(graph, twoLogits);
        const auto strings = emitClassStrings(graph, ids, m_options.vocabulary);
        const auto allIds = emitAllClassIds(graph, logits, 2);
        const auto allClasses = emitAllClasses(graph, logits, 2, m_names);
        outputs.push_back(signatureOutput("logistic", logistic, DType::Float32, 1));
        outputs.push_back(signatureOutput("probabilities", probabilities, DType::Float32, 2));
        outputs.push_back(signatureOutput("class_ids", ids, DType::Int64, 1));
        outputs.push_back(signatureOutput("classes", strings, DType::String, 1));
        outputs.push_back(constantOutput("all_class_ids", allIds, DType::Int32, 2));
        outputs.push_back(constantOutput("all_classes", allClasses, DType::String, 2));
    }
    std::vector<Signature> signatures;
    addClassification(signatures, probabilities, emitAllClasses(graph, probabilities, 2, m_names),
                      2);
    // The probability of class 1 is also served as a regression, as TensorFlow's head does.
    signatures.push_back(regressionSignature("regression", logistic, 1));
    signatures.push_back(predictSignature(std::move(outputs)));
    return signatures;
}

SupervisedNodes BinaryClassHead::emitSupervised(storage::GraphDefBuilder& graph,
                                                const SupervisedInputs& inputs,
                                                bool withMetrics) const
{
    SupervisedStart start(graph, m_options, m_loss, inputs);
    if (withMetrics) {
        const storage::FloatNodes values(graph);
        std::array<SeriesNodes, kSeriesCount> series;
        series[kLosses] = start.losses;
        series[kClassIds] = {.predictions =
                                 // The argmax of (0, logit) is class 0 for equal ones, so class 1
                                 // needs a logit above 0.
                             values.truth("Greater", inputs.logits, values.number(0.0F)),
                             .labels = inputs.labels,
                             .weights = inputs.weights};
        series[kLogistic] = {.predictions = values.apply("Sigmoid", {inputs.logits}),
                             .labels = inputs.labels,
                             .weights = inputs.weights};
        emitHeadMetrics(graph, ownMetrics(), series, start.nodes);
    }
    return std::move(start.nodes);
}

std::vector<HeadMetric> BinaryClassHead::ownMetrics() const
{
    std::vector<HeadMetric> metrics;
    const auto add = [&](const char* key, MetricKind kind, int series) {
        metrics.push_back({.name = m_options.metricName(key), .kind = kind, .series = series});
    };
    add("average_loss", MetricKind::Mean, kLosses);
    add("accuracy", MetricKind::Accuracy, kClassIds);
    add("precision", MetricKind::Precision, kClassIds);
    add("recall", MetricKind::Recall, kClassIds);
    add("prediction/mean", MetricKind::Mean, kLogistic);
    add("label/mean", MetricKind::LabelMean, kLogistic);
    add("accuracy_baseline", MetricKind::AccuracyBaseline, kLogistic);
    add("auc", MetricKind::Auc, kLogistic);
    add("auc_precision_recall", m_precisionRecall, kLogistic);
    addThresholdMetrics(metrics, m_options.thresholds, name(), kLogistic);
    return metrics;
}

double BinaryClassHead::updateMetrics(kernels::ThreadPool& pool, const HeadBatch& batch,
                                      metrics::MetricSet& metrics, int firstSeries)
{
    const double loss = m_loss.run(pool, batch, {});
    const auto labels = flatten(batch.labels, m_labels);
    const auto weights = flattenWeights(batch.weights, 1, m_weights);
    const auto rows = static_cast<std::size_t>(batch.logits.rows);
    m_classIds.resize(rows);
    m_logistic.resize(rows);
    for (std::size_t row = 0; row < rows; ++row) {
        const float z = *batch.logits.at(static_cast<std::int64_t>(row));
        // As the argmax of (0, z): equal logits are class 0.
        m_classIds[row] = z > 0.0F ? 1.0F : 0.0F;
        m_logistic[row] = kernels::logistic(z);
    }
    metrics.update(firstSeries + kLosses, {m_loss.losses(), {}, weights});
    metrics.update(firstSeries + kClassIds, {m_classIds, labels, weights});
    metrics.update(firstSeries + kLogistic, {m_logistic, labels, weights});
    return loss;
}

Result<std::unique_ptr<Head>> makeWith(const spec::Head& message, MetricKind precisionRecall)
{
    const spec::BinaryClassHead& head = message.binary_class_head();
    CANNERY_TRY_ASSIGN(HeadOptions options, readClassOptions(head, 2));
    options.thresholds.assign(head.thresholds().begin(), head.thresholds().end());
    CANNERY_TRY(checkThresholds(options.thresholds));
    return std::make_unique<BinaryClassHead>(std::move(options), precisionRecall);
}

} // namespace

Result<std::unique_ptr<Head>> makeBinaryClassHead(const spec::Head& message)
{
    return makeWith(message, MetricKind::AucPrecisionRecall);
}

// TensorFlow's boosted trees report this area by trapezoids; all else is the same.
Result<std::unique_ptr<Head>> makeTreesBinaryClassHead(const spec::Head& message)
{
    return makeWith(message, MetricKind::AucPrecisionRecallTrapezoids);
}

} // namespace cannery::heads
