// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QCoreApplication>
#include <QString>

#include <optional>

namespace cannery::ui {

struct DataFacts;
struct FieldNode;

/// Advice on estimators in view of the table that they would learn from. Rules of thumb,
/// from what the window knows of the experiment and its data.
class EstimatorAdvice
{
    Q_DECLARE_TR_FUNCTIONS(EstimatorAdvice)

public:
    /// What an estimator answers with, and what it is made of.
    struct Make
    {
        bool givesClasses = false;
        bool givesNumbers = false; ///< neither: what its head says
        bool isWide = false;       ///< has a linear part
        bool isDeep = false;       ///< has a network
        bool isAverage = false;    ///< reads no columns
    };

    EstimatorAdvice(const DataFacts& data, const FieldNode& experiment);

    /// One or two short sentences about this table; empty if too little is known of it.
    QString about(const Make& make) const;

private:
    /// The label is not what this estimator predicts.
    QString mismatch(const Make& make) const;
    QString classes(const Make& make) const;
    QString columns(const Make& make) const;
    QString average(const Make& make) const;

    qint64 m_rows = -1;
    qint64 m_numbers = 0;    ///< columns that are features
    qint64 m_categories = 0; ///< the same
    qint64 m_crosses = 0;
    bool m_hasLabel = false; ///< whether a single column is it
    bool m_labelIsNumber = false;
    qint64 m_labelValues = -1; ///< -1: unknown
    qint64 m_declaredClasses = 2;
    std::optional<double> m_commonest; ///< the label's most frequent value: its share of the rows
    std::optional<double> m_mean;
    std::optional<double> m_deviation;
};

} // namespace cannery::ui
