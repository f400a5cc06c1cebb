// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/pictures/mistaken_pictures.h"

#include "ui/models/pictures/picture_role.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLocale>

#include <algorithm>

namespace cannery::ui {
namespace {

double largestOf(const QJsonArray& values)
{
    double largest = 0;
    for (const QJsonValue& value : values) {
        largest = std::max(largest, value.toDouble());
    }
    return largest;
}

/// A text, or the first of a list.
QString firstOf(const QJsonValue& value)
{
    return value.isArray() ? value.toArray().at(0).toString() : value.toString();
}

} // namespace

PictureMistakes mistakesOf(const QByteArray& lines)
{
    PictureMistakes mistakes;
    for (const QByteArray& line : lines.split('\n')) {
        const QJsonObject row = QJsonDocument::fromJson(line).object();
        if (!row.contains("classes")) {
            continue;
        }
        const QString path = row["path"].toString();
        mistakes.hasPaths = mistakes.hasPaths && !path.isEmpty();
        ++mistakes.pictures;
        const MistakenPicture picture{.path = path,
                                      .label = path.section('/', 0, 0),
                                      .predicted = firstOf(row["classes"]),
                                      .probability = largestOf(row["probabilities"].toArray())};
        if (picture.label != picture.predicted) {
            mistakes.worst.append(picture);
        }
    }
    mistakes.mistaken = mistakes.worst.size();
    // Stable: equal ones stay in the order of their names.
    std::ranges::stable_sort(mistakes.worst, std::greater<>(), &MistakenPicture::probability);
    mistakes.worst.resize(
        std::min<qsizetype>(mistakes.worst.size(), PictureMistakes::kMostMistakes));
    return mistakes;
}

void MistakenPicturesModel::setPictures(const QString& folder,
                                        const QList<MistakenPicture>& pictures)
{
    beginResetModel();
    m_folder = folder;
    m_pictures = pictures;
    endResetModel();
}

int MistakenPicturesModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_pictures.size());
}

QVariant MistakenPicturesModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) {
        return {};
    }
    const MistakenPicture& picture = m_pictures[index.row()];
    const QString says =
        tr("%1, %2 %")
            .arg(picture.predicted, QLocale().toString(100 * picture.probability, 'f', 0));
    switch (role) {
    case PictureRole::File:
        return m_folder + '/' + picture.path;
    case Qt::DisplayRole:
        return says;
    case PictureRole::SecondLine:
        return tr("is %1").arg(picture.label);
    case PictureRole::IsWrong:
        return true;
    case Qt::ToolTipRole:
        return picture.path;
    case Qt::AccessibleTextRole:
        return tr("%1: the model says %2, it is %3").arg(picture.path, says, picture.label);
    default:
        return {};
    }
}

} // namespace cannery::ui
