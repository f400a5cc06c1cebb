// SPDX-License-Identifier: Apache-2.0
#include "core/metrics/brier_score.h"

#include "core/metrics/metric_subject.h"
#include "core/metrics/weighted_mean.h"

namespace cannery::metrics {
namespace {

class BrierScore : public WeightedMean
{
public:
    explicit BrierScore(const MetricSubject& subject)
        : m_labels(subject.labels), m_width(static_cast<std::size_t>(subject.width))
    {}

    void update(const MetricBatch& batch) override
    {
        const bool hasIds = m_labels == spec::LabelKind::ClassId;
        for (std::size_t i = 0; i < batch.predictions.size(); ++i) {
            const std::size_t row = i / m_width;
            const double label =
                hasIds ? (static_cast<std::size_t>(batch.labels[row]) == i % m_width ? 1.0 : 0.0)
                       : static_cast<double>(batch.labels[i]);
            const double weight = batch.weight(hasIds ? row : i);
            const double distance = static_cast<double>(batch.predictions[i]) - label;
            add(weight * distance * distance, i % m_width == 0 ? weight : 0.0);
        }
    }

private:
    spec::LabelKind m_labels;
    std::size_t m_width;
};

} // namespace

std::unique_ptr<Metric> makeBrierScore(const spec::Metric&, const MetricSubject& subject)
{
    return std::make_unique<BrierScore>(subject);
}

} // namespace cannery::metrics
