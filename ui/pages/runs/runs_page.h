// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/charts/curves/chart_card.h"
#include "ui/models/runs/run_snapshot.h"
#include "ui/pages/page.h"

#include <QSet>

class QStackedWidget;
class QTimer;

namespace cannery::ui {

class UpdateThrottle;
class EmptyState;
class Label;
class PageHeader;
class RunPage;
class RunsCharts;
class RunsList;
class ScalarsExport;
class Segmented;
class SplitView;
class Strip;

/// Every run of the project: the run table next to its charts or, in a second tab, to what the
/// parameters have to do with the metric; and a page for one run. Connects the
/// catalog, the series store and the window's actions to them.
class RunsPage : public Page
{
    Q_OBJECT

public:
    explicit RunsPage(const PageContext& context, QWidget* parent = nullptr);

    CommandLine command() const override;
    QString currentRun() const override;
    /// "run:run-012" opens that run; "select:run-012" selects it in the table; "" the table.
    void reveal(const QString& what) override;
    QByteArray saveState() const override;
    void restoreState(const QByteArray& state) override;
    QWidget* findField() override;

    RunsList& list() { return *m_list; }
    RunsCharts& charts() { return *m_charts; }
    RunPage& runPage() { return *m_runPage; }

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    QWidget* makeMain();
    void makeEmptyState();
    void connectServices();
    void connectList();
    void connectActions();
    void connectChartActions();
    void connectViews();
    void takeSnapshot();
    void refresh();
    void chooseView();
    void showCurves();
    void updateActions();
    void updateMark();
    void beginFolder();
    void saveSoon();
    void saveNow();
    void openRun(const QString& run);
    void leaveRun();
    QStringList chosenRuns() const;
    void trash(const QStringList& runs);
    void showTrashed(const QStringList& runs);
    void confirmEmptyTrash();
    void showMenu(const QPoint& where);
    void exportScalars();
    void saveCsv(const QByteArray& csv);
    void showProblem(const QString& lead, const QString& sentence);

    QStackedWidget* m_stack;
    EmptyState* m_empty = nullptr;
    Label* m_loading;
    QWidget* m_main = nullptr;
    PageHeader* m_header = nullptr;
    Segmented* m_views = nullptr; ///< charts, parameters
    Strip* m_strip = nullptr;
    SplitView* m_split = nullptr;
    RunsList* m_list = nullptr;
    RunsCharts* m_charts = nullptr;
    RunPage* m_runPage;
    QAction* m_rescan;
    QAction* m_cancelExport;
    ScalarsExport* m_export;
    QTimer* m_saving;
    UpdateThrottle* m_throttle;
    QString m_folder; ///< the catalog's, as last seen
    bool m_isRestored = false;
    QString m_wanted; ///< the run to open as soon as the catalog has it
    QSet<QString> m_watched;
};

} // namespace cannery::ui
