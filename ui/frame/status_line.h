// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/problem_row.h"

#include <QWidget>

class QAction;

namespace cannery::ui {

class ActionRegistry;
class ElidedLabel;
class LinkLabel;

/// The foot of the window: the drawer's three tabs with their counts, what prevents training, the
/// live run, the device and its memory.
class StatusLine : public QWidget
{
    Q_OBJECT

public:
    explicit StatusLine(ActionRegistry& actions, QWidget* parent = nullptr);

    void setIssues(int count, ProblemRow::Level worst);
    void setJobs(int running);
    /// A sentence with a link; empty if there is none. Shown only while no run is.
    void setHindrance(const QString& sentence);
    /// "run-012", "step 7,440 of 12,000 · 39 s left"; empty if there is none.
    void setRun(const QString& run, const QString& progress);
    /// Where the first tab begins: below the page.
    void setIndent(int pixels);
    void setMachine(const QString& words, const QString& tip);

Q_SIGNALS:
    void linkActivated(const QString& link);
    void runActivated();

protected:
    void paintEvent(QPaintEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    class Tab;
    class RunLine;
    void fitHindrance();

    Tab* m_issues;
    Tab* m_log;
    Tab* m_jobs;
    LinkLabel* m_hindrance;
    RunLine* m_run;
    ElidedLabel* m_machine;
    QString m_sentence; ///< the whole of what hinders
};

} // namespace cannery::ui
