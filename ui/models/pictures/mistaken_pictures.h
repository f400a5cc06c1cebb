// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QAbstractListModel>
#include <QByteArray>
#include <QList>
#include <QString>

namespace cannery::ui {

/// A picture whose folder is not what a model says it is.
struct MistakenPicture
{
    QString path; ///< below the folder of the pictures
    QString label;
    QString predicted;
    double probability = 0; ///< of what is predicted

    bool operator==(const MistakenPicture&) const = default;
};

/// How a classifier has done on a folder of pictures.
struct PictureMistakes
{
    qint64 pictures = 0;
    qint64 mistaken = 0;
    QList<MistakenPicture> worst; ///< the most confident first; at most kMostMistakes
    bool hasPaths = true;         ///< false: predictions do not say whose they are

    static constexpr int kMostMistakes = 500;
};

/// Reads JSON lines as `cannery predict --format jsonl` writes them, with "path" as a key column;
/// the first folder of a path is the label. Lines that are no prediction are left out.
PictureMistakes mistakesOf(const QByteArray& lines);

/// Those of mistakesOf() as pictures (see PictureRole). GUI thread.
class MistakenPicturesModel : public QAbstractListModel
{
    Q_OBJECT

public:
    using QAbstractListModel::QAbstractListModel;

    /// Of this folder.
    void setPictures(const QString& folder, const QList<MistakenPicture>& pictures);

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;

private:
    QString m_folder;
    QList<MistakenPicture> m_pictures;
};

} // namespace cannery::ui
