// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QWidget>

class QVBoxLayout;

namespace cannery::ui {

class FormSection;
class ProjectSession;

/// Every argument of the estimator, its training, evaluation and run, as folded forms. Edits are
/// steps of the document.
class ModelForm : public QWidget
{
    Q_OBJECT

public:
    explicit ModelForm(ProjectSession& session, QWidget* parent = nullptr);

    /// Follows the experiment's estimator.
    void refresh();
    /// Unfolds, scrolls to and focuses a field; false if it is not on this page.
    bool reveal(const QString& path);

private:
    FormSection* add(const QString& title, bool isOpen);

    ProjectSession* m_session;
    QVBoxLayout* m_column;
    FormSection* m_estimator = nullptr;
    FormSection* m_columns = nullptr;
    QList<FormSection*> m_sections;
};

} // namespace cannery::ui
