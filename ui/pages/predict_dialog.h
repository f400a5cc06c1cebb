// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/command_line.h"
#include "ui/widgets/dialog.h"

class QLineEdit;

namespace cannery::ui {

class CheckpointChoice;
class Label;
class ProgressBar;
class ProjectSession;

/// File ▸ Predict File…: writes the predictions of a checkpoint for the rows of a table, or the
/// pictures of a folder if that is what the project's experiment reads. Stays
/// open until the rows are written; Cancel stops the job.
class PredictDialog : public Dialog
{
    Q_OBJECT

public:
    explicit PredictDialog(ProjectSession& session, QWidget* parent = nullptr);
    ~PredictDialog() override;

    void chooseRun(const QString& run);
    void setInput(const QString& file);
    CommandLine command() const;

public Q_SLOTS:
    void reject() override;

private:
    enum class Choice
    {
        Table,
        Folder,
        NewFile,
    };
    QLineEdit* addFileField(const QString& label, const QString& name, Choice what);
    void start();
    void refreshJob();
    void refreshButtons();

    ProjectSession* m_session;
    CheckpointChoice* m_from;
    QLineEdit* m_input;
    QLineEdit* m_output;
    Label* m_words;
    ProgressBar* m_progress;
    Button* m_predict;
    Button* m_open;
    int m_job = 0;
};

} // namespace cannery::ui
