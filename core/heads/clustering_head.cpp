// SPDX-License-Identifier: Apache-2.0
#include "core/heads/clustering_head.h"

#include "core/base/check.h"
#include "core/heads/head_emission.h"
#include "core/metrics/metric_catalog.h"

#include <algorithm>

namespace cannery::heads {
namespace {

constexpr const char* kAllDistances = "all_distances";
constexpr const char* kClusterIndex = "cluster_index";

class ClusteringHead : public Head
{
public:
    explicit ClusteringHead(std::int64_t clusters) : m_clusters(clusters) {}

    const std::string& name() const override { return m_name; }
    std::int64_t logitsWidth() const override { return m_clusters; }
    std::int64_t labelWidth() const override { return 0; }
    std::int64_t weightWidth() const override { return 0; }
    void reserve(std::int64_t /*rows*/) override {}

    double loss(kernels::ThreadPool& pool, const HeadBatch& batch, kernels::MatrixView logitsGrad,
                float factor) override;
    /// The step writes its own: it knows the loss without the distances from all centers.
    bool lossIsMean() const override { return false; }
    std::vector<metrics::MetricValue> lossSummaries() const override { return {}; }

    void predict(kernels::ThreadPool& pool, kernels::ConstMatrixView logits, std::int64_t rows,
                 std::vector<Prediction>& predictions) const override;
    std::vector<Signature> emit(storage::GraphDefBuilder& graph,
                                const storage::NodeRef& logits) const override;

    int seriesCount() const override { return 1; }
    void addMetrics(metrics::MetricSet& metrics, int firstSeries) const override
    {
        metrics.add("score", metrics::makeMetric(metrics::MetricKind::Mean), firstSeries);
    }
    double updateMetrics(kernels::ThreadPool& pool, const HeadBatch& batch,
                         metrics::MetricSet& metrics, int firstSeries) override;

private:
    std::string m_name;
    std::int64_t m_clusters;
};

double ClusteringHead::loss(kernels::ThreadPool& /*pool*/, const HeadBatch& batch,
                            kernels::MatrixView logitsGrad, float /*factor*/)
{
    // The centers are moved by the step itself, never along a gradient.
    CANNERY_CHECK(logitsGrad.data == nullptr);
    double sum = 0;
    for (std::int64_t row = 0; row < batch.logits.rows; ++row) {
        const std::span<const float> distances = batch.logits.row(row);
        sum += static_cast<double>(*std::min_element(distances.begin(), distances.end()));
    }
    return sum;
}

double ClusteringHead::updateMetrics(kernels::ThreadPool& pool, const HeadBatch& batch,
                                     metrics::MetricSet& metrics, int firstSeries)
{
    // TensorFlow's "score" is the sum of squared distances, a mean over batches in an evaluation.
    const double value = loss(pool, batch, {}, 1.0F);
    const auto score = static_cast<float>(value);
    metrics.update(firstSeries, {.predictions = {&score, 1}});
    return value;
}

void ClusteringHead::predict(kernels::ThreadPool& /*pool*/, kernels::ConstMatrixView logits,
                             std::int64_t /*rows*/, std::vector<Prediction>& predictions) const
{
    predictions.resize(2);
    Prediction& distances = predictions[0];
    distances.key = kAllDistances;
    distances.dtype = DType::Float32;
    distances.width = m_clusters;
    distances.floats.resize(static_cast<std::size_t>(logits.rows * m_clusters));
    Prediction& index = predictions[1];
    index.key = kClusterIndex;
    index.dtype = DType::Int64;
    index.width = 1;
    index.integers.resize(static_cast<std::size_t>(logits.rows));
    for (std::int64_t row = 0; row < logits.rows; ++row) {
        const std::span<const float> values = logits.row(row);
        std::ranges::copy(values, distances.floats.begin() + row * m_clusters);
        index.integers[static_cast<std::size_t>(row)] =
            std::min_element(values.begin(), values.end()) - values.begin();
    }
}

std::vector<Signature> ClusteringHead::emit(storage::GraphDefBuilder& graph,
                                            const storage::NodeRef& logits) const
{
    const auto scope = graph.enterScope("head");
    // ArgMax of the negative distances: the first of equal centers, as min_element() finds it.
    const auto negative = graph.add("Sub", "negative", {graph.constant("zero", 0.0F), logits},
                                    {{"T", DType::Float32}});
    const auto index =
        graph.add("ArgMax", kClusterIndex, {negative, graph.constant("axis", std::int32_t{1})},
                  {{"T", DType::Float32}, {"Tidx", DType::Int32}, {"output_type", DType::Int64}});
    const SignatureOutput distances = signatureOutput("output", logits, DType::Float32, m_clusters);
    const SignatureOutput nearest{
        .key = "output", .tensor = index, .dtype = DType::Int64, .shape = Shape{-1}};
    // The default signature of TensorFlow's KMeansClustering is cluster_index.
    return {{.name = kAllDistances, .outputs = {distances}},
            {.name = kClusterIndex, .outputs = {nearest}},
            {.name = "serving_default", .outputs = {nearest}}};
}

} // namespace

std::unique_ptr<Head> makeClusteringHead(std::int64_t clusters)
{
    return std::make_unique<ClusteringHead>(clusters);
}

} // namespace cannery::heads
