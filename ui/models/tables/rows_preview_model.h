// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/tables/column_facts.h"
#include "ui/models/tables/table_model.h"
#include "ui/models/tables/table_page.h"
#include "ui/models/tables/table_remark.h"

#include <QHash>
#include <QSet>

#include <deque>

namespace cannery::ui {

/// Rows of the training table, with the facts of their columns in the header: the first ones, or
/// all of them, page by page as they come into view. Rows whose page has not come yet are empty. At
/// most kMostPages pages are kept. GUI thread.
class RowsPreviewModel : public TableModel
{
    Q_OBJECT

public:
    enum Role
    {
        MissingRole = Qt::UserRole, ///< true: the cell is missing, shown as "?"
        FactsRole,                  ///< horizontal header: the column's place in facts()
        SortRole,     ///< horizontal header: Qt::SortOrder of the sorted column; otherwise invalid
        RemarksRole,  ///< horizontal header: what is remarked on the column; invalid: nothing
        DecisionRole, ///< horizontal header: whether some of that wants a decision
    };

    static constexpr int kMostPages = 50;

    using TableModel::TableModel;

    /// Sets the columns. Their first rows are shown until beginPages().
    void setFacts(DataFacts facts);
    const DataFacts& facts() const { return m_facts; }
    /// What the headers of their columns mark.
    void setRemarks(const QList<TableRemark>& remarks);
    /// Those on a column, decisions first.
    QList<TableRemark> remarksOn(const QString& column) const;

    /// From now on rows come in pages; those of another query are forgotten.
    void beginPages(const TableQuery& query);
    /// Back to the first rows of the facts.
    void endPages();
    /// How many there are; rows beyond the known ones are asked for when they come into view.
    void setTotal(qint64 total);
    /// A page that pageWanted() has asked for.
    void setPage(const TablePage& page);
    /// A page that will not come: it is asked for again when it is seen again.
    void dropPage(qint64 first);
    bool isPaged() const { return m_isPaged; }
    /// The column's cells in the rows that are there, without the missing ones.
    QStringList cellsSeen(const QString& column) const;
    /// Rows of a page: fewer in wide tables.
    int pageRows() const;

    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;

Q_SIGNALS:
    /// A row of this page is in view; once until setPage() or dropPage().
    void pageWanted(qint64 first);

protected:
    qsizetype countRows() const override { return m_isPaged ? m_total : m_facts.texts.size(); }
    qsizetype countColumns() const override { return m_facts.columns.size(); }
    QVariant cell(int row, int column, int role) const override;
    QVariant header(int column, int role) const override;
    bool isNumber(int column) const override { return m_facts.columns[column].isNumber(); }

private:
    /// "age, number, 19.9 % missing, 0.42 to 80, median 28"
    QString spoken(const ColumnFacts& column) const;
    /// The row's cells, or null while they are on their way.
    const QStringList* textsOf(int row) const;
    const TablePage* pageOf(int row) const;
    void notifyHeaderChanged();

    DataFacts m_facts;
    QList<TableRemark> m_remarks;
    bool m_isPaged = false;
    qsizetype m_total = 0;
    TableQuery m_query;
    QHash<qint64, TablePage> m_pages; ///< by the place of the first row
    std::deque<qint64> m_kept;        ///< their keys, the oldest first
    mutable QSet<qint64> m_asked;     ///< pages on their way
};

} // namespace cannery::ui
