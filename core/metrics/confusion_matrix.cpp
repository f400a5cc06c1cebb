// SPDX-License-Identifier: Apache-2.0
#include "core/metrics/confusion_matrix.h"

#include "core/metrics/metric_subject.h"
#include "core/spec/metrics.pb.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace cannery::metrics {
namespace {

class ConfusionMatrix : public Metric
{
public:
    ConfusionMatrix(const MetricSubject& subject, float threshold)
        : m_labels(subject.labels), m_threshold(threshold), m_names(subject.classes),
          m_counts(m_names.size() * m_names.size(), 0.0)
    {}

    void update(const MetricBatch& batch) override
    {
        for (std::size_t row = 0; row < batch.labels.size(); ++row) {
            const auto label = static_cast<std::size_t>(batch.labels[row]);
            m_counts[label * m_names.size() + predicted(batch, row)] += batch.weight(row);
        }
    }

    void reset() override { std::fill(m_counts.begin(), m_counts.end(), 0.0); }

    void merge(const Metric& other) override
    {
        const auto& matrix = static_cast<const ConfusionMatrix&>(other);
        std::transform(m_counts.begin(), m_counts.end(), matrix.m_counts.begin(), m_counts.begin(),
                       std::plus<>());
    }

    /// The weight of all rows; its table is what it measures.
    double result() const override
    {
        return std::accumulate(m_counts.begin(), m_counts.end(), 0.0);
    }
    void addResults(const std::string&, std::vector<MetricValue>&) const override {}
    std::optional<MetricTable> table(const std::string& name) const override
    {
        return MetricTable{.name = name, .rows = m_names, .columns = m_names, .values = m_counts};
    }

private:
    std::size_t predicted(const MetricBatch& batch, std::size_t row) const
    {
        // Other labels have one number, compared with the threshold.
        return m_labels == spec::LabelKind::ClassId
                   ? mostProbable(classProbabilities(batch, row))
                   : static_cast<std::size_t>(batch.predictions[row] > m_threshold);
    }

    spec::LabelKind m_labels;
    float m_threshold;
    std::vector<std::string> m_names;
    std::vector<double> m_counts; ///< labels × predictions
};

} // namespace

std::unique_ptr<Metric> makeConfusionMatrix(const spec::Metric& metric,
                                            const MetricSubject& subject)
{
    return std::make_unique<ConfusionMatrix>(
        subject, static_cast<float>(metric.confusion_matrix().threshold()));
}

} // namespace cannery::metrics
