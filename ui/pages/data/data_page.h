// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/column_facts.h"
#include "ui/models/table_trouble.h"
#include "ui/pages/page.h"

#include <QThreadPool>

class QStackedWidget;
class QTableView;

namespace cannery::ui {

class BrowsedTable;
class DataInspector;
class DocumentQuery;
class EmptyState;
class HistogramHeader;
struct TableReading;
class LinkLabel;
class PageHeader;
class ProblemList;
class RowsPreviewModel;
class SplitPanel;
class Strip;
class TableTroubleView;

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

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    QWidget* makeContent();
    void refresh();
    void refreshFacts();
    void refreshProblems();
    QString waitingWords() const;
    void makeTrouble();
    void refreshTrouble();
    void showTrouble(const TableTrouble& trouble);
    TableTrouble troubleNow() const;
    bool isOfProject() const;
    void readAgain(const TableReading& reading);
    QString sourceOf(const QString& file) const;
    void locateTable();
    /// The file is now at `chosen`.
    void tableLocated(const TableTrouble& trouble, const QString& chosen);
    void refreshMark();
    void selectColumn(int column);
    QStringList selectedColumns() const;
    void select(const QStringList& columns);
    void showSelection();

    DocumentQuery* m_preview;
    BrowsedTable* m_rows;
    RowsPreviewModel* m_model;
    QStackedWidget* m_stack;
    EmptyState* m_empty;
    PageHeader* m_header = nullptr;
    Strip* m_strip = nullptr;
    QTableView* m_table = nullptr;
    HistogramHeader* m_columns = nullptr;
    LinkLabel* m_waiting = nullptr;
    SplitPanel* m_split = nullptr;
    ProblemList* m_problems = nullptr;
    DataInspector* m_inspector;
    QAction* m_copyDetails;
    QAction* m_openFile;
    PageHeader* m_troubleHeader = nullptr;
    Strip* m_troubleStrip = nullptr;
    TableTroubleView* m_trouble = nullptr;
    QThreadPool m_pool;
    bool m_isSelecting = false;
};

} // namespace cannery::ui
