// SPDX-License-Identifier: Apache-2.0
#include "core/heads/loss_head.h"

#include "core/heads/chosen_loss_catalog.h"
#include "core/heads/class_names.h"
#include "core/heads/head_emission.h"
#include "core/heads/head_loss.h"
#include "core/heads/row_loss_emission.h"
#include "core/losses/row_losses.h"
#include "core/spec/head_kinds.h"
#include "kernels/math/elementary.h"
#include "kernels/ops/softmax.h"
#include "storage/tf/graphs/float_nodes.h"

#include <algorithm>
#include <array>

namespace cannery::heads {
namespace {

using kernels::ConstMatrixView;
using metrics::MetricKind;
using storage::NodeRef;

constexpr ErrorKind kNoClasses{
    "head.loss_classes",
    "{} reads the number of a class, and the loss_head has no n_classes: set it, or choose "
    "categorical_crossentropy."};
constexpr ErrorKind kIgnoredClass{
    "head.ignored_class",
    "The ignore_class is {}, and the classes are 0 to {}: choose one of them, or leave it out."};
constexpr ErrorKind kNoLabels{"head.loss_label_dimension",
                              "The label_dimension is {}, but a label has 1 number or more."};

enum Series
{
    kLosses,
    kPredictions, ///< the outputs, and labels that are numbers
    kClassIds,
    kShares, ///< of each class, or of class 1 of two
    kSeriesCount,
};

/// What makes shares of classes of the outputs.
enum class ShareRule
{
    Outputs, ///< they are taken as they are
    Sigmoid,
    Softmax,
    Signs, ///< of a margin: -1 is 0, 1 is 1, and nothing lies beyond
};

struct LossHeadOptions
{
    HeadOptions common;
    kernels::RowLossRule rule;
    OutputActivation activation = OutputActivation::None;
    ShareRule shares = ShareRule::Outputs;
    bool areProbabilities = false; ///< of the shares
    std::int64_t width = 1;
    std::int64_t classes = 0; ///< 0: labels are numbers

    bool hasClasses() const { return classes > 0; }
    /// One output for two classes.
    bool isBinary() const { return classes == 2 && width == 1; }
};

void activate(kernels::ThreadPool& pool, OutputActivation activation, std::int64_t width,
              std::span<float> values)
{
    if (activation == OutputActivation::Sigmoid) {
        std::ranges::transform(values, values.begin(),
                               [](float value) { return kernels::logistic(value); });
    } else if (activation == OutputActivation::Softmax) {
        const auto rows = static_cast<std::int64_t>(values.size()) / width;
        const auto view = kernels::matrixView(values, rows, width);
        kernels::softmaxKernels({.rows = rows, .cols = width})
            .run(pool, kernels::matrixView(std::span<const float>(values), rows, width), view);
    }
}

class LossHead : public Head, public SupervisedHead
{
public:
    explicit LossHead(LossHeadOptions options)
        : m_options(std::move(options)),
          m_names(m_options.hasClasses()
                      ? classNames(m_options.common.vocabulary, m_options.classes)
                      : std::vector<std::string>()),
          m_losses(m_options.rule, m_options.common.reduction)
    {}

    const std::string& name() const override { return m_options.common.name; }
    std::int64_t logitsWidth() const override { return m_options.width; }
    std::int64_t labelWidth() const override
    {
        return m_options.hasClasses() ? 1 : m_options.width;
    }
    std::int64_t weightWidth() const override { return m_options.common.weighted ? 1 : 0; }
    void reserve(std::int64_t rows) override { m_losses.reserve(rows); }

    double loss(kernels::ThreadPool& pool, const HeadBatch& batch, kernels::MatrixView logitsGrad,
                float factor) override
    {
        if (lossIsMean()) {
            factor /= static_cast<float>(batch.parts);
        }
        m_loss = m_losses.run(pool, batch.logits, batch.labels, batch.weights, logitsGrad, factor);
        return m_loss;
    }
    bool lossIsMean() const override
    {
        return m_losses.reduction() == losses::Reduction::SumOverBatchSize;
    }
    std::vector<metrics::MetricValue> lossSummaries() const override
    {
        return heads::lossSummaries(name(), m_loss);
    }

    void predict(kernels::ThreadPool& pool, ConstMatrixView logits, std::int64_t rows,
                 std::vector<Prediction>& predictions) const override;
    std::vector<Signature> emit(storage::GraphDefBuilder& graph,
                                const NodeRef& logits) const override;
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
    std::vector<HeadMetric> ownMetrics() const;
    /// The network's outputs, of what comes from before the activation.
    void fillOutputs(kernels::ThreadPool& pool, ConstMatrixView logits,
                     std::vector<float>& outputs) const;
    /// [rows, width]; `outputs` likewise, and its memory may be `shares`.
    void fillShares(kernels::ThreadPool& pool, std::span<const float> outputs,
                    std::vector<float>& shares) const;
    std::int64_t classOf(ConstMatrixView logits, std::span<const float> shares,
                         std::int64_t row) const
    {
        return m_options.isBinary() ? (shares[static_cast<std::size_t>(row)] > 0.5F ? 1 : 0)
                                    : argmax(logits.row(row));
    }
    NodeRef emitOutputs(storage::GraphDefBuilder& graph, const NodeRef& logits) const;
    NodeRef emitShares(storage::GraphDefBuilder& graph, const NodeRef& outputs) const;
    /// One column for each class.
    NodeRef emitClassShares(storage::GraphDefBuilder& graph, const NodeRef& outputs) const;

    LossHeadOptions m_options;
    std::vector<std::string> m_names;
    losses::RowLosses m_losses;
    double m_loss = 0.0;
    std::vector<float> m_outputs;
    std::vector<float> m_shares;
    std::vector<float> m_classIds;
    std::vector<float> m_labels;
    std::vector<float> m_weights;
    std::vector<float> m_lossWeights;
};

void LossHead::fillOutputs(kernels::ThreadPool& pool, ConstMatrixView logits,
                           std::vector<float>& outputs) const
{
    outputs.resize(static_cast<std::size_t>(logits.rows * logits.cols));
    copyRows(logits, outputs);
    activate(pool, m_options.activation, m_options.width, outputs);
}

void LossHead::fillShares(kernels::ThreadPool& pool, std::span<const float> outputs,
                          std::vector<float>& shares) const
{
    shares.resize(outputs.size());
    std::ranges::copy(outputs, shares.begin());
    if (m_options.shares == ShareRule::Sigmoid) {
        activate(pool, OutputActivation::Sigmoid, m_options.width, shares);
    } else if (m_options.shares == ShareRule::Softmax) {
        activate(pool, OutputActivation::Softmax, m_options.width, shares);
    } else if (m_options.shares == ShareRule::Signs) {
        std::ranges::transform(shares, shares.begin(), [](float margin) {
            return std::clamp((margin + 1.0F) * 0.5F, 0.0F, 1.0F);
        });
    }
}

void LossHead::predict(kernels::ThreadPool& pool, ConstMatrixView logits, std::int64_t rows,
                       std::vector<Prediction>& predictions) const
{
    std::vector<PredictionShape> shapes{{"predictions", DType::Float32, m_options.width}};
    const bool hasProbabilities = m_options.hasClasses() && m_options.areProbabilities;
    if (hasProbabilities) {
        shapes.push_back({"probabilities", DType::Float32, m_options.classes});
    }
    if (m_options.hasClasses()) {
        shapes.push_back({"class_ids", DType::Int64});
        shapes.push_back({"classes", DType::String});
        shapes.push_back({"all_class_ids", DType::Int32, m_options.classes, true});
        shapes.push_back({"all_classes", DType::String, m_options.classes, true});
    }
    shapePredictions(shapes, logits.rows, rows, predictions);
    fillOutputs(pool, logits, predictions[0].floats);
    if (!m_options.hasClasses()) {
        return;
    }
    std::vector<float> shares;
    fillShares(pool, predictions[0].floats, shares);
    const std::size_t ids = hasProbabilities ? 2 : 1;
    for (std::int64_t row = 0; row < logits.rows; ++row) {
        const std::int64_t id = classOf(logits, shares, row);
        predictions[ids].integers[static_cast<std::size_t>(row)] = id;
        predictions[ids + 1].strings.push_back(m_names[static_cast<std::size_t>(id)]);
    }
    if (hasProbabilities && m_options.isBinary()) {
        for (std::size_t row = 0; row < shares.size(); ++row) {
            predictions[1].floats[2 * row] = 1.0F - shares[row];
            predictions[1].floats[2 * row + 1] = shares[row];
        }
    } else if (hasProbabilities) {
        std::ranges::copy(shares, predictions[1].floats.begin());
    }
    fillAllClassIds(predictions[ids + 2]);
    fillAllClasses(m_names, rows, predictions[ids + 3]);
}

NodeRef LossHead::emitOutputs(storage::GraphDefBuilder& graph, const NodeRef& logits) const
{
    if (m_options.activation == OutputActivation::None) {
        return logits;
    }
    const char* op = m_options.activation == OutputActivation::Sigmoid ? "Sigmoid" : "Softmax";
    return graph.add(op, "predictions", {logits}, {{"T", DType::Float32}});
}

NodeRef LossHead::emitShares(storage::GraphDefBuilder& graph, const NodeRef& outputs) const
{
    const storage::FloatNodes values(graph);
    switch (m_options.shares) {
    case ShareRule::Sigmoid:
        return values.apply("Sigmoid", {outputs});
    case ShareRule::Softmax:
        return values.apply("Softmax", {outputs});
    case ShareRule::Signs:
        return values.smaller(
            values.larger(
                values.multiply(values.add(outputs, values.number(1.0F)), values.number(0.5F)),
                values.number(0.0F)),
            values.number(1.0F));
    case ShareRule::Outputs:
        break;
    }
    return outputs;
}

NodeRef LossHead::emitClassShares(storage::GraphDefBuilder& graph, const NodeRef& outputs) const
{
    const storage::FloatNodes values(graph);
    const NodeRef shares = emitShares(graph, outputs);
    return m_options.isBinary()
               ? values.columns({values.subtract(values.number(1.0F), shares), shares})
               : shares;
}

std::vector<Signature> LossHead::emit(storage::GraphDefBuilder& graph, const NodeRef& logits) const
{
    const auto scope = graph.enterScope(m_options.common.scope());
    const NodeRef value = emitOutputs(graph, logits);
    std::vector<SignatureOutput> outputs{
        signatureOutput("predictions", value, DType::Float32, m_options.width)};
    if (!m_options.hasClasses()) {
        return {regressionSignature("serving_default", value, m_options.width),
                regressionSignature("regression", value, m_options.width),
                predictSignature(std::move(outputs))};
    }
    const std::int64_t n = m_options.classes;
    NodeRef shares;
    {
        const auto predictionScope = graph.enterScope("predictions");
        shares = emitClassShares(graph, value);
        const NodeRef ids = emitClassIds(graph, m_options.isBinary() ? shares : logits);
        if (m_options.areProbabilities) {
            outputs.push_back(signatureOutput("probabilities", shares, DType::Float32, n));
        }
        outputs.push_back(signatureOutput("class_ids", ids, DType::Int64, 1));
        outputs.push_back(signatureOutput("classes",
                                          emitClassStrings(graph, ids, m_options.common.vocabulary),
                                          DType::String, 1));
        outputs.push_back(
            constantOutput("all_class_ids", emitAllClassIds(graph, logits, n), DType::Int32, n));
        outputs.push_back(constantOutput("all_classes", emitAllClasses(graph, logits, n, m_names),
                                         DType::String, n));
    }
    std::vector<Signature> signatures;
    addClassification(signatures, shares, emitAllClasses(graph, shares, n, m_names), n);
    signatures.push_back(predictSignature(std::move(outputs)));
    return signatures;
}

SupervisedNodes LossHead::emitSupervised(storage::GraphDefBuilder& graph,
                                         const SupervisedInputs& inputs, bool withMetrics) const
{
    const auto scope = graph.enterExactly(m_options.common.scopeBelow(graph.scope()));
    const LossNodes made =
        emitRowLoss(graph, m_options.rule, m_options.width, m_options.common.reduction, inputs);
    SupervisedNodes nodes;
    nodes.loss = made.loss;
    nodes.logitsGrad = made.logitsGrad;
    if (!withMetrics) {
        return nodes;
    }
    const storage::FloatNodes values(graph);
    const NodeRef outputs = emitOutputs(graph, inputs.logits);
    std::array<SeriesNodes, kSeriesCount> series;
    series[kLosses] = {.predictions = made.losses, .labels = {}, .weights = inputs.weights};
    if (m_options.rule.ignoredClass) {
        const NodeRef counts = values.subtract(
            values.number(1.0F),
            values.truth("Equal", inputs.labels,
                         values.number(static_cast<float>(*m_options.rule.ignoredClass))));
        series[kLosses].weights =
            inputs.weights.node.empty() ? counts : values.multiply(inputs.weights, counts);
    }
    series[kPredictions] = {
        .predictions = outputs, .labels = inputs.labels, .weights = inputs.weights};
    if (m_options.hasClasses()) {
        const NodeRef ofClasses =
            m_options.isBinary() ? emitClassShares(graph, outputs) : inputs.logits;
        series[kClassIds] = {.predictions =
                                 values.cast(emitClassIds(graph, ofClasses), DType::Int64),
                             .labels = inputs.labels,
                             .weights = inputs.weights};
    }
    emitHeadMetrics(graph, ownMetrics(), series, nodes);
    return nodes;
}

std::vector<HeadMetric> LossHead::ownMetrics() const
{
    std::vector<HeadMetric> metrics;
    const auto add = [&](const char* key, MetricKind kind, int series) {
        metrics.push_back(
            {.name = m_options.common.metricName(key), .kind = kind, .series = series});
    };
    add("average_loss", MetricKind::Mean, kLosses);
    if (m_options.hasClasses()) {
        add("accuracy", MetricKind::Accuracy, kClassIds);
    }
    // A label that is the number of one of several classes has no mean.
    if (!m_options.hasClasses() || m_options.isBinary()) {
        add("prediction/mean", MetricKind::Mean, kPredictions);
        add("label/mean", MetricKind::LabelMean, kPredictions);
    }
    return metrics;
}

void LossHead::addBaselines(metrics::MetricSet& metrics, int firstSeries) const
{
    const auto add = [&](const char* key, MetricKind kind, int series) {
        metrics.add(m_options.common.metricName(key), metrics::makeMetric(kind),
                    firstSeries + series);
    };
    if (m_options.hasClasses()) {
        add("cannery/accuracy_baseline", MetricKind::MajorityShare, kClassIds);
        return;
    }
    add("cannery/mae", MetricKind::MeanAbsoluteError, kPredictions);
    add("cannery/r2", MetricKind::RSquared, kPredictions);
    add("cannery/rmse", MetricKind::RootMeanSquaredError, kPredictions);
    add("cannery/rmse_baseline", MetricKind::RootMeanSquaredErrorBaseline, kPredictions);
}

std::optional<MeasuredSeries> LossHead::measured(const std::string& /*head*/, int firstSeries) const
{
    if (!m_options.hasClasses()) {
        return MeasuredSeries{.subject = {.width = m_options.width},
                              .series = firstSeries + kPredictions};
    }
    return MeasuredSeries{.subject = {.labels = m_options.isBinary() ? spec::LabelKind::Probability
                                                                     : spec::LabelKind::ClassId,
                                      .width = m_options.isBinary() ? 1 : m_options.classes,
                                      .classes = m_names},
                          .series = firstSeries + kShares};
}

double LossHead::updateMetrics(kernels::ThreadPool& pool, const HeadBatch& batch,
                               metrics::MetricSet& metrics, int firstSeries)
{
    m_loss = m_losses.run(pool, batch.logits, batch.labels, batch.weights, {});
    fillOutputs(pool, batch.logits, m_outputs);
    const auto labels = flatten(batch.labels, m_labels);
    const auto weights = flattenWeights(batch.weights, 1, m_weights);
    auto lossWeights = weights;
    if (m_options.rule.ignoredClass) {
        m_lossWeights.assign(labels.size(), 1.0F);
        for (std::size_t row = 0; row < labels.size(); ++row) {
            const bool counts = labels[row] != static_cast<float>(*m_options.rule.ignoredClass);
            m_lossWeights[row] = counts ? (weights.empty() ? 1.0F : weights[row]) : 0.0F;
        }
        lossWeights = m_lossWeights;
    }
    metrics.update(firstSeries + kLosses, {m_losses.losses().flat(), {}, lossWeights});
    if (!m_options.hasClasses() || m_options.isBinary()) {
        metrics.update(
            firstSeries + kPredictions,
            {m_outputs, labels, flattenWeights(batch.weights, m_options.width, m_weights)});
    }
    if (!m_options.hasClasses()) {
        return m_loss;
    }
    fillShares(pool, m_outputs, m_shares);
    m_classIds.resize(static_cast<std::size_t>(batch.logits.rows));
    for (std::int64_t row = 0; row < batch.logits.rows; ++row) {
        m_classIds[static_cast<std::size_t>(row)] =
            static_cast<float>(classOf(batch.logits, m_shares, row));
    }
    metrics.update(firstSeries + kClassIds, {m_classIds, labels, weights});
    metrics.update(firstSeries + kShares, {m_shares, labels, weights});
    return m_loss;
}

ShareRule shareRuleOf(const ChosenLossRow& loss, const LossHeadOptions& options, bool fromLogits)
{
    if (loss.chances == Chances::None) {
        return options.isBinary() ? ShareRule::Signs : ShareRule::Outputs;
    }
    // With an activation of its own the network gives probabilities, whatever the loss was told.
    if (!fromLogits || options.activation != OutputActivation::None) {
        return ShareRule::Outputs;
    }
    return loss.chances == Chances::PerOutput ? ShareRule::Sigmoid : ShareRule::Softmax;
}

} // namespace

bool goesBehindActivation(const spec::Head& message)
{
    if (!message.has_loss_head()) {
        return false;
    }
    const ChosenLossRow* loss = findChosenLoss(message.loss_head().loss());
    return loss != nullptr && loss->goesBehindActivation;
}

Result<std::unique_ptr<Head>> makeLossHead(const spec::Head& message)
{
    return makeLossHead(message, OutputActivation::None);
}

Result<std::unique_ptr<Head>> makeLossHead(const spec::Head& message, OutputActivation activation)
{
    const spec::LossHead& head = message.loss_head();
    LossHeadOptions options;
    CANNERY_TRY_ASSIGN(options.rule, lossRule(head.loss()));
    const bool fromLogits = options.rule.fromLogits;
    if (head.has_n_classes()) {
        CANNERY_TRY_ASSIGN(options.common, readClassOptions(head, head.n_classes()));
        options.classes = head.n_classes();
        options.width = spec::hasOneOutput(head) ? 1 : head.n_classes();
        options.rule.labelsAreIds = options.width > 1;
    } else {
        CANNERY_TRY_ASSIGN(options.common, readHeadOptions(head));
        if (options.rule.labelsAreIds) {
            return fail(ErrorCode::InvalidArgument, kNoClasses, "sparse_categorical_crossentropy");
        }
        if (head.label_dimension() < 1) {
            return fail(ErrorCode::InvalidArgument, kNoLabels, head.label_dimension());
        }
        options.width = head.label_dimension();
    }
    const std::optional<std::int64_t> ignored = options.rule.ignoredClass;
    if (ignored && (*ignored < 0 || *ignored >= options.classes)) {
        return fail(ErrorCode::InvalidArgument, kIgnoredClass, *ignored, options.classes - 1);
    }
    options.activation = activation;
    options.rule.fromLogits = fromLogits || activation != OutputActivation::None;
    const ChosenLossRow& loss = *findChosenLoss(head.loss());
    options.shares = shareRuleOf(loss, options, fromLogits);
    options.areProbabilities = loss.chances != Chances::None;
    return std::make_unique<LossHead>(std::move(options));
}

} // namespace cannery::heads
