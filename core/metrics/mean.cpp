// SPDX-License-Identifier: Apache-2.0
#include "core/metrics/mean.h"

#include "core/metrics/weighted_mean.h"

#include <algorithm>

namespace cannery::metrics {
namespace {

class Mean : public WeightedMean
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
            add(weight * static_cast<double>(values[row]), weight);
        }
    }

    double result() const override
    {
        const double mean = WeightedMean::result();
        const bool isBaseline = m_of == Of::LabelsBaseline && !isEmpty();
        return isBaseline ? std::max(mean, 1.0 - mean) : mean;
    }

private:
    Of m_of;
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
