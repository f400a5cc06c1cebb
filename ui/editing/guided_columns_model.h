// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/tables/column_facts.h"
#include "ui/models/tables/table_model.h"

#include <QHash>
#include <QSet>

namespace cannery::ui {

/// The columns of a table in plain words: what they hold, examples, distribution. In a guided run's
/// list of columns to learn from, each also has a check box and what happens to it.
class GuidedColumnsModel : public TableModel
{
    Q_OBJECT

public:
    enum Column
    {
        Name,
        Holds,
        Examples,
        Distribution, ///< has ColumnFacts in FactsRole
        Remark,       ///< only of columns to learn from
    };
    enum Role
    {
        FactsRole = Qt::UserRole,
        IsWarningRole,
    };
    enum class Purpose
    {
        Label, ///< one is chosen to be predicted
        Learn, ///< those to learn from are checked
    };

    explicit GuidedColumnsModel(Purpose purpose, QObject* parent = nullptr);

    void setFacts(const DataFacts& facts);
    /// What the engine reports: columns that it leaves out, and remarks about the others.
    void setRemarks(const QHash<QString, QString>& leftOut, const QHash<QString, QString>& remarks,
                    const QHash<QString, QString>& warnings);
    /// Columns that somebody has unchecked.
    void setUnwanted(const QSet<QString>& columns);
    /// The column to predict, which is not learned from; left out of the list.
    void setLabel(const QString& label);
    QString nameAt(int row) const;
    int rowOf(const QString& column) const;
    int usedCount() const;

    Qt::ItemFlags flags(const QModelIndex& index) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;

Q_SIGNALS:
    void wantedChanged(const QString& column, bool isWanted);

protected:
    qsizetype countRows() const override { return m_columns.size(); }
    qsizetype countColumns() const override;
    QVariant cell(int row, int column, int role) const override;
    QVariant header(int column, int role) const override;

private:
    void list();
    bool isUsed(const QString& column) const;
    QString remarkOf(const ColumnFacts& column) const;

    Purpose m_purpose;
    DataFacts m_facts;
    QString m_label;
    QList<ColumnFacts> m_columns; ///< those listed
    QHash<QString, QString> m_leftOut;
    QHash<QString, QString> m_remarks;
    QHash<QString, QString> m_warnings;
    QSet<QString> m_unwanted;
};

/// What a column holds, in plain words: "numbers from 0.4 to 80", "one of 3 texts".
QString holdsOf(const ColumnFacts& column);
/// What predicting a column means, in plain words; `task` as `cannery new` names it.
QString taskWords(const ColumnFacts& label, const QString& task);

} // namespace cannery::ui
