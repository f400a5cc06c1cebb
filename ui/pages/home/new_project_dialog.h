// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/services/table_import.h"
#include "ui/widgets/dialog.h"

#include <QPointer>

class QComboBox;
class QJsonObject;
class QLineEdit;

namespace cannery::ui {

class Label;
class LinkLabel;
class ProjectSession;
class RowsPreviewModel;
class TableView;

/// Creates a project from a table and its label. Opened empty by New Project…, or with a dropped
/// table: then only the label is asked for, with a guess. The engine reads its first rows, so that
/// users see whether it is the right table, rightly read.
class NewProjectDialog : public Dialog
{
    Q_OBJECT

public:
    explicit NewProjectDialog(ProjectSession& session, QWidget* parent = nullptr);
    ~NewProjectDialog() override;

    /// The engine's answer to session.tables().question() about a table.
    void showQuestion();
    /// The table is being read; Cancel stops that.
    void showReading(const QString& table, const TableReading& reading = {});
    /// The table is one of several in a database: asks which.
    void chooseRows(const QString& database);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void addChosenRows();
    void chooseTable();
    void ask();
    void create();
    void refreshButton();
    void readFirstRows(const QString& table, const TableReading& reading);
    void showChosenRows(const RowsChoice& rows);
    void showFirstRows(const QJsonObject& preview);
    void paste();

    QPointer<ProjectSession> m_session; ///< null once the window that closes has deleted it
    QLineEdit* m_table;
    QComboBox* m_label;
    LinkLabel* m_chosenRows; ///< of a database
    Label* m_reason;
    Label* m_where;
    Button* m_create;
    QString m_asked;
    TableView* m_rows; ///< the first rows, as in the file
    RowsPreviewModel* m_preview;
    QString m_rowsOf;
    TableReading m_rowsReading;
    int m_job = 0; ///< that reads the first rows
};

} // namespace cannery::ui
