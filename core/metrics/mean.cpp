// SPDX-License-Identifier: Apache-2.0
#include "core/metrics/mean.h"

#include <algorithm>

namespace cannery::metrics {
namespace {

class Mean : public Metric
{
public:
    enum class Of
    {
        Predictions,
        Labels,
        LabelsBaseline,
    };
    explicit Mean(Of of) : m_of(of) {}

    void update(const MetricBatch& batch) override
    {
        const auto values = m_of == Of::Predictions ? batch.predictions : batch.labels;
        for (std::size_t row = 0; row < values.size(); ++row) {
            const double weight = batch.weight(row);
            m_total += weight * static_cast<double>(values[row]);
            m_count += weight;
        }
    }

    double result() const override
    {
        if (m_count == 0.0) {
            return 0.0;
        }
        const double mean = m_total / m_count;
        return m_of == Of::LabelsBaseline ? std::max(mean, 1.0 - mean) : mean;
    }

    void reset() override { m_total = m_count = 0.0; }

    void merge(const Metric& other) override
    {
        const auto& mean = static_cast<const Mean&>(other);
        m_total += mean.m_total;
        m_count += mean.m_count;
    }

private:
    Of m_of;
    double m_total = 0.0;
    double m_count = 0.0;
};

} // namespace

std::unique_ptr<Metric> makeMean(float)
{
    return std::make_unique<Mean>(Mean::Of::Predictions);
}

std::unique_ptr<Metric> makeLabelMean(float)
{
    return std::make_unique<Mean>(Mean::Of::Labels);
}

std::unique_ptr<Metric> makeAccuracyBaseline(float)
{
    return std::make_unique<Mean>(Mean::Of::LabelsBaseline);
}

} // namespace cannery::metrics
