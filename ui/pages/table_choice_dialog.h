// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/tables/database_tables.h"
#include "ui/widgets/dialog.h"

#include <QPointer>

#include <functional>

class QLineEdit;

namespace cannery::ui {

class Label;
class ProjectSession;
class TableView;

/// Which rows of a database are read: one of its tables, which the engine lists, or those of a
/// query. The one place where that is chosen.
class TableChoiceDialog : public Dialog
{
    Q_OBJECT

public:
    /// `current`: what is read now, if anything is.
    TableChoiceDialog(ProjectSession& session, const QString& file, const RowsChoice& current,
                      QWidget* parent);
    ~TableChoiceDialog() override;

    RowsChoice choice() const;

    /// Opens one over a window, in place of one that is open for another file; `chosen` is called
    /// unless it is cancelled.
    static void ask(ProjectSession& session, const QString& file, const RowsChoice& current,
                    QWidget* window, std::function<void(const RowsChoice&)> chosen);

private:
    void readTables();
    void showTables(const QList<DatabaseTable>& tables);
    void refreshButton();

    QPointer<ProjectSession> m_session; ///< null once the window that closes has deleted it
    QString m_file;
    RowsChoice m_current;
    DatabaseTablesModel* m_model;
    TableView* m_tables;
    QLineEdit* m_query;
    Label* m_words;
    Button* m_use;
    int m_job = 0;
};

} // namespace cannery::ui
