// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/field_edit.h"
#include "ui/editors/field_query.h"
#include "ui/editors/form_part.h"

#include <QWidget>

class QAction;
class QVBoxLayout;

namespace cannery::ui {

class FormSection;
class ProjectSession;
class RunDifference;

/// Every argument of the estimator, its training, evaluation and run, as folded forms. Edits are
/// steps of the document.
class ModelForm : public QWidget
{
    Q_OBJECT

public:
    /// `difference` marks the fields that differ from a run; it outlives the form.
    ModelForm(ProjectSession& session, RunDifference& difference, QWidget* parent = nullptr);

    /// Follows the experiment's estimator.
    void refresh();
    /// Unfolds, scrolls to and focuses a field; false if it is not on this page.
    bool reveal(const QString& path);
    /// The sections that are shown, in order.
    QList<FormSection*> shownSections() const;
    /// Shows only the fields that are looked for; an empty query shows all again. Returns how many
    /// are found.
    int find(const FieldQuery& query);
    /// Focuses the first field that is found.
    void focusFound();
    /// Whether anything in here is set that resetAll() would reset.
    bool canReset() const;
    /// Everything but the columns and what is predicted, as one step.
    void resetAll();
    /// Of a form of the experiment that stands elsewhere on the page.
    FormContext context();

Q_SIGNALS:
    /// Other sections are shown.
    void sectionsChanged();
    /// A field is to be shown that the query may hide: it was given up.
    void queryDropped();

private:
    int showSections();
    bool isDrawn(const FieldSchema& field) const;
    FormSection* add(const QString& title, bool isOpen);
    QList<QAction*> sweepActions(const QString& path, QObject* owner);
    void sweepField(const QString& path);
    QList<FieldEdit> resetEdits() const;

    ProjectSession* m_session;
    RunDifference* m_difference;
    QVBoxLayout* m_column;
    FieldQuery m_query;
    FormSection* m_estimator = nullptr;
    FormSection* m_columns = nullptr;
    QList<FormSection*> m_sections;
};

} // namespace cannery::ui
