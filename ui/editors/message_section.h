// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/field_schema.h"
#include "ui/editors/form_part.h"

class QVBoxLayout;

namespace cannery::ui {

class Button;
class FieldForm;

/// A message within a form that has no oneof: its title, and its fields while it is there. One that
/// may be absent has a button that adds or removes it.
class MessageSection : public FormPart
{
    Q_OBJECT

public:
    MessageSection(const FormContext& context, const FieldSchema& schema, const QString& path,
                   QWidget* parent = nullptr);

    void refresh() override;
    void refreshProblems() override;
    int find() override;

private:
    void addOrRemove();

    FieldSchema m_schema;
    QVBoxLayout* m_column;
    Button* m_button;
    FieldForm* m_form = nullptr;
};

} // namespace cannery::ui
