// SPDX-License-Identifier: Apache-2.0
#include "core/metrics/accuracy.h"

#include <optional>

namespace cannery::metrics {
namespace {

class Accuracy : public Metric
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
            m_right += answer == batch.labels[row] ? weight : 0.0;
            m_count += weight;
        }
    }

    double result() const override { return m_count == 0.0 ? 0.0 : m_right / m_count; }
    void reset() override { m_right = m_count = 0.0; }

    void merge(const Metric& other) override
    {
        const auto& accuracy = static_cast<const Accuracy&>(other);
        m_right += accuracy.m_right;
        m_count += accuracy.m_count;
    }

private:
    std::optional<float> m_threshold;
    double m_right = 0.0;
    double m_count = 0.0;
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
