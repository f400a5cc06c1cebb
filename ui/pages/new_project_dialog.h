#pragma once

#include "ui/widgets/dialog.h"

class QComboBox;
class QLineEdit;

namespace cannery::ui {

class Label;
class ProjectSession;

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

    ProjectSession* m_session;
    QLineEdit* m_table;
    QComboBox* m_label;
    Label* m_reason;
    Label* m_where;
    Button* m_create;
    QString m_asked;
};

} // namespace cannery::ui
