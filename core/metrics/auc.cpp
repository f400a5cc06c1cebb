// SPDX-License-Identifier: Apache-2.0
#include "core/metrics/auc.h"

#include "core/metrics/metric_subject.h"
#include "core/metrics/threshold_counts.h"
#include "core/metrics/weighted_mean.h"
#include "core/spec/metrics.pb.h"

#include <algorithm>
#include <cmath>

namespace cannery::metrics {
namespace {

constexpr std::int64_t kThresholds = 200;

using Positives = ThresholdCounts::Positives;

class Auc : public Metric
{
public:
    enum class Curve
    {
        Roc,
        PrecisionRecall,
        PrecisionRecallTrapezoids,
    };
    enum class Ends ///< of a curve between two thresholds
    {
        Both,
        Lower,
        Higher,
    };
    explicit Auc(Curve curve, Ends ends = Ends::Both, std::int64_t thresholds = kThresholds)
        : m_curve(curve), m_ends(ends), m_counts(thresholds, ThresholdCounts::First::BelowZero)
    {}

    void update(const MetricBatch& batch) override { m_counts.update(batch); }
    void reset() override { m_counts.reset(); }
    void merge(const Metric& other) override
    {
        m_counts.merge(static_cast<const Auc&>(other).m_counts);
    }

    double result() const override
    {
        const Positives positives = m_counts.positives();
        switch (m_curve) {
        case Curve::Roc:
            return rocArea(positives);
        case Curve::PrecisionRecall:
            return m_ends == Ends::Both ? interpolatedArea(positives) : cornersArea(positives);
        default:
            return trapezoids(positives);
        }
    }

private:
    double height(double here, double next) const
    {
        return m_ends == Ends::Both    ? (here + next) / 2.0
               : m_ends == Ends::Lower ? std::min(here, next)
                                       : std::max(here, next);
    }

    double rocArea(const Positives& positives) const
    {
        double area = 0.0;
        for (std::size_t i = 0; i + 1 < positives.truePositives.size(); ++i) {
            const double width =
                positives.falsePositiveRate(i) - positives.falsePositiveRate(i + 1);
            area += width * height(positives.recall(i), positives.recall(i + 1));
        }
        return area;
    }

    double cornersArea(const Positives& positives) const
    {
        double area = 0.0;
        for (std::size_t i = 0; i + 1 < positives.truePositives.size(); ++i) {
            const double width = positives.recall(i) - positives.recall(i + 1);
            area += width * height(positives.precision(i), positives.precision(i + 1));
        }
        return area;
    }

    /// interpolate_pr_auc() of tf.keras.metrics.AUC, after Davis & Goadrich 2006: between two
    /// thresholds, true positives grow linearly with all positives, and precision does not.
    static double interpolatedArea(const Positives& positives)
    {
        const auto& truePositives = positives.truePositives;
        const auto& falsePositives = positives.falsePositives;
        double area = 0.0;
        for (std::size_t i = 0; i + 1 < truePositives.size(); ++i) {
            const double here = truePositives[i] + falsePositives[i];
            const double next = truePositives[i + 1] + falsePositives[i + 1];
            const double gained = truePositives[i] - truePositives[i + 1];
            const double slope = safeRatio(gained, std::max(here - next, 0.0));
            const double intercept = truePositives[i + 1] - slope * next;
            // Without positives at one end there is no ratio; log(1) leaves the linear part.
            const double ratio = here > 0.0 && next > 0.0 ? here / next : 1.0;
            area += safeRatio(slope * (gained + intercept * std::log(ratio)), truePositives[0]);
        }
        return area;
    }

    /// With TensorFlow's addend, by which the precision of nothing is 1.
    static double trapezoids(const Positives& positives)
    {
        constexpr double kSmall = 1e-6;
        const auto& truePositives = positives.truePositives;
        const auto precision = [&](std::size_t i) {
            return (truePositives[i] + kSmall) /
                   (truePositives[i] + positives.falsePositives[i] + kSmall);
        };
        double area = 0.0;
        for (std::size_t i = 0; i + 1 < truePositives.size(); ++i) {
            const double width =
                (truePositives[i] - truePositives[i + 1]) / (truePositives[0] + kSmall);
            area += width * (precision(i) + precision(i + 1)) / 2.0;
        }
        return area;
    }

    Curve m_curve;
    Ends m_ends;
    ThresholdCounts m_counts;
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

std::unique_ptr<Metric> makeChosenAuc(const spec::Metric& metric, const MetricSubject&)
{
    const spec::Auc& auc = metric.auc();
    const Auc::Ends ends = auc.summation_method() == spec::Curve::minoring   ? Auc::Ends::Lower
                           : auc.summation_method() == spec::Curve::majoring ? Auc::Ends::Higher
                                                                             : Auc::Ends::Both;
    return std::make_unique<Auc>(auc.curve() == spec::Curve::PR ? Auc::Curve::PrecisionRecall
                                                                : Auc::Curve::Roc,
                                 ends, auc.num_thresholds());
}

} // namespace cannery::metrics
