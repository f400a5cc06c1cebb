// SPDX-License-Identifier: Apache-2.0
#include "core/heads/multi_class_head.h"

#include "core/heads/class_names.h"
#include "core/heads/head_emission.h"
#include "core/heads/head_loss.h"
#include "core/heads/head_options.h"
#include "kernels/ops/softmax.h"
#include "storage/tf/graphs/float_nodes.h"

#include <array>

namespace cannery::heads {
namespace {

using kernels::ConstMatrixView;
using metrics::MetricKind;

constexpr ErrorKind kTooFewClasses{
    "head.too_few_classes",
    "A multi_class_head has n_classes {}. Give at least 3, or use a binary_class_head."};

enum Series
{
    kLosses,
    kClassIds,
    kProbabilities,
    kSeriesCount,
};

class MultiClassHead : public Head, public SupervisedHead
{
public:
    MultiClassHead(std::int64_t classes, HeadOptions options)
        : m_classes(classes), m_options(std::move(options)),
          m_names(classNames(m_options.vocabulary, classes)),
          m_loss(losses::LossKind::SoftmaxCrossEntropy, classes, m_options.reduction)
    {}

    const std::string& name() const override { return m_options.name; }
    std::int64_t logitsWidth() const override { return m_classes; }
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

    void predict(kernels::ThreadPool& pool, ConstMatrixView logits, std::int64_t rows,
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
    std::optional<MeasuredSeries> measured(const std::string& /*head*/,
                                           int firstSeries) const override
    {
        return MeasuredSeries{
            .subject = {.labels = spec::LabelKind::ClassId, .width = m_classes, .classes = m_names},
            .series = firstSeries + kProbabilities};
    }
    double updateMetrics(kernels::ThreadPool& pool, const HeadBatch& batch,
                         metrics::MetricSet& metrics, int firstSeries) override;

private:
    std::vector<HeadMetric> ownMetrics() const
    {
        return {{.name = m_options.metricName("average_loss"),
                 .kind = MetricKind::Mean,
                 .series = kLosses},
                {.name = m_options.metricName("accuracy"),
                 .kind = MetricKind::Accuracy,
                 .series = kClassIds}};
    }
    void fillProbabilities(kernels::ThreadPool& pool, ConstMatrixView logits,
                           std::span<float> probabilities) const;

    std::int64_t m_classes;
    HeadOptions m_options;
    std::vector<std::string> m_names;
    HeadLoss m_loss;
    std::vector<float> m_classIds;
    std::vector<float> m_probabilities;
    std::vector<float> m_labels;
    std::vector<float> m_weights;
};

void MultiClassHead::fillProbabilities(kernels::ThreadPool& pool, ConstMatrixView logits,
                                       std::span<float> probabilities) const
{
    kernels::softmaxKernels({.rows = logits.rows, .cols = m_classes})
        .run(pool, logits, kernels::matrixView(probabilities, logits.rows, m_classes));
}

void MultiClassHead::predict(kernels::ThreadPool& pool, ConstMatrixView logits, std::int64_t rows,
                             std::vector<Prediction>& predictions) const
{
    const std::array shapes{
        PredictionShape{"logits", DType::Float32, m_classes},
        PredictionShape{"probabilities", DType::Float32, m_classes},
        PredictionShape{"class_ids", DType::Int64},
        PredictionShape{"classes", DType::String},
        PredictionShape{"all_class_ids", DType::Int32, m_classes, true},
        PredictionShape{"all_classes", DType::String, m_classes, true},
    };
    shapePredictions(shapes, logits.rows, rows, predictions);
    copyRows(logits, predictions[0].floats);
    fillProbabilities(pool, logits, predictions[1].floats);
    for (std::int64_t row = 0; row < logits.rows; ++row) {
        const std::int64_t id = argmax(logits.row(row));
        predictions[2].integers[static_cast<std::size_t>(row)] = id;
        predictions[3].strings.push_back(m_names[static_cast<std::size_t>(id)]);
    }
    fillAllClassIds(predictions[4]);
    fillAllClasses(m_names, rows, predictions[5]);
}

std::vector<Signature> MultiClassHead::emit(storage::GraphDefBuilder& graph,
                                            const storage::NodeRef& logits) const
{
    const auto scope = graph.enterScope(m_options.scope());
    const std::int64_t n = m_classes;
    std::vector<SignatureOutput> outputs{signatureOutput("logits", logits, DType::Float32, n)};
    storage::NodeRef probabilities;
    {
        const auto predictionScope = graph.enterScope("predictions");
        probabilities = graph.add("Softmax", "probabilities", {logits}, {{"T", DType::Float32}});
        const auto ids = emitClassIds(graph, logits);
        const auto strings = emitClassStrings(graph, ids, m_options.vocabulary);
        const auto allIds = emitAllClassIds(graph, logits, n);
        const auto allClasses = emitAllClasses(graph, logits, n, m_names);
        outputs.push_back(signatureOutput("probabilities", probabilities, DType::Float32, n));
        outputs.push_back(signatureOutput("class_ids", ids, DType::Int64, 1));
        outputs.push_back(signatureOutput("classes", strings, DType::String, 1));
        outputs.push_back(constantOutput("all_class_ids", allIds, DType::Int32, n));
        outputs.push_back(constantOutput("all_classes", allClasses, DType::String, n));
    }
    std::vector<Signature> signatures;
    addClassification(signatures, probabilities, emitAllClasses(graph, probabilities, n, m_names),
                      n);
    signatures.push_back(predictSignature(std::move(outputs)));
    return signatures;
}

SupervisedNodes MultiClassHead::emitSupervised(storage::GraphDefBuilder& graph,
                                               const SupervisedInputs& inputs,
                                               bool withMetrics) const
{
    SupervisedStart start(graph, m_options, m_loss, inputs);
    if (withMetrics) {
        const storage::FloatNodes values(graph);
        std::array<SeriesNodes, kSeriesCount> series;
        series[kLosses] = start.losses;
        // kProbabilities stays empty: no metric of TensorFlow's own reads it, and ownMetrics() has
        // none.
        series[kClassIds] = {.predictions =
                                 values.cast(emitClassIds(graph, inputs.logits), DType::Int64),
                             .labels = inputs.labels,
                             .weights = inputs.weights};
        emitHeadMetrics(graph, ownMetrics(), series, start.nodes);
    }
    return std::move(start.nodes);
}

void MultiClassHead::addBaselines(metrics::MetricSet& metrics, int firstSeries) const
{
    metrics.add(m_options.metricName("cannery/accuracy_baseline"),
                metrics::makeMetric(MetricKind::MajorityShare), firstSeries + kClassIds);
}

double MultiClassHead::updateMetrics(kernels::ThreadPool& pool, const HeadBatch& batch,
                                     metrics::MetricSet& metrics, int firstSeries)
{
    const double loss = m_loss.run(pool, batch, {});
    const auto labels = flatten(batch.labels, m_labels);
    const auto weights = flattenWeights(batch.weights, 1, m_weights);
    m_classIds.resize(static_cast<std::size_t>(batch.logits.rows));
    for (std::int64_t row = 0; row < batch.logits.rows; ++row) {
        m_classIds[static_cast<std::size_t>(row)] =
            static_cast<float>(argmax(batch.logits.row(row)));
    }
    metrics.update(firstSeries + kLosses, {m_loss.losses(), {}, weights});
    metrics.update(firstSeries + kClassIds, {m_classIds, labels, weights});
    // Softmax is skipped for the head's own metrics, which need class ids alone.
    if (metrics.reads(firstSeries + kProbabilities)) {
        m_probabilities.resize(static_cast<std::size_t>(batch.logits.rows * m_classes));
        fillProbabilities(pool, batch.logits, m_probabilities);
        metrics.update(firstSeries + kProbabilities, {m_probabilities, labels, weights});
    }
    return loss;
}

} // namespace

Result<std::unique_ptr<Head>> makeMultiClassHead(const spec::Head& message)
{
    const spec::MultiClassHead& head = message.multi_class_head();
    if (head.n_classes() < 3) {
        return fail(ErrorCode::InvalidArgument, kTooFewClasses, head.n_classes());
    }
    CANNERY_TRY_ASSIGN(HeadOptions options, readClassOptions(head, head.n_classes()));
    return std::make_unique<MultiClassHead>(head.n_classes(), std::move(options));
}

} // namespace cannery::heads
