// SPDX-License-Identifier: Apache-2.0
#include "core/metrics/calibration_error.h"

#include "core/metrics/metric_subject.h"
#include "core/metrics/weighted_mean.h"
#include "core/spec/metrics.pb.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace cannery::metrics {
namespace {

class CalibrationError : public Metric
{
public:
    CalibrationError(spec::LabelKind labels, std::int64_t bins)
        : m_labels(labels), m_gaps(static_cast<std::size_t>(bins), 0.0)
    {}

    void update(const MetricBatch& batch) override
    {
        for (std::size_t i = 0; i < batch.labels.size(); ++i) {
            if (m_labels == spec::LabelKind::ClassId) {
                const auto probabilities = classProbabilities(batch, i);
                const std::size_t predicted = mostProbable(probabilities);
                const bool isRight = predicted == static_cast<std::size_t>(batch.labels[i]);
                add(probabilities[predicted], isRight ? 1.0 : 0.0, batch.weight(i));
            } else {
                add(batch.predictions[i], static_cast<double>(batch.labels[i]), batch.weight(i));
            }
        }
    }

    double result() const override
    {
        double sum = 0.0;
        for (const double gap : m_gaps) {
            sum += std::fabs(gap);
        }
        return safeRatio(sum, m_count);
    }

    void reset() override
    {
        std::fill(m_gaps.begin(), m_gaps.end(), 0.0);
        m_count = 0.0;
    }

    void merge(const Metric& other) override
    {
        const auto& same = static_cast<const CalibrationError&>(other);
        for (std::size_t bin = 0; bin < m_gaps.size(); ++bin) {
            m_gaps[bin] += same.m_gaps[bin];
        }
        m_count += same.m_count;
    }

private:
    void add(float probability, double label, double weight)
    {
        const float clipped = probability > 0.0F ? std::min(probability, 1.0F) : 0.0F;
        const float bin = std::ceil(clipped * static_cast<float>(m_gaps.size())) - 1.0F;
        const auto index = bin > 0.0F ? static_cast<std::size_t>(bin) : 0;
        m_gaps[std::min(index, m_gaps.size() - 1)] +=
            weight * (static_cast<double>(probability) - label);
        m_count += weight;
    }

    spec::LabelKind m_labels;
    std::vector<double> m_gaps; ///< of each bin: sum of weight * (probability - label)
    double m_count = 0.0;
};

} // namespace

std::unique_ptr<Metric> makeCalibrationError(const spec::Metric& metric,
                                             const MetricSubject& subject)
{
    return std::make_unique<CalibrationError>(subject.labels, metric.calibration_error().bins());
}

} // namespace cannery::metrics
