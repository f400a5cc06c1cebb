// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/metrics/metric.h"

namespace cannery::metrics {

/// 0 if the denominator is 0.
inline double safeRatio(double numerator, double denominator)
{
    return denominator == 0.0 ? 0.0 : numerator / denominator;
}

/// A metric that is sum(weight * value) / sum(weight); 0 without weight. Its members differ in the
/// value that update() adds.
class WeightedMean : public Metric
{
public:
    double result() const override { return safeRatio(m_sum, m_count); }
    void reset() override { m_sum = m_count = 0.0; }
    void merge(const Metric& other) override
    {
        const auto& same = static_cast<const WeightedMean&>(other);
        m_sum += same.m_sum;
        m_count += same.m_count;
    }

protected:
    void add(double weightedValue, double weight)
    {
        m_sum += weightedValue;
        m_count += weight;
    }
    bool isEmpty() const { return m_count == 0.0; }

private:
    double m_sum = 0.0;
    double m_count = 0.0;
};

} // namespace cannery::metrics
