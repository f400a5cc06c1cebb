// SPDX-License-Identifier: Apache-2.0
#include "core/metrics/class_counts.h"

#include "core/metrics/weighted_mean.h"

namespace cannery::metrics {

ClassCounts::ClassCounts(const MetricSubject& subject, float threshold, Ties ties, bool twoClasses)
    : m_labels(subject.labels), m_threshold(threshold), m_ties(ties),
      m_classes(subject.labels == spec::LabelKind::Probability
                    ? (twoClasses ? 2 : 1)
                    : static_cast<std::size_t>(subject.width))
{}

void ClassCounts::add(std::size_t index, bool isPositive, double label, double weight)
{
    One& one = m_classes[index];
    one.truePositives += isPositive ? weight * label : 0.0;
    one.positives += isPositive ? weight : 0.0;
    one.labels += weight * label;
}

void ClassCounts::updateIds(const MetricBatch& batch)
{
    // Probabilities below this one are nobody's in Keras.
    constexpr float kNothing = 1e-9F;
    for (std::size_t row = 0; row < batch.labels.size(); ++row) {
        const auto probabilities = classProbabilities(batch, row);
        const std::size_t first = mostProbable(probabilities);
        const auto label = static_cast<std::size_t>(batch.labels[row]);
        const double weight = batch.weight(row);
        for (std::size_t index = 0; index < probabilities.size(); ++index) {
            const bool isTied = m_ties == Ties::All &&
                                probabilities[index] == probabilities[first] &&
                                probabilities[index] > kNothing;
            const bool isPositive = m_ties == Ties::All ? isTied : index == first;
            if (isPositive || index == label) {
                add(index, isPositive, index == label ? 1.0 : 0.0, weight);
            }
        }
    }
}

void ClassCounts::update(const MetricBatch& batch)
{
    if (m_labels == spec::LabelKind::ClassId) {
        updateIds(batch);
        return;
    }
    const bool hasTwo = m_labels == spec::LabelKind::Probability && m_classes.size() == 2;
    for (std::size_t i = 0; i < batch.labels.size(); ++i) {
        const bool isPositive = batch.predictions[i] > m_threshold;
        const auto label = static_cast<double>(batch.labels[i]);
        // With two classes and one number, the other class is what is left.
        if (hasTwo) {
            add(0, !isPositive, 1.0 - label, batch.weight(i));
        }
        add(hasTwo ? 1 : i % m_classes.size(), isPositive, label, batch.weight(i));
    }
}

void ClassCounts::reset()
{
    m_classes.assign(m_classes.size(), One());
}

void ClassCounts::merge(const ClassCounts& other)
{
    for (std::size_t i = 0; i < m_classes.size(); ++i) {
        m_classes[i].truePositives += other.m_classes[i].truePositives;
        m_classes[i].positives += other.m_classes[i].positives;
        m_classes[i].labels += other.m_classes[i].labels;
    }
}

double ClassCounts::precision(std::size_t index) const
{
    return safeRatio(m_classes[index].truePositives, m_classes[index].positives);
}

double ClassCounts::recall(std::size_t index) const
{
    return safeRatio(m_classes[index].truePositives, m_classes[index].labels);
}

double ClassCounts::f1(const One& one)
{
    const double precision = safeRatio(one.truePositives, one.positives);
    const double recall = safeRatio(one.truePositives, one.labels);
    return 2.0 * safeRatio(precision * recall, precision + recall);
}

double ClassCounts::f1(std::size_t index) const
{
    return f1(m_classes[index]);
}

double ClassCounts::f1OfAll() const
{
    One all;
    for (const One& one : m_classes) {
        all.truePositives += one.truePositives;
        all.positives += one.positives;
        all.labels += one.labels;
    }
    return f1(all);
}

} // namespace cannery::metrics
