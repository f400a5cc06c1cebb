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

int RowsPreviewModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_facts.texts.size());
}

int RowsPreviewModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_facts.columns.size());
}

QVariant RowsPreviewModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid()) {
        return {};
    }
    const QString cell = m_facts.texts[index.row()].value(index.column());
    const ColumnFacts& column = m_facts.columns[index.column()];
    switch (role) {
    case Qt::DisplayRole:
        return cell.isNull() ? QStringLiteral("?") : cell;
    case Qt::TextAlignmentRole:
        return int(Qt::AlignVCenter | (column.isNumber() ? Qt::AlignRight : Qt::AlignLeft));
    case Qt::AccessibleTextRole:
        return cell.isNull() ? tr("missing") : cell;
    case MissingRole:
        return cell.isNull();
    default:
        return {};
    }
}

QVariant RowsPreviewModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation == Qt::Vertical) {
        return role == Qt::DisplayRole ? QVariant(QLocale().toString(section + 1)) : QVariant();
    }
    if (section < 0 || section >= m_facts.columns.size()) {
        return {};
    }
    const ColumnFacts& column = m_facts.columns[section];
    switch (role) {
    case Qt::DisplayRole:
        return column.name;
    case Qt::AccessibleTextRole:
    case Qt::ToolTipRole:
        return spoken(column);
    case FactsRole:
        return section;
    default:
        return {};
    }
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
