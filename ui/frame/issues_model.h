// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/problem_row.h"

#include <QAbstractTableModel>

namespace cannery::ui {

/// What is wrong: where and what, errors before warnings.
class IssuesModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Column
    {
        Place,
        Sentence,
        Fix, ///< empty: the view puts its buttons there
        ColumnCount,
    };

    using QAbstractTableModel::QAbstractTableModel;

    void setProblems(const QList<ProblemRow>& problems);
    const QList<ProblemRow>& problems() const { return m_problems; }
    bool hasErrors() const;
    /// Everything about one row as text, for Copy Details.
    QString details(int row) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QList<ProblemRow> m_problems;
};

} // namespace cannery::ui
