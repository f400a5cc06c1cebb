// SPDX-License-Identifier: Apache-2.0
#include "core/metrics/r2_score.h"

#include "core/metrics/metric_subject.h"
#include "core/metrics/regression_errors.h"

#include <vector>

namespace cannery::metrics {
namespace {

class R2Score : public Metric
{
public:
    explicit R2Score(std::int64_t width)
    {
        for (std::int64_t i = 0; i < width; ++i) {
            m_ofEach.push_back(makeRSquared(0.0F));
        }
    }

    void update(const MetricBatch& batch) override
    {
        for (std::size_t i = 0; i < batch.labels.size(); ++i) {
            // Without weights all rows count alike.
            const std::span weights =
                batch.weights.empty() ? batch.weights : batch.weights.subspan(i, 1);
            m_ofEach[i % m_ofEach.size()]->update({.predictions = batch.predictions.subspan(i, 1),
                                                   .labels = batch.labels.subspan(i, 1),
                                                   .weights = weights});
        }
    }

    double result() const override
    {
        double sum = 0.0;
        for (const std::unique_ptr<Metric>& one : m_ofEach) {
            sum += one->result();
        }
        // The mean over the outputs, as Keras averages them.
        return sum / static_cast<double>(m_ofEach.size());
    }

    void reset() override
    {
        for (const std::unique_ptr<Metric>& one : m_ofEach) {
            one->reset();
        }
    }

    void merge(const Metric& other) override
    {
        const auto& same = static_cast<const R2Score&>(other);
        for (std::size_t i = 0; i < m_ofEach.size(); ++i) {
            m_ofEach[i]->merge(*same.m_ofEach[i]);
        }
    }

private:
    std::vector<std::unique_ptr<Metric>> m_ofEach; ///< number of a row
};

} // namespace

std::unique_ptr<Metric> makeR2Score(const spec::Metric&, const MetricSubject& subject)
{
    return std::make_unique<R2Score>(subject.width);
}

} // namespace cannery::metrics
