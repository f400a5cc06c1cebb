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

/// A table and its label make a project. Opened empty by New Project…, or with a table that was
/// dropped: then only the label is asked, and guessed.
class NewProjectDialog : public Dialog
{
    Q_OBJECT

public:
    explicit NewProjectDialog(ProjectSession& session, QWidget* parent = nullptr);

    /// The engine's answer about a table: session.labelQuestion().
    void showQuestion();
    /// The table is being read; Cancel ends that.
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
    TableView* m_rows; ///< the first ones, as they are written
    RowsPreviewModel* m_preview;
    QString m_rowsOf;
    QThreadPool m_pool;
};

} // namespace cannery::ui
