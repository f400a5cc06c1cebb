// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/tables/column_facts.h"
#include "ui/models/tables/table_page.h"

#include <QHash>
#include <QTimer>
#include <QWidget>

#include <functional>

class QStackedWidget;
class QTableView;

namespace cannery::ui {

class HistogramHeader;
class LeftOutModel;
class ProjectSession;
class RowsLine;
class RowsPreviewModel;
class TableBrowser;
class TableView;

/// The rows of the training table, of any size: a header to sort them by, the rows themselves, or
/// those that were left out; and a line to filter them, which the owner places. Until the helper of
/// the engine answers, and if it fails, the first rows of the engine's preview. Some rows are
/// always visible.
class BrowsedTable : public QWidget
{
    Q_OBJECT

public:
    explicit BrowsedTable(ProjectSession& session, QWidget* parent = nullptr);

    RowsLine* line() const { return m_line; }
    QTableView* view() const;
    HistogramHeader* header() const { return m_header; }
    RowsPreviewModel* model() const { return m_model; }
    QWidget* filterField() const;

    /// Whether it is shown: the helper runs while it is.
    void setWanted(bool wanted);
    /// What the engine's preview says about the whole table; empty if there is nothing yet.
    void setWhole(const DataFacts& whole);
    /// Which rows are wanted, in which order.
    const TableQuery& query() const { return m_asked; }
    void setQuery(const TableQuery& query);
    /// Stops counting; what is known stays.
    void cancelReading();
    void readAgain();
    /// Also at the keyboard: Menu or Shift+F10 at a cell.
    void openMenu(int column, const QPoint& globalPosition);

Q_SIGNALS:
    /// model()->facts() have changed: statistics so far.
    void factsChanged();
    /// What can be made of these columns shall be.
    void deriveWanted(const QStringList& columns);
    /// The remarks on the column are to be shown.
    void remarksWanted(const QString& column);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void makeRows();
    void dragColumns();
    void connectBrowser();
    void followState();
    void ask(const TableQuery& query);
    void sortBy(int column, bool reversed);
    void takeRows(int request, const TablePage& page);
    void takeFailure(int request, const QString& sentence, bool cancelled);
    void takeExtent();
    void askPage(qint64 first);
    void showLeftOut(bool shown);
    void updateFacts();
    void updateWords();
    void cancel();
    void again();
    QStringList selectedColumns() const;
    /// Columns stay selected while rows come and go.
    void keepSelection(const std::function<void()>& change);

    ProjectSession* m_session;
    TableBrowser* m_browser;
    RowsPreviewModel* m_model;
    LeftOutModel* m_leftOut;
    RowsLine* m_line;
    QStackedWidget* m_stack;
    TableView* m_rows;
    TableView* m_leftOutRows;
    HistogramHeader* m_header;
    DataFacts m_whole;
    DataFacts m_soFar;
    TableQuery m_asked; ///< the query that was asked for last
    TableQuery m_query; ///< of the rows shown
    int m_queryRequest = 0;
    int m_statistics = 0;
    int m_filterCheck = 0;
    bool m_wasCancelled = false; ///< counting was
    QHash<int, qint64> m_pages;  ///< the first rows of pages on their way, by request
    QTimer m_wordsSoon;
};

} // namespace cannery::ui
