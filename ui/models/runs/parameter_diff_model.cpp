// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/runs/parameter_diff_model.h"

#include "ui/models/formats.h"

#include <QHash>

namespace cannery::ui {

ParameterDiffModel::ParameterDiffModel(QObject* parent) : TableModel(parent) {}

void ParameterDiffModel::setRuns(const QList<RunRow>& runs)
{
    beginResetModel();
    m_labels.clear();
    m_all.clear();
    QHash<QString, qsizetype> places;
    for (qsizetype run = 0; run < runs.size(); ++run) {
        m_labels.append(runs.at(run).displayName());
        for (const auto& [path, value] : runs.at(run).parameters) {
            auto place = places.find(path);
            if (place == places.end()) {
                place = places.insert(path, m_all.size());
                m_all.append({.path = path, .values = QStringList(runs.size())});
            }
            m_all[*place].values[run] = value.isNull() ? QStringLiteral("") : value;
        }
    }
    m_differing = 0;
    for (Field& field : m_all) {
        for (const QString& value : std::as_const(field.values)) {
            const QString& first = field.values.front();
            field.differs = field.differs || value != first || value.isNull() != first.isNull();
        }
        m_differing += field.differs ? 1 : 0;
    }
    choose();
    endResetModel();
}

void ParameterDiffModel::setDifferingOnly(bool only)
{
    if (only == m_differingOnly) {
        return;
    }
    beginResetModel();
    m_differingOnly = only;
    choose();
    endResetModel();
}

void ParameterDiffModel::choose()
{
    m_shown.clear();
    for (qsizetype i = 0; i < m_all.size(); ++i) {
        if (!m_differingOnly || m_all.at(i).differs) {
            m_shown.append(i);
        }
    }
}

QString ParameterDiffModel::summary() const
{
    return tr("%1 of %2").arg(formatCount(m_shown.size()), formatCount(m_all.size()));
}

QVariant ParameterDiffModel::cell(int row, int column, int role) const
{
    const Field& field = m_all.at(m_shown.at(row));
    const bool isPath = column == 0;
    const QString value = isPath ? QString() : field.values.at(column - 1);
    const bool isMissing = !isPath && value.isNull();
    switch (role) {
    case Qt::DisplayRole:
        return isPath ? field.path
                      : (isMissing ? QStringLiteral("–") : formatWritten(plainValue(value)));
    case Qt::ToolTipRole:
    case Qt::AccessibleTextRole:
        return isPath ? field.path : (isMissing ? tr("not in this run") : value);
    case PathRole:
        return field.path;
    case MissingRole:
        return isMissing;
    case DiffersRole:
        return field.differs;
    default:
        return {};
    }
}

QVariant ParameterDiffModel::header(int column, int role) const
{
    if (role != Qt::DisplayRole) {
        return {};
    }
    return column == 0 ? tr("Field") : m_labels.at(column - 1);
}

} // namespace cannery::ui
