// SPDX-License-Identifier: Apache-2.0
#include "core/heads/multi_label_head.h"

#include "core/base/catalog.h"
#include "core/heads/class_names.h"
#include "core/heads/head_emission.h"
#include "core/heads/head_loss.h"
#include "core/heads/head_options.h"
#include "kernels/math/elementary.h"
#include "storage/tf/graphs/float_nodes.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace cannery::heads {
namespace {

using kernels::ConstMatrixView;
using metrics::MetricKind;

constexpr ErrorKind kTooFewClasses{"head.too_few_labels",
                                   "A multi_label_head has n_classes {}. Give at least 2."};
constexpr ErrorKind kUnknownClass{
    "head.unknown_class",
    "classes_for_class_based_metrics names '{}', which is none of the {} classes.{}"};

/// kFirstClass is the first of as many series as metricClasses has classes; the others come once.
enum Series
{
    kLosses,
    kProbabilities,
    kFirstClass,
};

class MultiLabelHead : public Head, public SupervisedHead
{
public:
    MultiLabelHead(std::int64_t classes, std::vector<std::int64_t> metricClasses,
                   HeadOptions options)
        : m_classes(classes), m_metricClasses(std::move(metricClasses)),
          m_options(std::move(options)), m_names(classNames(m_options.vocabulary, classes)),
          m_loss(losses::LossKind::SigmoidCrossEntropyOverLabels, classes, m_options.reduction)
    {}

    const std::string& name() const override { return m_options.name; }
    std::int64_t logitsWidth() const override { return m_classes; }
    std::int64_t labelWidth() const override { return m_classes; }
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

    int seriesCount() const override
    {
        return kFirstClass + static_cast<int>(m_metricClasses.size());
    }
    void addMetrics(metrics::MetricSet& metrics, int firstSeries) const override
    {
        addHeadMetrics(ownMetrics(), metrics, firstSeries);
    }
    /// Metrics of an eval_spec see all probabilities of a row; the classes of their own are
    /// TensorFlow's alone.
    std::optional<MeasuredSeries> measured(const std::string& /*head*/,
                                           int firstSeries) const override
    {
        return MeasuredSeries{.subject = {.labels = spec::LabelKind::MultiHot,
                                          .width = m_classes,
                                          .classes = m_names},
                              .series = firstSeries + kProbabilities};
    }
    double updateMetrics(kernels::ThreadPool& pool, const HeadBatch& batch,
                         metrics::MetricSet& metrics, int firstSeries) override;

private:
    std::vector<HeadMetric> ownMetrics() const;
    void updateClass(const HeadBatch& batch, std::int64_t id, metrics::MetricSet& metrics,
                     int series);

    std::int64_t m_classes;
    std::vector<std::int64_t> m_metricClasses;
    HeadOptions m_options;
    std::vector<std::string> m_names;
    HeadLoss m_loss;
    std::vector<float> m_probabilities;
    std::vector<float> m_labels;
    std::vector<float> m_weights;
    std::vector<float> m_rowWeights;
    std::vector<float> m_classProbabilities;
    std::vector<float> m_classLabels;
};

/// Classes do not exclude each other: each has a probability of its own, and a row's sum is not 1.
void fillProbabilities(ConstMatrixView logits, std::vector<float>& probabilities)
{
    copyRows(logits, probabilities);
    for (float& value : probabilities) {
        value = kernels::logistic(value);
    }
}

void MultiLabelHead::predict(kernels::ThreadPool&, ConstMatrixView logits, std::int64_t rows,
                             std::vector<Prediction>& predictions) const
{
    const std::array shapes{
        PredictionShape{"logits", DType::Float32, m_classes},
        PredictionShape{"probabilities", DType::Float32, m_classes},
        PredictionShape{"classes", DType::String, m_classes, true},
    };
    shapePredictions(shapes, logits.rows, rows, predictions);
    copyRows(logits, predictions[0].floats);
    fillProbabilities(logits, predictions[1].floats);
    fillAllClasses(m_names, rows, predictions[2]);
}

std::vector<Signature> MultiLabelHead::emit(storage::GraphDefBuilder& graph,
                                            const storage::NodeRef& logits) const
{
    const auto scope = graph.enterScope(m_options.scope());
    const std::int64_t n = m_classes;
    storage::NodeRef probabilities;
    storage::NodeRef classes;
    // Two lists of all classes, as in TensorFlow: one in the scope of the predictions, one of the
    // output for classification.
    {
        const auto predictionScope = graph.enterScope("predictions");
        probabilities = graph.add("Sigmoid", "probabilities", {logits}, {{"T", DType::Float32}});
        classes = emitAllClasses(graph, logits, n, m_names);
    }
    std::vector<Signature> signatures;
    addClassification(signatures, probabilities, emitAllClasses(graph, probabilities, n, m_names),
                      n);
    signatures.push_back(
        predictSignature({signatureOutput("logits", logits, DType::Float32, n),
                          signatureOutput("probabilities", probabilities, DType::Float32, n),
                          constantOutput("classes", classes, DType::String, n)}));
    return signatures;
}

SupervisedNodes MultiLabelHead::emitSupervised(storage::GraphDefBuilder& graph,
                                               const SupervisedInputs& inputs,
                                               bool withMetrics) const
{
    SupervisedStart start(graph, m_options, m_loss, inputs);
    if (withMetrics) {
        const storage::FloatNodes values(graph);
        const storage::NodeRef probabilities = values.apply("Sigmoid", {inputs.logits});
        std::vector<SeriesNodes> series(static_cast<std::size_t>(seriesCount()));
        series[kLosses] = start.losses;
        series[kProbabilities] = {
            .predictions = probabilities, .labels = inputs.labels, .weights = inputs.weights};
        // A column of the probabilities and of the labels, as updateClass() copies for the same
        // metrics.
        for (std::size_t i = 0; i < m_metricClasses.size(); ++i) {
            const auto id = static_cast<std::int32_t>(m_metricClasses[i]);
            series[kFirstClass + i] = {.predictions = values.slice(probabilities, {0, id}, {-1, 1}),
                                       .labels = values.slice(inputs.labels, {0, id}, {-1, 1}),
                                       .weights = inputs.weights};
        }
        emitHeadMetrics(graph, ownMetrics(), series, start.nodes);
    }
    return std::move(start.nodes);
}

std::vector<HeadMetric> MultiLabelHead::ownMetrics() const
{
    std::vector<HeadMetric> metrics;
    const auto add = [&](const std::string& key, MetricKind kind, int series) {
        metrics.push_back({.name = m_options.metricName(key), .kind = kind, .series = series});
    };
    add("average_loss", MetricKind::Mean, kLosses);
    add("auc", MetricKind::Auc, kProbabilities);
    add("auc_precision_recall", MetricKind::AucPrecisionRecall, kProbabilities);
    addThresholdMetrics(metrics, m_options.thresholds, name(), kProbabilities);
    int series = kFirstClass;
    for (const std::int64_t id : m_metricClasses) {
        const std::string& word = m_names[static_cast<std::size_t>(id)];
        // TensorFlow writes auc/class0 for a number, and auc/word if there is a vocabulary.
        const std::string suffix = m_options.vocabulary.empty() ? "/class" + word : "/" + word;
        add("probability_mean" + suffix, MetricKind::Mean, series);
        add("auc" + suffix, MetricKind::Auc, series);
        add("auc_precision_recall" + suffix, MetricKind::AucPrecisionRecall, series);
        ++series;
    }
    return metrics;
}

double MultiLabelHead::updateMetrics(kernels::ThreadPool& pool, const HeadBatch& batch,
                                     metrics::MetricSet& metrics, int firstSeries)
{
    const double loss = m_loss.run(pool, batch, {});
    m_probabilities.resize(static_cast<std::size_t>(batch.logits.rows * m_classes));
    fillProbabilities(batch.logits, m_probabilities);
    const auto labels = flatten(batch.labels, m_labels);
    // Every class of a row has the row's weight; the loss is one number a row, so it has one
    // weight.
    metrics.update(firstSeries + kProbabilities,
                   {m_probabilities, labels, flattenWeights(batch.weights, m_classes, m_weights)});
    metrics.update(firstSeries + kLosses,
                   {m_loss.losses(), {}, flattenWeights(batch.weights, 1, m_rowWeights)});
    int series = firstSeries + kFirstClass;
    for (const std::int64_t id : m_metricClasses) {
        updateClass(batch, id, metrics, series++);
    }
    return loss;
}

void MultiLabelHead::updateClass(const HeadBatch& batch, std::int64_t id,
                                 metrics::MetricSet& metrics, int series)
{
    const auto rows = static_cast<std::size_t>(batch.logits.rows);
    m_classProbabilities.resize(rows);
    m_classLabels.resize(rows);
    for (std::size_t row = 0; row < rows; ++row) {
        const auto at = row * static_cast<std::size_t>(m_classes) + static_cast<std::size_t>(id);
        m_classProbabilities[row] = m_probabilities[at];
        m_classLabels[row] = batch.labels.at(static_cast<std::int64_t>(row))[id];
    }
    metrics.update(series, {m_classProbabilities, m_classLabels,
                            flattenWeights(batch.weights, 1, m_rowWeights)});
}

Result<std::vector<std::int64_t>> metricClasses(const spec::MultiLabelHead& head,
                                                const std::vector<std::string>& vocabulary)
{
    std::vector<std::int64_t> classes;
    for (const std::string& text : head.classes_for_class_based_metrics()) {
        const auto word = std::find(vocabulary.begin(), vocabulary.end(), text);
        // A word of the vocabulary comes first: only what is none may be the number of a class.
        std::int64_t id = word - vocabulary.begin();
        if (word == vocabulary.end()) {
            const char* end = text.data() + text.size();
            const auto [stop, problem] = std::from_chars(text.data(), end, id);
            if (problem != std::errc() || stop != end || id < 0 || id >= head.n_classes()) {
                return fail(ErrorCode::InvalidArgument, kUnknownClass, text, head.n_classes(),
                            suggestion(text, classNames(vocabulary, head.n_classes())));
            }
        }
        classes.push_back(id);
    }
    return classes;
}

} // namespace

Result<std::unique_ptr<Head>> makeMultiLabelHead(const spec::Head& message)
{
    const spec::MultiLabelHead& head = message.multi_label_head();
    if (head.n_classes() < 2) {
        return fail(ErrorCode::InvalidArgument, kTooFewClasses, head.n_classes());
    }
    CANNERY_TRY_ASSIGN(HeadOptions options, readClassOptions(head, head.n_classes()));
    options.thresholds.assign(head.thresholds().begin(), head.thresholds().end());
    CANNERY_TRY(checkThresholds(options.thresholds));
    CANNERY_TRY_ASSIGN(auto classes, metricClasses(head, options.vocabulary));
    return std::make_unique<MultiLabelHead>(head.n_classes(), std::move(classes),
                                            std::move(options));
}

} // namespace cannery::heads
