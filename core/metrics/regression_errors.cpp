// SPDX-License-Identifier: Apache-2.0
#include "core/metrics/regression_errors.h"

#include <algorithm>
#include <cmath>

namespace cannery::metrics {
namespace {

/// Of what a percentage is taken of, as in Keras.
constexpr double kLeastLabel = 1e-7;

/// Sums over a stream of predictions and labels. The labels' spread is merged by the formula of
/// Chan, Golub and LeVeque (1979): labels may be millions away from 0 and a cent apart.
class RegressionErrors : public Metric
{
public:
    enum class Of
    {
        RootMeanSquare,
        MeanSquare,
        MeanAbsolute,
        MeanAbsolutePercentage,
        RSquared,
        Baseline,
    };
    explicit RegressionErrors(Of of) : m_of(of) {}

    void update(const MetricBatch& batch) override
    {
        for (std::size_t row = 0; row < batch.labels.size(); ++row) {
            const double weight = batch.weight(row);
            const auto label = static_cast<double>(batch.labels[row]);
            const double error = static_cast<double>(batch.predictions[row]) - label;
            m_squares += weight * error * error;
            m_absolutes += weight * std::fabs(error);
            m_fractions += weight * std::fabs(error) / std::max(std::fabs(label), kLeastLabel);
            addLabels(weight, label, 0.0);
        }
    }

    double result() const override
    {
        if (m_count == 0.0) {
            return 0.0;
        }
        switch (m_of) {
        case Of::RootMeanSquare:
            return std::sqrt(m_squares / m_count);
        case Of::MeanSquare:
            return m_squares / m_count;
        case Of::MeanAbsolute:
            return m_absolutes / m_count;
        case Of::MeanAbsolutePercentage:
            return 100.0 * m_fractions / m_count;
        case Of::Baseline:
            return std::sqrt(m_spread / m_count);
        case Of::RSquared:
            break;
        }
        // Labels that are all the same leave nothing to explain.
        return m_spread > 0.0 ? 1.0 - m_squares / m_spread : 0.0;
    }

    void reset() override
    {
        m_squares = m_absolutes = m_fractions = m_count = m_mean = m_spread = 0.0;
    }

    void merge(const Metric& other) override
    {
        const auto& errors = static_cast<const RegressionErrors&>(other);
        m_squares += errors.m_squares;
        m_absolutes += errors.m_absolutes;
        m_fractions += errors.m_fractions;
        addLabels(errors.m_count, errors.m_mean, errors.m_spread);
    }

private:
    void addLabels(double count, double mean, double spread)
    {
        // Rows of weight 0 would divide by 0.
        if (count == 0.0) {
            return;
        }
        const double all = m_count + count;
        const double difference = mean - m_mean;
        m_spread += spread + difference * difference * (m_count * count / all);
        m_mean += difference * (count / all);
        m_count = all;
    }

    Of m_of;
    double m_squares = 0.0;
    double m_absolutes = 0.0;
    double m_fractions = 0.0; ///< sum of weight * error / label
    double m_count = 0.0;
    double m_mean = 0.0;   ///< of the labels
    double m_spread = 0.0; ///< sum of weight * (label - mean)²
};

std::unique_ptr<Metric> make(RegressionErrors::Of of)
{
    return std::make_unique<RegressionErrors>(of);
}

} // namespace

std::unique_ptr<Metric> makeRootMeanSquaredError(float)
{
    return make(RegressionErrors::Of::RootMeanSquare);
}

std::unique_ptr<Metric> makeMeanSquaredError(float)
{
    return make(RegressionErrors::Of::MeanSquare);
}

std::unique_ptr<Metric> makeMeanAbsolutePercentageError(float)
{
    return make(RegressionErrors::Of::MeanAbsolutePercentage);
}

std::unique_ptr<Metric> makeMeanAbsoluteError(float)
{
    return make(RegressionErrors::Of::MeanAbsolute);
}

std::unique_ptr<Metric> makeRSquared(float)
{
    return make(RegressionErrors::Of::RSquared);
}

std::unique_ptr<Metric> makeRootMeanSquaredErrorBaseline(float)
{
    return make(RegressionErrors::Of::Baseline);
}

} // namespace cannery::metrics
