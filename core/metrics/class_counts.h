// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/metrics/metric_subject.h"

#include <cstddef>
#include <vector>

namespace cannery::metrics {

/// Which predictions are positive, class by class: probabilities above the threshold, and of class
/// ids the most probable one.
class ClassCounts
{
public:
    enum class Ties
    {
        First, ///< argmax
        All,   ///< every class as probable as the most probable one: tf.keras.metrics.F1Score
    };
    /// `twoClasses`: a probability counts for class 1 and, the other way round, for class 0;
    /// otherwise for one class only.
    ClassCounts(const MetricSubject& subject, float threshold, Ties ties, bool twoClasses);

    void update(const MetricBatch& batch);
    void reset();
    void merge(const ClassCounts& other);

    std::size_t count() const { return m_classes.size(); }
    double precision(std::size_t index) const;
    double recall(std::size_t index) const;
    double f1(std::size_t index) const;
    /// Weight of the rows of the class.
    double labels(std::size_t index) const { return m_classes[index].labels; }
    /// The F1 of all counts together.
    double f1OfAll() const;

private:
    /// Weights.
    struct One
    {
        double truePositives = 0.0;
        double positives = 0.0;
        double labels = 0.0;
    };
    static double f1(const One& one);
    void add(std::size_t index, bool isPositive, double label, double weight);
    void updateIds(const MetricBatch& batch);

    spec::LabelKind m_labels;
    float m_threshold;
    Ties m_ties;
    std::vector<One> m_classes;
};

} // namespace cannery::metrics
