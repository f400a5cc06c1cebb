// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/tables/column_facts.h"
#include "ui/models/tables/table_trouble.h"
#include "ui/pages/page.h"

#include <QThreadPool>

#include <atomic>
#include <memory>

class QStackedWidget;
class QTableView;

namespace cannery::ui {

class BrowsedTable;
class DataInspector;
class DocumentQuery;
class EmptyState;
class HistogramHeader;
struct JoinedTable;
struct TableReading;
class LinkLabel;
class PageHeader;
class ProblemList;
class RemarkList;
class RemarksView;
class RowsPreviewModel;
class SplitPanel;
class Strip;
class TableTroubleView;
class TableViews;

/// The table as the engine reads it: columns with their distributions, first rows, split, problems.
/// For a table that cannot be read, shows the bad line and the ways to continue. How columns are
/// read and used, and how rows are split, is edited here; edits are steps of the document.
class DataPage : public Page
{
    Q_OBJECT

public:
    explicit DataPage(const PageContext& context, QWidget* parent = nullptr);
    ~DataPage() override;

    QWidget* inspector() override;
    QWidget* findField() override;
    CommandLine command() const override;
    void reveal(const QString& what) override;
    /// The view, and the rows' filter and order.
    QByteArray saveState() const override;
    void restoreState(const QByteArray& state) override;

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    QWidget* makeContent();
    void connectTable();
    void refresh();
    void refreshFacts();
    qint64 unlabelledRows() const;
    void refreshProblems();
    QString waitingWords() const;
    void makeTrouble();
    void refreshTrouble();
    void showTrouble(const TableTrouble& trouble);
    TableTrouble troubleNow() const;
    bool isOfProject() const;
    void readAgain(const TableReading& reading);
    void countJoins();
    void joinValues();
    void joinsWritten(const TableTrouble& trouble, const JoinedTable& table);
    /// Whether values of the table may be joined in a copy, and its delimiter, if that is set.
    void updateJoinable(const TableTrouble& trouble);
    QString sourceOf(const QString& file) const;
    QString fileField(const QString& file) const;
    void locateTable();
    /// The file is now at `chosen`.
    void tableLocated(const TableTrouble& trouble, const QString& chosen);
    void refreshMark();
    void selectColumn(int column);
    QStringList selectedColumns() const;
    void select(const QStringList& columns);
    void showSelection();
    /// Makes what can be made of these columns.
    void derive(const QStringList& columns);
    void revealRemark(const QString& key);
    void revealRemarksOn(const QString& column);

    DocumentQuery* m_preview;
    RemarkList* m_remarks;
    TableViews* m_views;
    BrowsedTable* m_rows;
    RowsPreviewModel* m_model;
    QStackedWidget* m_stack;
    EmptyState* m_empty;
    PageHeader* m_header = nullptr;
    Strip* m_strip = nullptr;
    QTableView* m_table = nullptr;
    HistogramHeader* m_columns = nullptr;
    RemarksView* m_remarksView = nullptr;
    LinkLabel* m_waiting = nullptr;
    SplitPanel* m_split = nullptr;
    ProblemList* m_problems = nullptr;
    DataInspector* m_inspector;
    QAction* m_copyDetails;
    QAction* m_openFile;
    QAction* m_changeTable;
    PageHeader* m_troubleHeader = nullptr;
    Strip* m_troubleStrip = nullptr;
    TableTroubleView* m_trouble = nullptr;
    std::shared_ptr<std::atomic_bool> m_joining; ///< set: what counts or writes joins ends
    QString m_rowsOf;                            ///< the project whose rows are filtered and sorted
    QThreadPool m_pool;
    bool m_isSelecting = false;
};

} // namespace cannery::ui
