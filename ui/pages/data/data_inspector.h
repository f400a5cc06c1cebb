// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/editing/derived_features.h"
#include "ui/models/tables/column_facts.h"

#include <QWidget>

#include <optional>

class QComboBox;
class QVBoxLayout;

namespace cannery::ui {

class Button;
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

    /// `offer`: what can be made of the columns.
    void setColumns(const DataFacts& facts, const QStringList& columns,
                    const std::optional<DerivedOffer>& offer);
    /// Unfolds and focuses a field of the data; false if there is none.
    bool reveal(const QString& path);

Q_SIGNALS:
    /// What can be made of the columns shall be.
    void deriveWanted();

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
    Button* m_derive;
    FieldForm* m_form = nullptr; ///< of the one selected column
    QString m_formOf;
    FormSection* m_data;
    DataFacts m_facts;
    QStringList m_columns;
};

} // namespace cannery::ui
