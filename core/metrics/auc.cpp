// SPDX-License-Identifier: Apache-2.0
#include "core/metrics/auc.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace cannery::metrics {
namespace {

constexpr std::size_t kThresholds = 200;

double safeRatio(double numerator, double denominator)
{
    return denominator == 0.0 ? 0.0 : numerator / denominator;
}

/// A score is in bucket i if it is above thresholds 0 to i; it is always above the first.
class Auc : public Metric
{
public:
    enum class Curve
    {
        Roc,
        PrecisionRecall,
        PrecisionRecallTrapezoids,
    };
    explicit Auc(Curve curve) : m_curve(curve) {}

    void update(const MetricBatch& batch) override
    {
        for (std::size_t row = 0; row < batch.labels.size(); ++row) {
            Buckets& buckets = batch.labels[row] != 0.0F ? m_trueLabels : m_falseLabels;
            buckets[bucketOf(batch.predictions[row])] += batch.weight(row);
        }
    }

    double result() const override
    {
        const Buckets truePositives = atLeast(m_trueLabels);
        const Buckets falsePositives = atLeast(m_falseLabels);
        switch (m_curve) {
        case Curve::Roc:
            return rocArea(truePositives, falsePositives);
        case Curve::PrecisionRecall:
            return precisionRecallArea(truePositives, falsePositives);
        default:
            return trapezoids(truePositives, falsePositives);
        }
    }

    void reset() override
    {
        m_trueLabels.fill(0.0);
        m_falseLabels.fill(0.0);
    }

    void merge(const Metric& other) override
    {
        const auto& auc = static_cast<const Auc&>(other);
        for (std::size_t i = 0; i < kThresholds; ++i) {
            m_trueLabels[i] += auc.m_trueLabels[i];
            m_falseLabels[i] += auc.m_falseLabels[i];
        }
    }

private:
    using Buckets = std::array<double, kThresholds>;

    /// In float32, as Keras counts, so that scores at a threshold fall into the same bucket. NaN is
    /// above no threshold except the first.
    static std::size_t bucketOf(float score)
    {
        const float clipped = score > 0.0F ? std::min(score, 1.0F) : 0.0F;
        const float index = std::ceil(clipped * static_cast<float>(kThresholds - 1)) - 1.0F;
        return index > 0.0F ? static_cast<std::size_t>(index) : 0;
    }

    /// Weights of the scores above each threshold.
    static Buckets atLeast(const Buckets& buckets)
    {
        Buckets sums{};
        double sum = 0.0;
        for (std::size_t i = kThresholds; i-- > 0;) {
            sum += buckets[i];
            sums[i] = sum;
        }
        return sums;
    }

    static double rocArea(const Buckets& truePositives, const Buckets& falsePositives)
    {
        double area = 0.0;
        for (std::size_t i = 0; i + 1 < kThresholds; ++i) {
            const double width = safeRatio(falsePositives[i], falsePositives[0]) -
                                 safeRatio(falsePositives[i + 1], falsePositives[0]);
            const double height = safeRatio(truePositives[i], truePositives[0]) +
                                  safeRatio(truePositives[i + 1], truePositives[0]);
            area += width * height / 2.0;
        }
        return area;
    }

    static double precisionRecallArea(const Buckets& truePositives, const Buckets& falsePositives)
    {
        double area = 0.0;
        for (std::size_t i = 0; i + 1 < kThresholds; ++i) {
            const double here = truePositives[i] + falsePositives[i];
            const double next = truePositives[i + 1] + falsePositives[i + 1];
            const double gained = truePositives[i] - truePositives[i + 1];
            const double slope = safeRatio(gained, std::max(here - next, 0.0));
            const double intercept = truePositives[i + 1] - slope * next;
            const double ratio = here > 0.0 && next > 0.0 ? here / next : 1.0;
            area += safeRatio(slope * (gained + intercept * std::log(ratio)), truePositives[0]);
        }
        return area;
    }

    /// With TensorFlow's addend, by which the precision of nothing is 1.
    static double trapezoids(const Buckets& truePositives, const Buckets& falsePositives)
    {
        constexpr double kSmall = 1e-6;
        const auto precision = [&](std::size_t i) {
            return (truePositives[i] + kSmall) / (truePositives[i] + falsePositives[i] + kSmall);
        };
        double area = 0.0;
        for (std::size_t i = 0; i + 1 < kThresholds; ++i) {
            const double width =
                (truePositives[i] - truePositives[i + 1]) / (truePositives[0] + kSmall);
            area += width * (precision(i) + precision(i + 1)) / 2.0;
        }
        return area;
    }

    Curve m_curve;
    Buckets m_trueLabels{};
    Buckets m_falseLabels{};
};

} // namespace

std::unique_ptr<Metric> makeAuc(float)
{
    return std::make_unique<Auc>(Auc::Curve::Roc);
}

std::unique_ptr<Metric> makeAucPrecisionRecall(float)
{
    return std::make_unique<Auc>(Auc::Curve::PrecisionRecall);
}

std::unique_ptr<Metric> makeAucPrecisionRecallTrapezoids(float)
{
    return std::make_unique<Auc>(Auc::Curve::PrecisionRecallTrapezoids);
}

} // namespace cannery::metrics
