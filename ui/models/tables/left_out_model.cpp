// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/tables/left_out_model.h"

#include "ui/models/formats.h"

#include <QFileInfo>

namespace cannery::ui {

namespace {

enum Column
{
    kFile,
    kLine,
    kText,
    kReason,
    kColumns,
};

} // namespace

void LeftOutModel::reset(qint64 total)
{
    beginResetModel();
    m_rows.clear();
    m_total = total;
    m_asked = 0;
    endResetModel();
}

void LeftOutModel::append(const QList<LeftOutRow>& rows, qint64 first)
{
    if (rows.isEmpty() || first != m_rows.size()) {
        return;
    }
    beginInsertRows({}, static_cast<int>(first), static_cast<int>(first + rows.size()) - 1);
    m_rows += rows;
    endInsertRows();
}

/// The engine lists fewer than all if there are very many: then nothing comes of asking once more.
bool LeftOutModel::canFetchMore(const QModelIndex& parent) const
{
    return !parent.isValid() && m_asked <= m_rows.size() && m_asked < m_total;
}

void LeftOutModel::fetchMore(const QModelIndex& parent)
{
    if (canFetchMore(parent)) {
        m_asked += kAtOnce;
        Q_EMIT moreWanted(m_rows.size());
    }
}

qsizetype LeftOutModel::countColumns() const
{
    return kColumns;
}

bool LeftOutModel::isNumber(int column) const
{
    return column == kLine;
}

QVariant LeftOutModel::cell(int row, int column, int role) const
{
    const LeftOutRow& one = m_rows[row];
    if (role == Qt::ToolTipRole) {
        return column == kFile ? one.file : column == kText ? one.text : one.reason;
    }
    if (role != Qt::DisplayRole) {
        return {};
    }
    switch (column) {
    case kFile:
        return QFileInfo(one.file).fileName();
    case kLine:
        return formatCount(one.line);
    case kText:
        return one.text;
    default:
        return one.reason;
    }
}

QVariant LeftOutModel::header(int column, int role) const
{
    if (role != Qt::DisplayRole) {
        return {};
    }
    switch (column) {
    case kFile:
        return tr("File");
    case kLine:
        return tr("Line");
    case kText:
        return tr("Text");
    default:
        return tr("Reason");
    }
}

} // namespace cannery::ui
