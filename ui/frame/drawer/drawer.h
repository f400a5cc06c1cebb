// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/problem_row.h"

#include <QWidget>

class QStackedWidget;

namespace cannery::ui {

class Button;
class EngineService;
class IssuesModel;
class JobRunner;
class LastingJobs;
class JobsModel;
class Label;
class LogModel;
class TableView;

/// The panel at the bottom: Issues, Log, Jobs. Initially closed.
class Drawer : public QWidget
{
    Q_OBJECT

public:
    enum class Part
    {
        Issues,
        Log,
        Jobs,
    };

    explicit Drawer(JobRunner& jobs, QWidget* parent = nullptr);

    /// Jobs that are not the runner's, but cancelled and cleared here, too. Must outlive this.
    void setLasting(LastingJobs& lasting) { m_lasting = &lasting; }
    void showPart(Part part);
    Part part() const;
    IssuesModel& issues() { return *m_issues; }
    LogModel& log() { return *m_log; }
    JobsModel& jobs() { return *m_jobsModel; }

Q_SIGNALS:
    void closeRequested();
    /// Requests the page where the problem can be fixed.
    void showProblem(const cannery::ui::ProblemRow& problem);
    /// Do what the problem's fix does.
    void fixProblem(const cannery::ui::ProblemRow& problem);
    /// Requests the file at this place in a text editor.
    void editProblem(const cannery::ui::ProblemRow& problem);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QWidget* makeIssues();
    QWidget* makeLog();
    QWidget* makeJobs();
    void placeIssueButtons();
    void placeJobButtons();
    void cancelJob(int id);
    void clearJobs();
    void copyDetails();
    void refreshEmpty();

    JobRunner* m_jobs;
    LastingJobs* m_lasting = nullptr;
    IssuesModel* m_issues;
    LogModel* m_log;
    JobsModel* m_jobsModel;
    TableView* m_issuesView = nullptr;
    TableView* m_logView = nullptr;
    TableView* m_jobsView = nullptr;
    Label* m_title;
    Label* m_empty;
    Button* m_copy;
    Button* m_clear;
    QStackedWidget* m_stack;
    Part m_part = Part::Issues;
};

} // namespace cannery::ui
