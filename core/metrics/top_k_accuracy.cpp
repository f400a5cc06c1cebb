// SPDX-License-Identifier: Apache-2.0
#include "core/metrics/top_k_accuracy.h"

#include "core/metrics/accuracy.h"
#include "core/metrics/metric_subject.h"
#include "core/metrics/weighted_mean.h"
#include "core/spec/metrics.pb.h"

#include <algorithm>
#include <cmath>

namespace cannery::metrics {
namespace {

constexpr auto isFinite = [](float value) { return std::isfinite(value); };

class TopKAccuracy : public WeightedMean
{
public:
    explicit TopKAccuracy(std::int64_t k) : m_k(k) {}

    void update(const MetricBatch& batch) override
    {
        for (std::size_t row = 0; row < batch.labels.size(); ++row) {
            const auto probabilities = classProbabilities(batch, row);
            const float own = probabilities[static_cast<std::size_t>(batch.labels[row])];
            const auto before = std::count_if(probabilities.begin(), probabilities.end(),
                                              [own](float other) { return other > own; });
            // Equal probabilities do not count against the label.
            const bool isRight =
                before < m_k && std::all_of(probabilities.begin(), probabilities.end(), isFinite);
            add(isRight ? batch.weight(row) : 0.0, batch.weight(row));
        }
    }

private:
    std::int64_t m_k;
};

class MostProbableIsRight : public WeightedMean
{
public:
    void update(const MetricBatch& batch) override
    {
        for (std::size_t row = 0; row < batch.labels.size(); ++row) {
            const std::size_t predicted = mostProbable(classProbabilities(batch, row));
            const bool isRight = predicted == static_cast<std::size_t>(batch.labels[row]);
            add(isRight ? batch.weight(row) : 0.0, batch.weight(row));
        }
    }
};

} // namespace

std::unique_ptr<Metric> makeTopKAccuracy(const spec::Metric& metric, const MetricSubject&)
{
    return std::make_unique<TopKAccuracy>(metric.top_k_categorical_accuracy().k());
}

std::unique_ptr<Metric> makeClassAccuracy(const spec::Metric& metric, const MetricSubject& subject)
{
    if (subject.labels == spec::LabelKind::ClassId) {
        return std::make_unique<MostProbableIsRight>();
    }
    return makeThresholdedAccuracy(static_cast<float>(metric.accuracy().threshold()));
}

} // namespace cannery::metrics
