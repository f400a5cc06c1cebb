// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/field_schema.h"
#include "ui/editors/form_part.h"

class QVBoxLayout;

namespace cannery::ui {

class Button;
class Label;

/// A list of messages within a form: each with its title, its fields, and buttons that move and
/// remove it; at the end a button that adds one.
class ElementList : public FormPart
{
    Q_OBJECT

public:
    ElementList(const FormContext& context, const FieldSchema& schema, const QString& path,
                QWidget* parent = nullptr);

    void refresh() override;
    void refreshProblems() override;
    int find() override;

private:
    int count() const;
    void add();
    void rebuild();
    QString numbered(int index) const;
    QString titleOf(const FieldNode& element, int index) const;
    QWidget* makeHead(const FieldNode& element, int index);

    FieldSchema m_schema;
    QVBoxLayout* m_column;
    QVBoxLayout* m_rows;
    Label* m_words;
    QStringList m_shown; ///< the paths of the elements
    QList<Label*> m_titles;
    QList<QWidget*> m_heads;
    QList<FormPart*> m_forms;
};

} // namespace cannery::ui
