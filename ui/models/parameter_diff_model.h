// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/run_snapshot.h"

#include <QAbstractTableModel>

namespace cannery::ui {

/// The frozen experiments of some runs side by side: a row for each field, a column for each run;
/// at first only the fields that differ. A field that a run does not have has a mark of its own,
/// never an empty text. GUI thread.
class ParameterDiffModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Role
    {
        PathRole = Qt::UserRole,
        MissingRole, ///< true where the run does not have the field
        DiffersRole,
    };

    explicit ParameterDiffModel(QObject* parent = nullptr);

    void setRuns(const QList<RunRow>& runs);
    void setDifferingOnly(bool only);
    /// "6 of 40".
    QString summary() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Field
    {
        QString path;
        QStringList values; ///< by run; null: missing
        bool differs = false;
    };
    void choose();

    QStringList m_labels;
    QList<Field> m_all;
    QList<qsizetype> m_shown;
    bool m_differingOnly = true;
    int m_differing = 0;
};

} // namespace cannery::ui
