// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/column_facts.h"

#include <QWidget>

class QComboBox;
class QVBoxLayout;

namespace cannery::ui {

class ColumnInspector;
class ColumnRoles;
class FieldForm;
class FormSection;
class ProjectSession;

/// Everything about the selected columns, with what can be changed in the way they are read and
/// used; below, the table's files, the label and the split.
class DataInspector : public QWidget
{
    Q_OBJECT

public:
    explicit DataInspector(ProjectSession& session, QWidget* parent = nullptr);

    void setColumns(const DataFacts& facts, const QStringList& columns);
    /// Unfolds and focuses a field of the data; false if there is none.
    bool reveal(const QString& path);

private:
    void addChoices();
    void refresh();
    void rebuildForm();

    ProjectSession* m_session;
    QVBoxLayout* m_column;
    ColumnInspector* m_details;
    QWidget* m_choices;
    ColumnRoles* m_roles;
    QComboBox* m_use;
    QComboBox* m_type;
    FieldForm* m_form = nullptr; ///< of the one selected column
    QString m_formOf;
    FormSection* m_data;
    DataFacts m_facts;
    QStringList m_columns;
};

} // namespace cannery::ui
