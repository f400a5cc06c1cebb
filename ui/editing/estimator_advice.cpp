// SPDX-License-Identifier: GPL-3.0-only
#include "ui/editing/estimator_advice.h"

#include "ui/editing/experiment_facts.h"
#include "ui/editing/field_values.h"
#include "ui/models/formats.h"
#include "ui/models/tables/column_facts.h"

#include <algorithm>

namespace cannery::ui {
namespace {

/// A number with more values is rather measured than counted in classes.
constexpr qint64 kMostClasses = 20;
/// With fewer rows, a network of the usual size memorizes them.
constexpr qint64 kFewRows = 10'000;

} // namespace

EstimatorAdvice::EstimatorAdvice(const DataFacts& data, const FieldNode& experiment)
    : m_rows(data.trainRows), m_crosses(ExperimentFacts::of(experiment).crossCount())
{
    const QString declared = valueOf(chosen(child(experiment, "estimator")), "n_classes");
    m_declaredClasses = declared.isEmpty() ? m_declaredClasses : declared.toLongLong();
    for (const ColumnFacts& column : data.columns) {
        if (column.use == QLatin1String("feature")) {
            ++(column.isNumber() ? m_numbers : m_categories);
        }
    }
    const auto isLabel = [](const ColumnFacts& column) {
        return column.use == QLatin1String("label");
    };
    const auto label = std::find_if(data.columns.begin(), data.columns.end(), isLabel);
    // With several labels, none decides what the estimator should be.
    m_hasLabel = std::count_if(data.columns.begin(), data.columns.end(), isLabel) == 1;
    if (!m_hasLabel) {
        return;
    }
    m_labelIsNumber = label->isNumber();
    m_labelValues = label->distinct;
    m_mean = label->mean;
    m_deviation = label->deviation;
    qint64 all = 0;
    qint64 most = 0;
    for (const ValueRows& value : label->values) {
        all += value.train;
        most = std::max(most, value.train);
    }
    if (all > 0) {
        m_commonest = static_cast<double>(most) / static_cast<double>(all);
    }
}

QString EstimatorAdvice::about(const Make& make) const
{
    const QString wrong = mismatch(make);
    if (!wrong.isEmpty()) {
        return wrong;
    }
    QStringList sentences{classes(make), make.isAverage               ? average(make)
                                         : make.isWide || make.isDeep ? columns(make)
                                                                      : QString()};
    sentences.removeAll(QString());
    return sentences.join(u' ');
}

QString EstimatorAdvice::mismatch(const Make& make) const
{
    if (!m_hasLabel || m_labelValues < 0) {
        return {};
    }
    if (make.givesClasses && m_labelIsNumber && m_labelValues > kMostClasses) {
        return tr("The label has %1 different numbers: a regressor suits it better.")
            .arg(formatCount(m_labelValues));
    }
    // Two values are classes, whatever they look like.
    if (make.givesNumbers && (!m_labelIsNumber || m_labelValues == 2)) {
        return tr("The label has %1 classes: a classifier suits it better.")
            .arg(formatCount(m_labelValues));
    }
    return {};
}

QString EstimatorAdvice::classes(const Make& make) const
{
    if (!make.givesClasses || !m_hasLabel || m_labelValues <= 2) {
        return {};
    }
    return (m_declaredClasses == m_labelValues
                ? tr("The label has %1 classes: n_classes %1.")
                : tr("The label has %1 classes: set n_classes to %1."))
        .arg(m_labelValues);
}

QString EstimatorAdvice::columns(const Make& make) const
{
    const qint64 all = m_numbers + m_categories;
    if (all == 0) {
        return {};
    }
    const QString categories =
        m_categories == 1 ? tr("1 of %1 columns is a category").arg(all)
                          : tr("%1 of %2 columns are categories").arg(m_categories).arg(all);
    if (make.isWide && make.isDeep) {
        const QString numbers = counted(m_numbers, tr("one number"), tr("%1 numbers"));
        return m_categories == 0 ? tr("No column is a category: the wide side has little to add.")
               : m_crosses > 0
                   ? tr("%1 for the wide side, %2 for the deep side.")
                         .arg(counted(m_crosses, tr("One cross"), tr("%1 crosses")), numbers)
                   : tr("%1 for the wide side, %2 for the deep side.")
                         .arg(counted(m_categories, tr("One category"), tr("%1 categories")),
                              numbers);
    }
    if (make.isWide) {
        return m_categories == 0
                   ? tr("All columns are numbers: one weight each, unless cut into buckets.")
                   : tr("%1: one weight for each of their values.").arg(categories);
    }
    if (m_rows >= 0 && m_rows < kFewRows) {
        return tr("%1: a deep network may overfit.")
            .arg(counted(m_rows, tr("One row"), tr("%1 rows")));
    }
    if (m_categories > 0) {
        return tr("%1: read through indicators or embeddings.").arg(categories);
    }
    return m_rows < 0 ? QString()
                      : tr("%1 rows of numbers: enough for a network.").arg(formatCount(m_rows));
}

QString EstimatorAdvice::average(const Make& make) const
{
    if (make.givesClasses && m_commonest) {
        return tr("Always gives the most frequent class: right in %1 of the rows.")
            .arg(formatPercent(*m_commonest));
    }
    if (make.givesNumbers && m_mean && m_deviation) {
        return tr("Always gives the mean, %1; the label's standard deviation is %2.")
            .arg(formatNumber(*m_mean), formatNumber(*m_deviation));
    }
    return {};
}

} // namespace cannery::ui
