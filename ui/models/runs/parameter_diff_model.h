// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/runs/run_snapshot.h"
#include "ui/models/tables/table_model.h"

namespace cannery::ui {

/// The frozen experiments of some runs side by side: a row for each field, a column for each run;
/// initially only the fields that differ. A field that a run does not have gets a special mark,
/// never an empty text. GUI thread.
class ParameterDiffModel : public TableModel
{
    Q_OBJECT

public:
    enum Role
    {
        PathRole = Qt::UserRole,
        MissingRole, ///< true if the run does not have the field
        DiffersRole,
    };

    explicit ParameterDiffModel(QObject* parent = nullptr);

    void setRuns(const QList<RunRow>& runs);
    void setDifferingOnly(bool only);
    /// "6 of 40".
    QString summary() const;

protected:
    qsizetype countRows() const override { return m_shown.size(); }
    qsizetype countColumns() const override { return 1 + m_labels.size(); }
    QVariant cell(int row, int column, int role) const override;
    QVariant header(int column, int role) const override;

private:
    struct Field
    {
        QString path;
        QStringList values; ///< by run; null if missing
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
