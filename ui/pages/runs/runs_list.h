// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/runs/run_filter_proxy.h"
#include "ui/models/runs/run_table_model.h"

#include <QWidget>

class QAction;
class QStackedWidget;

namespace cannery::ui {

class Button;
class Label;
class LinkLabel;
class RunCatalog;
class RunsPanel;
class RunsTable;
class SearchField;

/// The left half of Runs: filter, run table (the legend of the charts), its summary, the trash, and
/// the selected run.
class RunsList : public QWidget
{
    Q_OBJECT

public:
    RunsList(RunCatalog& catalog, QAction* duplicate, QAction* exportModel,
             QWidget* parent = nullptr);

    void setSnapshot(const ProjectSnapshotPtr& snapshot);

    RunTableModel& model() { return m_model; }
    RunFilterProxy& proxy() { return m_proxy; }
    RunsTable& table() { return *m_table; }
    SearchField& filterField() { return *m_filter; }
    RunsPanel& panel() { return *m_panel; }

    /// Whether the charts draw the run: its eye is open and the filter matches.
    bool isDrawn(const RunRow& run) const;
    /// Shows each group's mean and deviation of the decision metric below the table; empty if there
    /// is none.
    void setGroup(const QString& parameter);
    void showTrash(bool shows);
    bool showsTrash() const { return m_proxy.showsTrash(); }
    void chooseColumns();

    QJsonObject saveState() const;
    void restoreState(const QJsonObject& state);

Q_SIGNALS:
    void stateChanged();
    void filterChanged();
    void selectionMoved();
    void openRequested(const QString& run);
    void emptyTrashRequested();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    QLayout* makeFilterRow();
    void fillTrashBar();
    void connectTable();
    void follow(const QString& target);
    void applyFilter();
    void followColumns(const ProjectSnapshot& snapshot);
    void keepCurrent(const QString& run);
    void updateWords();
    void updatePanel();
    void updateGroups();
    void updateSweep();
    QString noMatchWords() const;

    RunCatalog* m_catalog;
    RunTableModel m_model;
    RunFilterProxy m_proxy;
    SearchField* m_filter;
    Label* m_problem;
    QWidget* m_trashBar;
    Button* m_restore;
    Button* m_emptyTrash;
    QStackedWidget* m_stack;
    RunsTable* m_table;
    LinkLabel* m_noMatch;
    LinkLabel* m_count;
    LinkLabel* m_sweep;
    Label* m_groups;
    RunsPanel* m_panel;
    QString m_groupParameter;
    bool m_hasOwnColumns = false;
    std::pair<qsizetype, qsizetype> m_columnsSeen{-1, -1}; ///< numbers of runs and metrics
};

} // namespace cannery::ui
