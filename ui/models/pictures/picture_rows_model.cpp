// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/pictures/picture_rows_model.h"

#include "ui/models/pictures/picture_role.h"
#include "ui/models/tables/rows_preview_model.h"

#include <algorithm>

namespace cannery::ui {
namespace {

// The columns of a folder of pictures.
const QString kImage = QStringLiteral("image");
const QString kLabel = QStringLiteral("label");
const QString kPath = QStringLiteral("path");

} // namespace

PictureRowsModel::PictureRowsModel(const RowsPreviewModel& rows, QObject* parent)
    : QAbstractListModel(parent), m_rows(rows)
{
    connect(&rows, &QAbstractItemModel::modelAboutToBeReset, this,
            &PictureRowsModel::beginResetModel);
    connect(&rows, &QAbstractItemModel::modelReset, this, &PictureRowsModel::endResetModel);
    connect(&rows, &QAbstractItemModel::rowsAboutToBeInserted, this,
            [this](const QModelIndex&, int first, int last) { beginInsertRows({}, first, last); });
    connect(&rows, &QAbstractItemModel::rowsInserted, this, &PictureRowsModel::endInsertRows);
    connect(&rows, &QAbstractItemModel::rowsAboutToBeRemoved, this,
            [this](const QModelIndex&, int first, int last) { beginRemoveRows({}, first, last); });
    connect(&rows, &QAbstractItemModel::rowsRemoved, this, &PictureRowsModel::endRemoveRows);
    connect(&rows, &QAbstractItemModel::dataChanged, this,
            [this](const QModelIndex& first, const QModelIndex& last) {
                Q_EMIT dataChanged(index(first.row()), index(last.row()));
            });
}

void PictureRowsModel::setFolder(const QString& folder)
{
    if (folder != m_folder) {
        m_folder = folder;
        if (const int rows = rowCount(); rows > 0) {
            Q_EMIT dataChanged(index(0), index(rows - 1));
        }
    }
}

int PictureRowsModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : m_rows.rowCount();
}

QVariant PictureRowsModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) {
        return {};
    }
    const QString path = cell(index.row(), kPath);
    switch (role) {
    case PictureRole::File:
        return path.isEmpty() || m_folder.isEmpty() ? QString() : m_folder + '/' + path;
    case Qt::DisplayRole: {
        const QString label = cell(index.row(), kLabel);
        return label.isEmpty() ? path : label;
    }
    case PictureRole::SecondLine:
        return cell(index.row(), kImage);
    case Qt::ToolTipRole:
        return path;
    case Qt::AccessibleTextRole:
        return path.isEmpty() ? tr("loading")
                              : cell(index.row(), kLabel) + QStringLiteral(", ") + path;
    default:
        return {};
    }
}

QString PictureRowsModel::cell(int row, const QString& column) const
{
    const QList<ColumnFacts>& columns = m_rows.facts().columns;
    const auto found = std::ranges::find(columns, column, &ColumnFacts::name);
    if (found == columns.end()) {
        return {};
    }
    return m_rows.index(row, static_cast<int>(found - columns.begin())).data().toString();
}

} // namespace cannery::ui
