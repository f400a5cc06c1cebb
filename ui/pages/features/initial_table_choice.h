// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/runs/checkpoint_variables.h"

#include <QWidget>

class QListWidget;

namespace cannery::ui {

class Button;
class CheckpointChoice;
class Label;
class ProjectSession;

/// What a table of vectors begins with: random numbers, or a variable of a checkpoint, chosen among
/// those of the project's runs or of a folder of TensorFlow. Variables of another shape say why
/// they do not fit. A choice is one undo step. GUI thread.
class InitialTableChoice : public QWidget
{
    Q_OBJECT

public:
    explicit InitialTableChoice(ProjectSession& session, QWidget* parent = nullptr);

    /// The table of the feature column whose kind is at this path: `rows` vectors (-1: not known)
    /// of `dimension` numbers.
    void setTable(const QString& kindPath, qint64 rows, qint64 dimension);

private:
    void arrange();
    void setOpen(bool isOpen);
    void chooseFile();
    /// Lists the variables of a checkpoint: a prefix, or a folder with its newest one.
    void list(const QString& checkpoint);
    void chooseOfRun();
    void refreshRuns();
    void refreshList();
    void refreshWords();
    void use();
    void useNone();
    QString written(const char* field) const;
    /// As the experiment names it: relative to its folder if it is in there.
    QString nameOf(const QString& checkpoint) const;
    QString absolute(const QString& checkpoint) const;
    /// What is listed of the selected row; empty if it does not fit.
    QString selected() const;

    ProjectSession& m_session;
    QString m_path;
    qint64 m_rows = -1;
    qint64 m_dimension = 0;
    QString m_set;     ///< the checkpoint that the experiment names
    QString m_listed;  ///< the one whose variables are listed, absolute
    QString m_ofRun;   ///< the one that the two lists of runs and checkpoints name
    QString m_problem; ///< why it cannot be read, a sentence
    bool m_isReading = false;
    int m_asked = 0;
    QList<CheckpointVariable> m_variables;

    Button* m_fold;
    QWidget* m_content;
    CheckpointChoice* m_checkpoint;
    Button* m_other;
    Label* m_title;
    QListWidget* m_tables;
    Button* m_use;
    Button* m_none;
    Label* m_words;
};

} // namespace cannery::ui
