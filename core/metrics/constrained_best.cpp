// SPDX-License-Identifier: Apache-2.0
#include "core/metrics/constrained_best.h"

#include "core/metrics/metric_subject.h"
#include "core/metrics/threshold_counts.h"
#include "core/spec/metrics.pb.h"

#include <algorithm>

namespace cannery::metrics {
namespace {

class ConstrainedBest : public Metric
{
public:
    enum class Of
    {
        Recall,
        Precision,
    };
    ConstrainedBest(Of of, double atLeast, std::int64_t thresholds)
        : m_of(of), m_atLeast(static_cast<float>(atLeast)),
          m_counts(thresholds, ThresholdCounts::First::Zero)
    {}

    void update(const MetricBatch& batch) override { m_counts.update(batch); }
    void reset() override { m_counts.reset(); }
    void merge(const Metric& other) override
    {
        m_counts.merge(static_cast<const ConstrainedBest&>(other).m_counts);
    }

    double result() const override
    {
        const ThresholdCounts::Positives positives = m_counts.positives();
        double best = 0.0;
        for (std::size_t i = 0; i < positives.truePositives.size(); ++i) {
            const double recall = positives.recall(i);
            const double precision = positives.precision(i);
            // In float32, so that 9 of 10 reach 0.9.
            const auto constrained = static_cast<float>(m_of == Of::Recall ? precision : recall);
            if (constrained >= m_atLeast) {
                best = std::max(best, m_of == Of::Recall ? recall : precision);
            }
        }
        return best;
    }

private:
    Of m_of;
    float m_atLeast;
    ThresholdCounts m_counts;
};

} // namespace

std::unique_ptr<Metric> makeRecallAtPrecision(const spec::Metric& metric, const MetricSubject&)
{
    const spec::RecallAtPrecision& arguments = metric.recall_at_precision();
    return std::make_unique<ConstrainedBest>(ConstrainedBest::Of::Recall, arguments.precision(),
                                             arguments.num_thresholds());
}

std::unique_ptr<Metric> makePrecisionAtRecall(const spec::Metric& metric, const MetricSubject&)
{
    const spec::PrecisionAtRecall& arguments = metric.precision_at_recall();
    return std::make_unique<ConstrainedBest>(ConstrainedBest::Of::Precision, arguments.recall(),
                                             arguments.num_thresholds());
}

} // namespace cannery::metrics
