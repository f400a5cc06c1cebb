// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/rows_preview_model.h"

#include <QLocale>

namespace cannery::ui {

void RowsPreviewModel::setFacts(DataFacts facts)
{
    beginResetModel();
    m_facts = std::move(facts);
    endResetModel();
}

QVariant RowsPreviewModel::cell(int row, int column, int role) const
{
    const QString text = m_facts.texts[row].value(column);
    switch (role) {
    case Qt::DisplayRole:
        return text.isNull() ? QStringLiteral("?") : text;
    case Qt::AccessibleTextRole:
        return text.isNull() ? tr("missing") : text;
    case MissingRole:
        return text.isNull();
    default:
        return {};
    }
}

QVariant RowsPreviewModel::header(int column, int role) const
{
    const ColumnFacts& facts = m_facts.columns[column];
    switch (role) {
    case Qt::DisplayRole:
        return facts.name;
    case Qt::AccessibleTextRole:
    case Qt::ToolTipRole:
        return spoken(facts);
    case FactsRole:
        return column;
    default:
        return {};
    }
}

/// Rows are numbered.
QVariant RowsPreviewModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation == Qt::Vertical && role == Qt::DisplayRole) {
        return QLocale().toString(section + 1);
    }
    return TableModel::headerData(section, orientation, role);
}

QString RowsPreviewModel::spoken(const ColumnFacts& column) const
{
    const QLocale locale;
    const double share = m_facts.missingShare(column);
    QStringList parts{column.name,
                      column.use == QLatin1String("label") ? tr("target") : column.type};
    parts.append(share > 0 ? tr("%1 % missing").arg(locale.toString(100 * share, 'f', 1))
                           : tr("complete"));
    if (column.minimum && column.maximum) {
        parts.append(tr("%1 to %2")
                         .arg(locale.toString(*column.minimum, 'g', 4),
                              locale.toString(*column.maximum, 'g', 4)));
    }
    if (column.median) {
        parts.append(tr("median %1").arg(locale.toString(*column.median, 'g', 4)));
    }
    if (column.distinct >= 0) {
        parts.append(tr("%1 distinct").arg(locale.toString(column.distinct)));
    }
    return parts.join(QLatin1String(", "));
}

} // namespace cannery::ui
