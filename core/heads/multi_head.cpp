// SPDX-License-Identifier: Apache-2.0
#include "core/heads/multi_head.h"

#include "core/heads/head_catalog.h"
#include "core/heads/head_emission.h"
#include "core/heads/head_loss.h"
#include "core/spec/message_access.h"
#include "storage/tf/graphs/float_nodes.h"

#include <algorithm>
#include <iterator>

namespace cannery::heads {
namespace {

using kernels::ConstMatrixView;
using kernels::MatrixView;

constexpr ErrorKind kNoHeads{"head.no_heads",
                             "The multi_head has no heads. Give one or more heads with a name."};
constexpr ErrorKind kNested{
    "head.nested_multi_head",
    "A multi_head contains a multi_head. Move its heads into the outer one."};
constexpr ErrorKind kNoName{"head.no_name",
                            "Head {} of the multi_head has no name. Give every one its own name."};
constexpr ErrorKind kNameTwice{"head.name_twice",
                               "Two heads of the multi_head are called '{}'. Rename one of them."};
constexpr ErrorKind kWeightCount{"head.weight_count",
                                 "The multi_head has {} head_weights for {} heads. Give one for "
                                 "each head, or none."};
constexpr ErrorKind kReductions{
    "head.loss_reductions",
    "The heads of the multi_head have different loss_reductions. Give all of them the same."};

/// A head with its part of the columns.
struct Part
{
    std::unique_ptr<Head> head;
    float lossWeight = 1.0F;
    std::int64_t firstLogit = 0;
    std::int64_t firstLabel = 0;
    std::int64_t firstWeight = 0;
    int firstSeries = 0; ///< its loss; its own metrics follow
    double loss = 0.0;
};

class MultiHead : public Head, public SupervisedHead
{
public:
    explicit MultiHead(std::vector<Part> parts);

    const std::string& name() const override { return m_name; }
    std::int64_t logitsWidth() const override { return m_logitsWidth; }
    std::int64_t labelWidth() const override { return m_labelWidth; }
    std::int64_t weightWidth() const override { return m_weightWidth; }
    void reserve(std::int64_t rows) override
    {
        for (const Part& part : m_parts) {
            part.head->reserve(rows);
        }
    }

    double loss(kernels::ThreadPool& pool, const HeadBatch& batch, MatrixView logitsGrad,
                float factor) override;
    Result<void> placeLoss(kernels::AcceleratorProgram& program,
                           const PlacedHeadBatch& batch) const override;
    std::int64_t lossCount() const override
    {
        return 1 + static_cast<std::int64_t>(m_parts.size());
    }
    void takeLosses(std::span<const double> losses) override;
    void secondDerivatives(kernels::ThreadPool& pool, const HeadBatch& batch,
                           MatrixView second) const override;
    /// Its heads have the same reduction.
    bool lossIsMean() const override { return m_parts.front().head->lossIsMean(); }
    std::vector<metrics::MetricValue> lossSummaries() const override;
    void predict(kernels::ThreadPool& pool, ConstMatrixView logits, std::int64_t rows,
                 std::vector<Prediction>& predictions) const override;
    std::vector<Signature> emit(storage::GraphDefBuilder& graph,
                                const storage::NodeRef& logits) const override;
    SupervisedNodes emitSupervised(storage::GraphDefBuilder& graph, const SupervisedInputs& inputs,
                                   bool withMetrics) const override;
    /// In TensorFlow, each head opens the scope "training" once before the multi_head does.
    std::string trainingScope() const override
    {
        return "training_" + std::to_string(m_parts.size());
    }

    int seriesCount() const override { return m_seriesCount; }
    void addMetrics(metrics::MetricSet& metrics, int firstSeries) const override;
    void addBaselines(metrics::MetricSet& metrics, int firstSeries) const override;
    std::optional<MeasuredSeries> measured(const std::string& head, int firstSeries) const override;
    double updateMetrics(kernels::ThreadPool& pool, const HeadBatch& batch,
                         metrics::MetricSet& metrics, int firstSeries) override;

private:
    HeadBatch batchOf(const Part& part, const HeadBatch& batch) const;

    std::vector<Part> m_parts;
    std::string m_name;
    std::int64_t m_logitsWidth = 0;
    std::int64_t m_labelWidth = 0;
    std::int64_t m_weightWidth = 0;
    int m_seriesCount = 0;
    double m_loss = 0.0;
};

MultiHead::MultiHead(std::vector<Part> parts) : m_parts(std::move(parts))
{
    for (Part& part : m_parts) {
        part.firstLogit = m_logitsWidth;
        part.firstLabel = m_labelWidth;
        part.firstWeight = m_weightWidth;
        part.firstSeries = m_seriesCount;
        m_logitsWidth += part.head->logitsWidth();
        m_labelWidth += part.head->labelWidth();
        m_weightWidth += part.head->weightWidth();
        m_seriesCount += 1 + part.head->seriesCount();
        // As in TensorFlow.
        m_name += (m_name.empty() ? "" : "_") + part.head->name();
    }
}

HeadBatch MultiHead::batchOf(const Part& part, const HeadBatch& batch) const
{
    HeadBatch slice{.logits = batch.logits.columns(part.firstLogit, part.head->logitsWidth()),
                    .labels = batch.labels.columns(part.firstLabel, part.head->labelWidth()),
                    .weights = {},
                    .parts = batch.parts};
    // A head without weights has no column among them.
    if (batch.weights.data != nullptr && part.head->weightWidth() > 0) {
        slice.weights = batch.weights.columns(part.firstWeight, 1);
    }
    return slice;
}

double MultiHead::loss(kernels::ThreadPool& pool, const HeadBatch& batch, MatrixView logitsGrad,
                       float factor)
{
    m_loss = 0.0;
    for (Part& part : m_parts) {
        const MatrixView grad = logitsGrad.data == nullptr
                                    ? MatrixView()
                                    : logitsGrad.columns(part.firstLogit, part.head->logitsWidth());
        // The weight is in the gradient through the factor. The loss of a part stays unweighted for
        // its summary.
        part.loss = part.head->loss(pool, batchOf(part, batch), grad, factor * part.lossWeight);
        m_loss += static_cast<double>(part.lossWeight) * part.loss;
    }
    return m_loss;
}

Result<void> MultiHead::placeLoss(kernels::AcceleratorProgram& program,
                                  const PlacedHeadBatch& batch) const
{
    // One number for the sum, then one for each head: the order that takeLosses() reads.
    double* loss = batch.loss;
    for (const Part& part : m_parts) {
        const HeadBatch slice = batchOf(
            part, {.logits = batch.logits, .labels = batch.labels, .weights = batch.weights});
        CANNERY_TRY(part.head->placeLoss(program, {.logits = slice.logits,
                                                   .labels = slice.labels,
                                                   .weights = slice.weights,
                                                   .logitsGrad = batch.logitsGrad.columns(
                                                       part.firstLogit, part.head->logitsWidth()),
                                                   .loss = ++loss,
                                                   .factor = part.lossWeight,
                                                   .parts = batch.parts,
                                                   .total = batch.loss,
                                                   .addsToTotal = &part != &m_parts.front()}));
    }
    return {};
}

void MultiHead::takeLosses(std::span<const double> losses)
{
    m_loss = losses.front();
    for (std::size_t i = 0; i < m_parts.size(); ++i) {
        m_parts[i].loss = losses[i + 1];
    }
}

void MultiHead::secondDerivatives(kernels::ThreadPool& pool, const HeadBatch& batch,
                                  MatrixView second) const
{
    // Heads do not share logits, so a Hessian of all has zeros between heads.
    const bool isWhole = second.cols > m_logitsWidth;
    std::vector<float> values;
    for (std::int64_t row = 0; row < second.rows; ++row) {
        std::ranges::fill(second.row(row), 0.0F);
    }
    for (const Part& part : m_parts) {
        const std::int64_t width = part.head->logitsWidth();
        const std::int64_t numbers = isWhole ? width * width : width;
        values.resize(static_cast<std::size_t>(second.rows * numbers));
        const MatrixView own = kernels::matrixView(std::span(values), second.rows, numbers);
        part.head->secondDerivatives(pool, batchOf(part, batch), own);
        for (std::int64_t row = 0; row < second.rows; ++row) {
            for (std::int64_t i = 0; i < numbers; ++i) {
                // Row i / width of the head's Hessian, in the larger one of all logits; the column
                // is added below.
                const std::int64_t place =
                    isWhole ? (part.firstLogit + i / width) * m_logitsWidth + i % width : i;
                second.at(row)[part.firstLogit + place] = part.lossWeight * own.at(row)[i];
            }
        }
    }
}

std::vector<metrics::MetricValue> MultiHead::lossSummaries() const
{
    std::vector<metrics::MetricValue> values;
    for (const Part& part : m_parts) {
        values.push_back({.name = "loss/" + part.head->name(), .value = part.loss});
    }
    values.push_back({.name = "loss", .value = m_loss});
    return values;
}

void MultiHead::predict(kernels::ThreadPool& pool, ConstMatrixView logits, std::int64_t rows,
                        std::vector<Prediction>& predictions) const
{
    // Each head gets back its own outputs of the last call, to reuse their memory.
    std::vector<Prediction> previous = std::move(predictions);
    predictions.clear();
    auto next = previous.begin();
    for (const Part& part : m_parts) {
        const std::string prefix = part.head->name() + "/";
        std::vector<Prediction> own;
        for (; next != previous.end() && next->key.starts_with(prefix); ++next) {
            own.push_back(std::move(*next));
        }
        // The columns of the logits that belong to this head.
        part.head->predict(pool, logits.columns(part.firstLogit, part.head->logitsWidth()), rows,
                           own);
        for (Prediction& prediction : own) {
            prediction.key.insert(0, prefix);
            predictions.push_back(std::move(prediction));
        }
    }
}

storage::NodeRef emitSlice(storage::GraphDefBuilder& graph, const storage::NodeRef& logits,
                           const Part& part)
{
    using Ints = std::vector<std::int32_t>;
    const auto scope = graph.enterExactly(graph.scope() + "/split_logits");
    const auto begin = graph.constant("begin", Ints{0, static_cast<std::int32_t>(part.firstLogit)});
    const auto size =
        graph.constant("size", Ints{-1, static_cast<std::int32_t>(part.head->logitsWidth())});
    return graph.add("Slice", "Slice", {logits, begin, size},
                     {{"T", DType::Float32}, {"Index", DType::Int32}});
}

std::vector<Signature> MultiHead::emit(storage::GraphDefBuilder& graph,
                                       const storage::NodeRef& logits) const
{
    const auto scope = graph.enterScope(m_name);
    std::vector<Signature> signatures;
    std::vector<SignatureOutput> merged;
    for (const Part& part : m_parts) {
        const storage::NodeRef slice = emitSlice(graph, logits, part);
        for (Signature signature : part.head->emit(graph, slice)) {
            const std::string prefix = part.head->name();
            if (signature.kind == SignatureKind::Predict) {
                for (SignatureOutput output : signature.outputs) {
                    output.key = prefix + "/" + output.key;
                    merged.push_back(std::move(output));
                }
            }
            // TensorFlow's multi_head serves the first head by default, and each one below its
            // name.
            if (signature.name == "serving_default") {
                if (signatures.empty()) {
                    signatures.push_back(signature);
                }
                signature.name = prefix;
            } else {
                signature.name = prefix + "/" + signature.name;
            }
            signatures.push_back(std::move(signature));
        }
    }
    signatures.push_back(predictSignature(std::move(merged)));
    return signatures;
}

SupervisedNodes MultiHead::emitSupervised(storage::GraphDefBuilder& graph,
                                          const SupervisedInputs& inputs, bool withMetrics) const
{
    const auto scope = graph.enterExactly(m_name);
    const storage::FloatNodes values(graph);
    SupervisedNodes nodes;
    std::vector<storage::NodeRef> gradients;
    for (const Part& part : m_parts) {
        const auto columns = [&](const storage::NodeRef& all, std::int64_t first,
                                 std::int64_t count) {
            return values.slice(all, {0, static_cast<std::int32_t>(first)},
                                {-1, static_cast<std::int32_t>(count)});
        };
        const Head& head = *part.head;
        SupervisedInputs own{.logits = columns(inputs.logits, part.firstLogit, head.logitsWidth()),
                             .labels = columns(inputs.labels, part.firstLabel, head.labelWidth()),
                             .weights = {}};
        if (head.weightWidth() > 0) {
            own.weights = columns(inputs.weights, part.firstWeight, 1);
        }
        SupervisedNodes made =
            dynamic_cast<const SupervisedHead&>(head).emitSupervised(graph, own, withMetrics);
        const storage::NodeRef weight = values.number(part.lossWeight);
        const storage::NodeRef loss = values.multiply(made.loss, weight);
        nodes.loss = nodes.loss.node.empty() ? loss : values.add(nodes.loss, loss);
        // Heads have their own columns of the logits, so their gradients are put side by side, not
        // added.
        gradients.push_back(values.multiply(made.logitsGrad, weight));
        if (withMetrics) {
            const HeadMetric ofLoss{.name = "loss/" + head.name()};
            emitHeadMetrics(graph, std::span(&ofLoss, 1),
                            std::vector<SeriesNodes>{{.predictions = made.loss}}, nodes);
        }
        std::ranges::move(made.metrics, std::back_inserter(nodes.metrics));
        std::ranges::move(made.localVariables, std::back_inserter(nodes.localVariables));
    }
    nodes.logitsGrad = values.columns(std::move(gradients));
    return nodes;
}

void MultiHead::addMetrics(metrics::MetricSet& metrics, int firstSeries) const
{
    for (const Part& part : m_parts) {
        const int series = firstSeries + part.firstSeries;
        metrics.add("loss/" + part.head->name(), metrics::makeMetric(metrics::MetricKind::Mean),
                    series);
        part.head->addMetrics(metrics, series + 1);
    }
}

void MultiHead::addBaselines(metrics::MetricSet& metrics, int firstSeries) const
{
    for (const Part& part : m_parts) {
        part.head->addBaselines(metrics, firstSeries + part.firstSeries + 1);
    }
}

std::optional<MeasuredSeries> MultiHead::measured(const std::string& head, int firstSeries) const
{
    for (const Part& part : m_parts) {
        if (part.head->name() == head) {
            return part.head->measured(head, firstSeries + part.firstSeries + 1);
        }
    }
    return std::nullopt;
}

double MultiHead::updateMetrics(kernels::ThreadPool& pool, const HeadBatch& batch,
                                metrics::MetricSet& metrics, int firstSeries)
{
    m_loss = 0.0;
    for (Part& part : m_parts) {
        const int series = firstSeries + part.firstSeries;
        part.loss = part.head->updateMetrics(pool, batchOf(part, batch), metrics, series + 1);
        // The mean over batches, each with weight 1: so does TensorFlow take the loss of a head.
        const float value = static_cast<float>(part.loss);
        metrics.update(series, {.predictions = {&value, 1}});
        m_loss += static_cast<double>(part.lossWeight) * part.loss;
    }
    return m_loss;
}

int reductionOf(const spec::Head& head)
{
    // By reflection: each kind of head has the field in a message of its own.
    const google::protobuf::Message& member = *spec::memberOf(head);
    const auto* field = member.GetDescriptor()->FindFieldByName("loss_reduction");
    return field == nullptr ? 0 : member.GetReflection()->GetEnumValue(member, field);
}

Result<std::unique_ptr<Head>> makePart(const spec::Head& message, int index,
                                       std::span<const OutputActivation> activations)
{
    if (message.has_multi_head()) {
        return fail(ErrorCode::InvalidArgument, kNested);
    }
    CANNERY_TRY_ASSIGN(
        std::unique_ptr<Head> head,
        makeHead(message, activations.empty()
                              ? activations
                              : activations.subspan(static_cast<std::size_t>(index), 1)));
    if (head->name().empty()) {
        return fail(ErrorCode::InvalidArgument, kNoName, index + 1);
    }
    return head;
}

} // namespace

Result<std::unique_ptr<Head>> makeMultiHead(const spec::Head& message)
{
    return makeMultiHead(message, {});
}

Result<std::unique_ptr<Head>> makeMultiHead(const spec::Head& message,
                                            std::span<const OutputActivation> activations)
{
    const spec::MultiHead& heads = message.multi_head();
    if (heads.heads().empty()) {
        return fail(ErrorCode::InvalidArgument, kNoHeads);
    }
    if (!heads.head_weights().empty() && heads.head_weights_size() != heads.heads_size()) {
        return fail(ErrorCode::InvalidArgument, kWeightCount, heads.head_weights_size(),
                    heads.heads_size());
    }
    std::vector<Part> parts;
    for (int i = 0; i < heads.heads_size(); ++i) {
        CANNERY_TRY_ASSIGN(std::unique_ptr<Head> head, makePart(heads.heads(i), i, activations));
        const auto same = [&](const Part& part) { return part.head->name() == head->name(); };
        if (std::any_of(parts.begin(), parts.end(), same)) {
            return fail(ErrorCode::InvalidArgument, kNameTwice, head->name());
        }
        // lossIsMean() has one answer for all of them.
        if (reductionOf(heads.heads(i)) != reductionOf(heads.heads(0))) {
            return fail(ErrorCode::InvalidArgument, kReductions);
        }
        Part part;
        part.head = std::move(head);
        part.lossWeight =
            heads.head_weights().empty() ? 1.0F : static_cast<float>(heads.head_weights(i));
        parts.push_back(std::move(part));
    }
    return std::make_unique<MultiHead>(std::move(parts));
}

} // namespace cannery::heads
