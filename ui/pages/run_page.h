// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/checkpoint_model.h"
#include "ui/models/parameter_diff_model.h"
#include "ui/models/run_snapshot.h"
#include "ui/pages/page.h"

#include <QWidget>

class QCheckBox;
class QComboBox;
class QPlainTextEdit;
class QStackedWidget;
class QTableView;

namespace cannery::ui {

class Button;
class Card;
class KeyValueList;
class Label;
class LogLines;
class NotesEditor;
class PageHeader;
class Segmented;
class Strip;
class TableView;
class TagChips;

/// One run, whole: how it went, its frozen experiment beside another run's, its checkpoints, its
/// log and files; and what can be done with it in its state.
class RunPage : public QWidget
{
    Q_OBJECT

public:
    enum View
    {
        Overview,
        Experiment,
        Checkpoints,
        Log,
    };

    explicit RunPage(const PageContext& context, QWidget* parent = nullptr);

    /// Shows this run of the snapshot; false when it is not there.
    bool setRun(const ProjectSnapshotPtr& snapshot, const QString& run);
    QString run() const { return m_run.name; }
    void setView(View view);

Q_SIGNALS:
    void leaveRequested();
    /// "export", "export:run:run-012@500"
    void navigate(const QString& target);
    void trashRequested(const QString& run);

private:
    void makeActions();
    QWidget* makeOverview();
    QWidget* makeExperiment();
    QWidget* makeCheckpoints();
    QWidget* makeLog();
    void showView();
    void showHeader();
    void showBanner();
    void showOverview();
    void showExperiment();
    void showCheckpoints();
    void readFiles();
    void compareWith(const QString& other);
    qint64 selectedStep() const;

    PageContext m_context;
    ProjectSnapshotPtr m_snapshot;
    RunRow m_run;
    PageHeader* m_header;
    Strip* m_banner;
    Segmented* m_views;
    QStackedWidget* m_stack;
    NotesEditor* m_notes;
    TagChips* m_tags;
    KeyValueList* m_facts;
    Card* m_evaluationCard;
    KeyValueList* m_evaluation;
    Card* m_filesCard;
    KeyValueList* m_files;
    QPlainTextEdit* m_text;
    QComboBox* m_other;
    QCheckBox* m_differingOnly;
    Label* m_diffSummary;
    TableView* m_diff;
    ParameterDiffModel m_diffModel;
    TableView* m_checkpoints;
    Label* m_noCheckpoints;
    CheckpointModel m_checkpointModel;
    Button* m_exportCheckpoint;
    Button* m_startFrom;
    LogLines* m_log;
    QAction* m_resume;
    QAction* m_continue;
    QAction* m_duplicate;
    QAction* m_export;
    QAction* m_trash;
    QAction* m_rescan;
    quint64 m_reading = 0; ///< which background reading is the present one
};

} // namespace cannery::ui
