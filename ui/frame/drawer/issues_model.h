// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/problem_row.h"
#include "ui/models/tables/table_model.h"

namespace cannery::ui {

/// The problems: place and sentence, errors before warnings before notes.
class IssuesModel : public TableModel
{
    Q_OBJECT

public:
    enum Column
    {
        Place,
        Sentence,
        Fix, ///< if empty, the view puts buttons there
        ColumnCount,
    };

    using TableModel::TableModel;

    void setProblems(const QList<ProblemRow>& problems);
    const QList<ProblemRow>& problems() const { return m_problems; }
    /// Note if there are none.
    ProblemRow::Level worst() const;
    /// The full text of one row, for Copy Details.
    QString details(int row) const;

protected:
    qsizetype countRows() const override { return m_problems.size(); }
    qsizetype countColumns() const override { return ColumnCount; }
    QVariant cell(int row, int column, int role) const override;
    QVariant header(int column, int role) const override;

private:
    QList<ProblemRow> m_problems;
};

} // namespace cannery::ui
