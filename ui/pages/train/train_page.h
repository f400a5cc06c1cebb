// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/runs/run_snapshot.h"
#include "ui/pages/page.h"

class QStackedWidget;
class QTimer;
class QVBoxLayout;

namespace cannery::ui {

class UpdateThrottle;
class FactRow;
class HealthStrip;
class Label;
class ProgressBar;
class TrainCharts;
class TrainDistributions;
class TrainEmptyState;
class TrainFields;
class TrainHeader;
class TrainInspector;
class TrainToolbar;
class WhatNow;
class WorkerTable;

/// What is training now, live; a run that has ended stays here with its next actions.
class TrainPage : public Page
{
    Q_OBJECT

public:
    explicit TrainPage(const PageContext& context, QWidget* parent = nullptr);

    QWidget* inspector() override;
    CommandLine command() const override;
    void reveal(const QString& what) override;
    QByteArray saveState() const override;
    void restoreState(const QByteArray& state) override;
    QString currentRun() const override { return m_run; }

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* makeContent();
    QWidget* makeFacts();
    void connectServices();

    void showRun(const QString& run);
    void chooseRun();
    void refresh();
    void refreshWhole();
    void refreshFields();
    void refreshLive();
    void refreshMark();
    void queueCommand(const QString& verb, const QString& name);
    const RunRow* row() const;

    QStackedWidget* m_stack;
    TrainEmptyState* m_empty;
    QVBoxLayout* m_fixed = nullptr;    ///< what stays above the charts
    QVBoxLayout* m_scrolled = nullptr; ///< the charts, and what scrolls with them
    QWidget* m_head = nullptr;         ///< fields and facts, in one of the two
    TrainFields* m_fields = nullptr;
    TrainHeader* m_header = nullptr;
    FactRow* m_facts = nullptr;
    Label* m_times = nullptr;
    ProgressBar* m_progress = nullptr;
    WhatNow* m_whatNow = nullptr;
    WorkerTable* m_workers = nullptr;
    TrainToolbar* m_toolbar = nullptr;
    TrainCharts* m_charts = nullptr;
    TrainDistributions* m_distributions = nullptr;
    HealthStrip* m_strip = nullptr;
    TrainInspector* m_inspector;
    QTimer* m_clock;
    UpdateThrottle* m_whole; ///< everything, after changes in the store
    UpdateThrottle* m_live;  ///< what changes while a run trains
    QString m_run;
};

} // namespace cannery::ui
