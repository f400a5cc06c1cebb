// SPDX-License-Identifier: Apache-2.0
#include "core/metrics/log_loss.h"

#include "core/metrics/metric_subject.h"
#include "core/metrics/weighted_mean.h"

#include <algorithm>
#include <cmath>

namespace cannery::metrics {
namespace {

/// In float32, as Keras clips: 1 - 1e-7 is the largest number below 1 but one.
constexpr float kSmall = 1e-7F;

double clipped(float probability)
{
    return static_cast<double>(std::clamp(probability, kSmall, 1.0F - kSmall));
}

class BinaryLogLoss : public WeightedMean
{
public:
    void update(const MetricBatch& batch) override
    {
        constexpr auto kAdded = static_cast<double>(kSmall);
        for (std::size_t i = 0; i < batch.labels.size(); ++i) {
            const double p = clipped(batch.predictions[i]);
            const auto y = static_cast<double>(batch.labels[i]);
            const double weight = batch.weight(i);
            add(-weight * (y * std::log(p + kAdded) + (1.0 - y) * std::log(1.0 - p + kAdded)),
                weight);
        }
    }
};

class ClassLogLoss : public WeightedMean
{
public:
    void update(const MetricBatch& batch) override
    {
        for (std::size_t row = 0; row < batch.labels.size(); ++row) {
            const auto probabilities = classProbabilities(batch, row);
            // Keras divides by the sum after clipping.
            double all = 0.0;
            for (const float probability : probabilities) {
                all += clipped(probability);
            }
            const float own = probabilities[static_cast<std::size_t>(batch.labels[row])];
            const double weight = batch.weight(row);
            add(weight * (std::log(all) - std::log(clipped(own))), weight);
        }
    }
};

} // namespace

std::unique_ptr<Metric> makeLogLoss(const spec::Metric&, const MetricSubject& subject)
{
    if (subject.labels == spec::LabelKind::ClassId) {
        return std::make_unique<ClassLogLoss>();
    }
    return std::make_unique<BinaryLogLoss>();
}

} // namespace cannery::metrics
