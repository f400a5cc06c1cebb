// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QAbstractListModel>

namespace cannery::ui {

class RowsPreviewModel;

/// The rows of a folder of pictures as pictures (see PictureRole): each with its label, and what
/// the file is. The rows, in their order, are those of a RowsPreviewModel, which must live as
/// long. GUI thread.
class PictureRowsModel : public QAbstractListModel
{
    Q_OBJECT

public:
    explicit PictureRowsModel(const RowsPreviewModel& rows, QObject* parent = nullptr);

    /// Where the paths of the rows begin.
    void setFolder(const QString& folder);

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;

private:
    /// Empty while it is on its way, or if there is no such column.
    QString cell(int row, const QString& column) const;

    const RowsPreviewModel& m_rows;
    QString m_folder;
};

} // namespace cannery::ui
