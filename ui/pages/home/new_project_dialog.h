// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/widgets/dialog.h"

#include <QThreadPool>

class QComboBox;
class QLineEdit;

namespace cannery::ui {

class Label;
class ProjectSession;
class RowsPreviewModel;
class TableView;

/// Creates a project from a table and its label. Opened empty by New Project…, or with a dropped
/// table: then only the label is asked for, with a guess.
class NewProjectDialog : public Dialog
{
    Q_OBJECT

public:
    explicit NewProjectDialog(ProjectSession& session, QWidget* parent = nullptr);

    /// The engine's answer to session.labelQuestion() about a table.
    void showQuestion();
    /// The table is being read; Cancel stops that.
    void showReading(const QString& table);

private:
    void chooseTable();
    void ask();
    void create();
    void refreshButton();
    void readFirstRows(const QString& table);

    ProjectSession* m_session;
    QLineEdit* m_table;
    QComboBox* m_label;
    Label* m_reason;
    Label* m_where;
    Button* m_create;
    QString m_asked;
    TableView* m_rows; ///< the first rows, as in the file
    RowsPreviewModel* m_preview;
    QString m_rowsOf;
    QThreadPool m_pool;
};

} // namespace cannery::ui
