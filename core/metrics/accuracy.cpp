// SPDX-License-Identifier: Apache-2.0
#include "core/metrics/accuracy.h"

#include "core/metrics/weighted_mean.h"

#include <optional>

namespace cannery::metrics {
namespace {

class Accuracy : public WeightedMean
{
public:
    explicit Accuracy(std::optional<float> threshold) : m_threshold(threshold) {}

    void update(const MetricBatch& batch) override
    {
        for (std::size_t row = 0; row < batch.labels.size(); ++row) {
            const float prediction = batch.predictions[row];
            const float answer =
                m_threshold ? (prediction > *m_threshold ? 1.0F : 0.0F) : prediction;
            const double weight = batch.weight(row);
            add(answer == batch.labels[row] ? weight : 0.0, weight);
        }
    }

private:
    std::optional<float> m_threshold;
};

} // namespace

std::unique_ptr<Metric> makeAccuracy(float)
{
    return std::make_unique<Accuracy>(std::nullopt);
}

std::unique_ptr<Metric> makeThresholdedAccuracy(float threshold)
{
    return std::make_unique<Accuracy>(threshold);
}

} // namespace cannery::metrics
