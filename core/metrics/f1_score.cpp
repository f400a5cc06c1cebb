// SPDX-License-Identifier: Apache-2.0
#include "core/metrics/f1_score.h"

#include "core/metrics/class_counts.h"
#include "core/metrics/weighted_mean.h"
#include "core/spec/metrics.pb.h"

namespace cannery::metrics {
namespace {

class F1Score : public Metric
{
public:
    F1Score(const MetricSubject& subject, float threshold, spec::Average::Kind average)
        : m_average(average), m_counts(subject, threshold, ClassCounts::Ties::All, false)
    {}

    void update(const MetricBatch& batch) override { m_counts.update(batch); }
    void reset() override { m_counts.reset(); }
    void merge(const Metric& other) override
    {
        m_counts.merge(static_cast<const F1Score&>(other).m_counts);
    }

    double result() const override
    {
        if (m_average == spec::Average::micro) {
            return m_counts.f1OfAll();
        }
        double sum = 0.0;
        double all = 0.0;
        for (std::size_t i = 0; i < m_counts.count(); ++i) {
            const double share = m_average == spec::Average::macro ? 1.0 : m_counts.labels(i);
            sum += share * m_counts.f1(i);
            all += share;
        }
        return safeRatio(sum, all);
    }

private:
    spec::Average::Kind m_average;
    ClassCounts m_counts;
};

} // namespace

std::unique_ptr<Metric> makeF1Score(const spec::Metric& metric, const MetricSubject& subject)
{
    const spec::F1Score& arguments = metric.f1_score();
    return std::make_unique<F1Score>(subject, static_cast<float>(arguments.threshold()),
                                     arguments.average());
}

} // namespace cannery::metrics
