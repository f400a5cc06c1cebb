// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/tables/table_model.h"

#include <QList>
#include <QString>
#include <QStringList>

namespace cannery::ui {

/// Numbers of an evaluation by row and column: a confusion matrix, the metrics of each class or of
/// each group of a slice.
struct EvaluationTable
{
    struct Row
    {
        QString name;
        QList<double> values;
        bool isSmall = false; ///< a group of so few rows that its numbers say little

        bool operator==(const Row&) const = default;
    };
    QString title; ///< "confusion_matrix"; "sex, deck"
    bool isSlice = false;
    QStringList columns; ///< of a slice, the first one is the number of rows
    QList<Row> rows;

    bool operator==(const EvaluationTable&) const = default;
};

/// One table of an evaluation. Sorts by SortRole. GUI thread.
class EvaluationTableModel : public TableModel
{
    Q_OBJECT

public:
    static constexpr int SortRole = Qt::UserRole + 1;

    explicit EvaluationTableModel(EvaluationTable table, QObject* parent = nullptr);

    const EvaluationTable& table() const { return m_table; }

protected:
    qsizetype countRows() const override { return m_table.rows.size(); }
    qsizetype countColumns() const override { return m_table.columns.size() + 1; }
    QVariant cell(int row, int column, int role) const override;
    QVariant header(int column, int role) const override;
    bool isNumber(int column) const override { return column > 0; }

private:
    QString tip(const EvaluationTable::Row& row, int column) const;

    EvaluationTable m_table;
};

} // namespace cannery::ui
