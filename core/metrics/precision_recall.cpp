// SPDX-License-Identifier: Apache-2.0
#include "core/metrics/precision_recall.h"

#include "core/metrics/metric_subject.h"
#include "core/metrics/top_k_accuracy.h"
#include "core/spec/metrics.pb.h"

namespace cannery::metrics {
namespace {

/// Both are the fraction of true positives: of all positives, or of all true labels.
class TruePositiveShare : public Metric
{
public:
    enum class Of
    {
        Positives,
        TrueLabels,
    };
    TruePositiveShare(Of of, float threshold) : m_of(of), m_threshold(threshold) {}

    void update(const MetricBatch& batch) override
    {
        for (std::size_t row = 0; row < batch.labels.size(); ++row) {
            const bool positive = batch.predictions[row] > m_threshold;
            const bool label = batch.labels[row] != 0.0F;
            const double weight = batch.weight(row);
            m_truePositives += positive && label ? weight : 0.0;
            m_all += (m_of == Of::Positives ? positive : label) ? weight : 0.0;
        }
    }

    double result() const override { return m_all == 0.0 ? 0.0 : m_truePositives / m_all; }
    void reset() override { m_truePositives = m_all = 0.0; }

    void merge(const Metric& other) override
    {
        const auto& share = static_cast<const TruePositiveShare&>(other);
        m_truePositives += share.m_truePositives;
        m_all += share.m_all;
    }

private:
    Of m_of;
    float m_threshold;
    double m_truePositives = 0.0;
    double m_all = 0.0;
};

} // namespace

std::unique_ptr<Metric> makePrecision(float threshold)
{
    return std::make_unique<TruePositiveShare>(TruePositiveShare::Of::Positives, threshold);
}

std::unique_ptr<Metric> makeRecall(float threshold)
{
    return std::make_unique<TruePositiveShare>(TruePositiveShare::Of::TrueLabels, threshold);
}

std::unique_ptr<Metric> makeChosenPrecision(const spec::Metric& metric,
                                            const MetricSubject& subject)
{
    // With class numbers, each row has one prediction: the share of right ones is both.
    return subject.labels == spec::LabelKind::ClassId
               ? makeClassAccuracy(metric, subject)
               : makePrecision(static_cast<float>(metric.precision().threshold()));
}

std::unique_ptr<Metric> makeChosenRecall(const spec::Metric& metric, const MetricSubject& subject)
{
    return subject.labels == spec::LabelKind::ClassId
               ? makeClassAccuracy(metric, subject)
               : makeRecall(static_cast<float>(metric.recall().threshold()));
}

} // namespace cannery::metrics
