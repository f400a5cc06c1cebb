// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/hashed_values_model.h"

#include "ui/models/formats.h"

#include <cmath>

namespace cannery::ui {

void HashedValuesModel::setFacts(const HashedFacts& facts)
{
    beginResetModel();
    m_facts = facts;
    m_target = m_target < facts.targets.size() ? m_target : 0;
    endResetModel();
}

void HashedValuesModel::setTarget(int target)
{
    m_target = target;
    notifyAllChanged();
    Q_EMIT headerDataChanged(Qt::Horizontal, Label, Label);
}

QString HashedValuesModel::textOf(const HashedValueFacts& value)
{
    QStringList texts;
    for (const QString& text : value.values) {
        texts.append(text.isNull() ? tr("(none)") : text);
    }
    return texts.join(QStringLiteral(" × "));
}

QVariant HashedValuesModel::label(const HashedValueFacts& value) const
{
    const double number = value.label.value(m_target, std::nan(""));
    return std::isnan(number) ? QVariant() : QVariant(number);
}

QString HashedValuesModel::labelText(const HashedValueFacts& value) const
{
    const QVariant number = label(value);
    if (!number.isValid()) {
        return QStringLiteral("–");
    }
    return m_facts.areShares ? formatPercent(number.toDouble(), 0)
                             : formatNumber(number.toDouble());
}

/// What else that is listed falls into its bucket.
QString HashedValuesModel::neighbours(const HashedValueFacts& value) const
{
    QStringList others;
    for (const HashedValueFacts& other : m_facts.values) {
        if (other.bucket == value.bucket && &other != &value) {
            others.append(textOf(other));
        }
    }
    return others.isEmpty() ? tr("a less frequent value") : others.join(QLatin1String(", "));
}

QVariant HashedValuesModel::cell(int row, int column, int role) const
{
    const HashedValueFacts& value = m_facts.values.at(row);
    if (role == SharedRole) {
        return value.isShared;
    }
    if (role == ShareRole) {
        return column == Label && m_facts.areShares ? label(value) : QVariant();
    }
    if (role == SortRole) {
        return column == Values  ? QVariant(textOf(value))
               : column == Count ? QVariant(value.count)
               : column == Label ? label(value)
                                 : QVariant(value.bucket);
    }
    if (role == Qt::ToolTipRole) {
        return value.isShared
                   ? tr("%1 shares bucket %2 with %3.")
                         .arg(textOf(value), formatCount(value.bucket), neighbours(value))
                   : textOf(value);
    }
    if (role == Qt::AccessibleTextRole && column == Bucket && value.isShared) {
        return tr("%1, shared").arg(formatCount(value.bucket));
    }
    if (role != Qt::DisplayRole && role != Qt::AccessibleTextRole) {
        return {};
    }
    return column == Values  ? textOf(value)
           : column == Count ? formatCount(value.count)
           : column == Label ? labelText(value)
                             : formatCount(value.bucket);
}

QString HashedValuesModel::labelTitle() const
{
    return m_facts.targets.isEmpty() ? QString()
           : m_facts.areShares       ? tr("Share of %1 = %2 in each")
                                     .arg(m_facts.labelName, m_facts.targets.value(m_target))
                               : tr("Mean of %1 in each").arg(m_facts.labelName);
}

QVariant HashedValuesModel::header(int column, int role) const
{
    if (role == Qt::ToolTipRole && column == Label) {
        return m_facts.areShares ? tr("The share of these rows whose %1 is %2.")
                                       .arg(m_facts.labelName, m_facts.targets.value(m_target))
                                 : tr("The mean of %1 in these rows.").arg(m_facts.labelName);
    }
    if (role != Qt::DisplayRole) {
        return {};
    }
    return column == Values  ? (m_facts.inputs.size() > 1 ? tr("Combination") : tr("Value"))
           : column == Count ? tr("Rows")
           : column == Label ? (m_facts.areShares ? tr("Share") : tr("Mean"))
                             : tr("Bucket");
}

} // namespace cannery::ui
