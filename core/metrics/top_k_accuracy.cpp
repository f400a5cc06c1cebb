// SPDX-License-Identifier: Apache-2.0
#include "core/metrics/top_k_accuracy.h"

#include "core/metrics/accuracy.h"
#include "core/metrics/metric_subject.h"
#include "core/metrics/threshold_counts.h"
#include "core/spec/metrics.pb.h"

#include <algorithm>
#include <cmath>

namespace cannery::metrics {
namespace {

constexpr auto isFinite = [](float value) { return std::isfinite(value); };

class TopKAccuracy : public Metric
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
            const bool isRight =
                before < m_k && std::all_of(probabilities.begin(), probabilities.end(), isFinite);
            m_sum += isRight ? batch.weight(row) : 0.0;
            m_count += batch.weight(row);
        }
    }

    double result() const override { return safeRatio(m_sum, m_count); }
    void reset() override { m_sum = m_count = 0.0; }
    void merge(const Metric& other) override
    {
        const auto& same = static_cast<const TopKAccuracy&>(other);
        m_sum += same.m_sum;
        m_count += same.m_count;
    }

private:
    std::int64_t m_k;
    double m_sum = 0.0;
    double m_count = 0.0;
};

class MostProbableIsRight : public Metric
{
public:
    void update(const MetricBatch& batch) override
    {
        for (std::size_t row = 0; row < batch.labels.size(); ++row) {
            const std::size_t predicted = mostProbable(classProbabilities(batch, row));
            const bool isRight = predicted == static_cast<std::size_t>(batch.labels[row]);
            m_sum += isRight ? batch.weight(row) : 0.0;
            m_count += batch.weight(row);
        }
    }

    double result() const override { return safeRatio(m_sum, m_count); }
    void reset() override { m_sum = m_count = 0.0; }
    void merge(const Metric& other) override
    {
        const auto& same = static_cast<const MostProbableIsRight&>(other);
        m_sum += same.m_sum;
        m_count += same.m_count;
    }

private:
    double m_sum = 0.0;
    double m_count = 0.0;
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
